import { launchedInRing } from "./in-ring.ts";
import { LanguageServer } from "./language-server.ts";
import type { ServerLaunch } from "./launch.ts";
import { LIMITS, type ServerLimits } from "./limits.ts";
import { writingElsewhere } from "./own-folder.ts";
import { waitFor } from "./patience.ts";
import { ServerGone } from "./server-connection.ts";

interface Entry {
	server: LanguageServer;
	inUse: number;
	idle?: NodeJS.Timeout;
}

/** The servers of this process: one for each root and command, shared by all sessions. */
export class ServerPool {
	readonly #limits: ServerLimits;
	readonly #entries = new Map<string, Entry>();
	/** Includes those that are starting or leaving. */
	readonly #alive = new Set<LanguageServer>();
	readonly #crashes = new Map<string, { at: number; reason: string }[]>();
	readonly #users = new Set<object>();

	constructor(limits = LIMITS) {
		this.#limits = limits;
		process.on("exit", this.#killAll);
	}

	/**
	 * Lends a server to one piece of work, and starts it if necessary. If it exits during the work, tries once more.
	 */
	async use<R>(launch: ServerLaunch, work: (server: LanguageServer) => Promise<R>, signal?: AbortSignal): Promise<R> {
		try {
			return await this.#once(launch, work, signal);
		} catch (error) {
			if (!(error instanceof ServerGone) || signal?.aborted) throw error;
			return this.#once(launch, work, signal);
		}
	}

	running(): LanguageServer[] {
		return [...this.#entries.values()].map(({ server }) => server);
	}

	/** Ends the servers that match, and resets their crash counts. */
	async close(matches: (launch: ServerLaunch) => boolean): Promise<LanguageServer[]> {
		const closed = [...this.#entries].filter(([, { server }]) => matches(server.launch));
		for (const [key, entry] of closed) {
			this.#forget(key, entry);
			this.#crashes.delete(key);
		}
		await Promise.all(closed.map(([, { server }]) => server.connection.close()));
		return closed.map(([, { server }]) => server);
	}

	join(user: object): void {
		this.#users.add(user);
	}

	/** Ends all servers when the last user leaves. */
	async leave(user: object): Promise<void> {
		if (this.#users.delete(user) && this.#users.size === 0) await this.close(() => true);
	}

	async dispose(): Promise<void> {
		process.off("exit", this.#killAll);
		await this.close(() => true);
	}

	async #once<R>(launch: ServerLaunch, work: (server: LanguageServer) => Promise<R>, signal?: AbortSignal): Promise<R> {
		// Do not lend a server that may run code of the project to a session that may not.
		const { command, root, trusted, definition, rings } = launch;
		const key = JSON.stringify([command, root, trusted, definition.initializationOptions, rings?.key]);
		const entry = this.#entries.get(key) ?? this.#start(key, launch);
		entry.inUse++;
		clearTimeout(entry.idle);
		// The most recently used one is ended last.
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		try {
			// All waiting callers share the start: a caller that gives up does not end it.
			await waitFor(entry.server.ready, { signal });
			return await work(entry.server);
		} finally {
			entry.inUse--;
			if (entry.inUse === 0 && this.#entries.get(key) === entry) this.#closeWhenIdle(key, entry);
		}
	}

	#start(key: string, launch: ServerLaunch): Entry {
		const { rings } = launch;
		this.#refuseAfterCrashes(key, launch);
		this.#makeRoom();
		const entry: Entry = {
			server: new LanguageServer(rings ? launchedInRing(launch) : writingElsewhere(launch), this.#limits),
			inUse: 0,
		};
		const { server } = entry;
		this.#entries.set(key, entry);
		this.#alive.add(server);
		void server.connection.ended.then(() => this.#alive.delete(server));
		void server.connection.over.then((reason) => {
			if (this.#forget(key, entry)) this.#crashes.set(key, [...this.#recentCrashes(key), { at: Date.now(), reason }]);
		});
		return entry;
	}

	/** Ends the least recently used servers. All servers in use stay. */
	#makeRoom(): void {
		const unused = [...this.#entries].filter(([, { inUse }]) => inUse === 0);
		for (const [key, entry] of unused.slice(0, Math.max(0, this.#entries.size - this.#limits.servers + 1))) {
			if (this.#forget(key, entry)) void entry.server.connection.close();
		}
	}

	#refuseAfterCrashes(key: string, { definition }: ServerLaunch): void {
		const crashes = this.#recentCrashes(key);
		if (crashes.length < this.#limits.crashes) return;
		const minutes = Math.round(this.#limits.crashWindowMs / 60_000);
		throw new Error(
			`${definition.name} is not started again: it failed ${crashes.length} times within ${minutes} minutes. ` +
				`The last time ${crashes.at(-1)?.reason}. Fix it, choose another with \`server\`, or work without it.`,
		);
	}

	#recentCrashes(key: string): { at: number; reason: string }[] {
		const since = Date.now() - this.#limits.crashWindowMs;
		return (this.#crashes.get(key) ?? []).filter(({ at }) => at > since);
	}

	#closeWhenIdle(key: string, entry: Entry): void {
		entry.idle = setTimeout(() => {
			if (this.#forget(key, entry)) void entry.server.connection.close();
		}, entry.server.launch.idleMs);
		entry.idle.unref();
	}

	/** Forgets a server. False if it was forgotten already, because it was closed on purpose. */
	#forget(key: string, entry: Entry): boolean {
		clearTimeout(entry.idle);
		return this.#entries.get(key) === entry && this.#entries.delete(key);
	}

	readonly #killAll = (): void => {
		for (const server of this.#alive) server.connection.giveUp("pi ended");
	};
}

const POOL = Symbol.for("pi-geon/lsp/server-pool/1");

/** The pool of this process. pi loads an extension once per session, so a variable of this module is not enough. */
export function sharedPool(): ServerPool {
	const shared = globalThis as { [POOL]?: ServerPool };
	shared[POOL] ??= new ServerPool();
	return shared[POOL];
}
