import { rmSync } from "node:fs";
import { outcomeWithoutHost } from "../collect/outcome.ts";
import { endLeftovers } from "../host/leftovers.ts";
import { processStart } from "../host/process-start.ts";
import type { Progress } from "../host/protocol.ts";
import { adoptRun } from "../ledger/adopt.ts";
import { queuePosition } from "../ledger/claim.ts";
import { findHost, findOrReserveHost, type HostRecord, hostGone } from "../ledger/hosts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { type OpenRun, openRunsOf } from "../ledger/open-runs.ts";
import type { Places } from "../ledger/places.ts";
import { endRun, requestStop } from "../ledger/progress.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { waitsForSession } from "../ledger/sessions.ts";
import { sweep } from "../ledger/sweep.ts";
import type { HostId, RunId } from "../run/ids.ts";
import type { EndedRun } from "../run/run.ts";
import { type AskUser, NOBODY } from "./ask.ts";
import { HostConnection } from "./connection.ts";
import { hint } from "./hint.ts";
import type { HostProfile } from "./profile.ts";
import { startHost } from "./start-host.ts";

/** How long a host may take from its start to its first word. */
const START_WITHIN_MS = 20_000;
const START_ATTEMPTS = 2;
/** How often a watcher looks at the ledger when nobody gives it a hint. */
const LOOK_EVERY_MS = 500;
/** The same while its host is starting, which takes a third of a second: it is asked for again until it answers. */
const LOOK_EVERY_MS_AT_START = 20;

/** Why a run has not started yet. */
export interface Waiting {
	/** How many are served before it. */
	position: number;
	/** An earlier run of the same child session is still at work. */
	sessionBusy: boolean;
}

export type EndedRecord = RunRecord & { run: EndedRun };

export interface WatchOptions {
	signal?: AbortSignal | undefined;
	onProgress?: (progress: Progress) => void;
	onQueued?: (waiting: Waiting) => void;
	/** The run as it is, at each look. */
	onSeen?: (record: RunRecord) => void;
	onAsk?: AskUser;
}

export interface TendOptions {
	/** Runs that somebody waits for. */
	except: ReadonlySet<RunId>;
	onHint: () => void;
	onAsk?: AskUser;
}

/** The parent's side: sees to it that the runs it admitted find a host, and waits for them to end. */
export class Supervisor {
	readonly #ledger: Ledger;
	readonly #places: Places;
	readonly #profile: HostProfile;
	readonly #connections = new Map<HostId, HostConnection>();
	/** Those being made: runs that start together share one. */
	readonly #connecting = new Map<HostId, Promise<HostConnection | undefined>>();
	readonly #failures: string[] = [];
	/** Runs seen to without anybody waiting, and where. */
	readonly #tended = new Map<RunId, { connection: HostConnection; unwatch: () => void }>();
	/** Hosts that were starting when we last looked. */
	readonly #starting = new Set<HostId>();

	constructor(ledger: Ledger, places: Places, profile: HostProfile) {
		this.#ledger = ledger;
		this.#places = places;
		this.#profile = profile;
	}

	/** Waits until the run has ended, whoever works on it and however often that changes. */
	async watch(id: RunId, options: WatchOptions = {}): Promise<EndedRecord> {
		const ended = await this.watchUntil(id, new AbortController().signal, options);
		if (!ended) throw new Error(`Nobody waits for run ${id} any more.`);
		return ended;
	}

	/** The same for somebody whose patience may end first: undefined then. The run goes on. */
	async watchUntil(id: RunId, leave: AbortSignal, options: WatchOptions = {}): Promise<EndedRecord | undefined> {
		const { signal } = options;
		const hints = hint();
		let stopWanted = false;
		const onAbort = () => {
			stopWanted = true;
			hints.give();
		};
		if (signal?.aborted) onAbort();
		signal?.addEventListener("abort", onAbort, { once: true });
		leave.addEventListener("abort", hints.give, { once: true });
		let watched: HostConnection | undefined;
		let unwatch = () => {};
		let position: number | undefined;
		try {
			for (;;) {
				if (stopWanted) {
					// Here and not where the signal fires: what goes wrong there would be nobody's to catch.
					requestStop(this.#ledger, id, { at: Date.now(), by: "the parent" });
					stopWanted = false;
					this.wake();
				}
				this.#recover();
				const record = findRun(this.#ledger, id);
				if (!record) throw new Error(`Run ${id} is not in the ledger any more.`);
				options.onSeen?.(record);
				if (record.run.state === "ended") return { ...record, run: record.run };
				if (leave.aborted) return undefined;
				const newPosition = queuePosition(this.#ledger, id);
				if (newPosition !== undefined && newPosition !== position) {
					options.onQueued?.({ position: newPosition, sessionBusy: waitsForSession(this.#ledger, id) });
				}
				position = newPosition;

				const connection = await this.#connectionFor(openRun(record));
				if (connection && connection !== watched) {
					unwatch();
					unwatch = connection.watch(id, {
						onProgress: (progress) => options.onProgress?.(progress),
						onHint: hints.give,
						onAsk: async (question, gone) => (options.onAsk ? options.onAsk(id, question, gone) : NOBODY),
					});
					watched = connection;
				} else if (newPosition !== undefined) {
					// A place in the lane may have become free in a host that knows nothing of ours.
					connection?.wake();
				}
				await hints.next(this.#starting.size > 0 && !connection ? LOOK_EVERY_MS_AT_START : LOOK_EVERY_MS);
			}
		} finally {
			signal?.removeEventListener("abort", onAbort);
			leave.removeEventListener("abort", hints.give);
			unwatch();
			this.#closeUnused();
		}
	}

	/**
	 * Sees to the runs of a session that nobody waits for: that each has a host, and that `onHint` is called when one has
	 * started or ended. To be called again and again while there are any; answers which there are.
	 */
	async tend(parentSession: string, options: TendOptions): Promise<OpenRun[]> {
		this.#recover();
		const open = openRunsOf(this.#ledger, parentSession).filter(({ id }) => !options.except.has(id));
		const waitedFor = new Set<HostConnection>();
		for (const run of open) {
			const connection = await this.#connectionFor(run);
			const tended = this.#tended.get(run.id);
			if (connection && run.state === "queued") waitedFor.add(connection);
			if (!connection || tended?.connection === connection) continue;
			tended?.unwatch();
			const unwatch = connection.watch(run.id, {
				onProgress: () => {},
				onHint: options.onHint,
				onAsk: async (question, gone) => (options.onAsk ? options.onAsk(run.id, question, gone) : NOBODY),
			});
			this.#tended.set(run.id, { connection, unwatch });
		}
		// A place in the lane may have become free in a host that knows nothing of ours.
		for (const connection of waitedFor) connection.wake();
		const stillOpen = new Set(open.map(({ id }) => id));
		for (const [id, { unwatch }] of this.#tended) {
			if (stillOpen.has(id)) continue;
			unwatch();
			this.#tended.delete(id);
		}
		this.#closeUnused();
		return open;
	}

	/** Starts the host that the first run will need, so that it need not wait for it. */
	prepare(): void {
		const { host, startIt } = this.#reserve();
		if (startIt) this.#start(host);
	}

	/** Hosts look at the ledger at once, instead of at their next heartbeat. */
	wake(): void {
		for (const connection of this.#connections.values()) connection.wake();
	}

	/** Puts right what dead hosts left behind, here as in any other process that looks. */
	#recover(): void {
		const { ended } = sweep(this.#ledger, { at: Date.now(), outcomeOf: outcomeWithoutHost });
		for (const { sessionId, plan } of ended) endLeftovers({ id: sessionId, tools: plan.tools });
	}

	/** Lets go of all sockets. Runs go on without us. */
	dispose(): void {
		for (const connection of this.#connections.values()) connection.close();
		this.#connections.clear();
	}

	/** The host that works on the run, or that should; undefined if there is none to talk to just now. */
	async #connectionFor(run: OpenRun): Promise<HostConnection | undefined> {
		const host = run.hostId === undefined ? this.#hostFor(run.profile, run.id) : findHost(this.#ledger, run.hostId);
		if (!host) return undefined;
		if (host.state === "starting") this.#starting.add(host.id);
		else this.#starting.delete(host.id);
		const known = this.#connections.get(host.id);
		if (known?.isOpen) return known;
		const connecting = this.#connecting.get(host.id) ?? this.#connect(host);
		this.#connecting.set(host.id, connecting);
		return connecting;
	}

	async #connect(host: HostRecord): Promise<HostConnection | undefined> {
		try {
			const connection = await HostConnection.open(host.socket);
			this.#connections.set(host.id, connection);
			return connection;
		} catch (error) {
			if (!(error instanceof Error && "code" in error)) throw error;
			// Not listening: still starting, or dead. If dead, its leases need not be waited out.
			this.#buryIfDead(host);
			return undefined;
		} finally {
			this.#connecting.delete(host.id);
		}
	}

	#hostFor(profile: string, runId: RunId): HostRecord | undefined {
		// A run that another pi admitted under another profile finds its host there, unless nobody keeps one any more.
		const ours = profile === this.#profile.digest || this.#adopt(runId, profile);
		if (!ours) return undefined;
		if (this.#failures.length >= START_ATTEMPTS) return this.#giveUp(runId);
		const { host, startIt } = this.#reserve();
		if (startIt) this.#start(host);
		return host;
	}

	#reserve(): { host: HostRecord; startIt: boolean } {
		return findOrReserveHost(this.#ledger, {
			profile: this.#profile.digest,
			at: Date.now(),
			startWithinMs: START_WITHIN_MS,
			socketOf: this.#places.socket,
		});
	}

	#adopt(id: RunId, from: string): boolean {
		return adoptRun(this.#ledger, { id, from, to: this.#profile.digest, at: Date.now() });
	}

	#start(host: HostRecord): void {
		startHost(host, {
			profile: this.#profile,
			places: this.#places,
			withinMs: START_WITHIN_MS,
			isReady: () => findHost(this.#ledger, host.id)?.pid !== undefined,
			onExit: (reason) => {
				const now = findHost(this.#ledger, host.id);
				// One that was ready once has said its pid. Others may have given up on it meanwhile, or removed it.
				if (now?.pid === undefined) this.#failures.push(reason);
				if (now && now.state !== "gone") this.#bury(now);
			},
		});
	}

	#giveUp(runId: RunId): undefined {
		const record = findRun(this.#ledger, runId);
		const message = `The host process could not be started: ${this.#failures.splice(0).at(-1)}`;
		if (record?.run.state !== "queued") return undefined;
		const error = { code: "SUBAGENT_FAILED", message, reason: "spawn" } as const;
		const outcome = outcomeWithoutHost(record, { kind: "refused", error });
		endRun(this.#ledger, { id: runId, fence: record.run.fence, outcome, at: Date.now() });
		return undefined;
	}

	#buryIfDead(host: HostRecord): void {
		if (host.pid === undefined) return;
		const started = processStart(host.pid);
		const alive = host.pidStarted ? started === host.pidStarted : isAlive(host.pid);
		if (!alive) this.#bury(host);
	}

	#bury(host: HostRecord): void {
		hostGone(this.#ledger, host.id, Date.now());
		if (process.platform !== "win32") rmSync(host.socket, { force: true });
	}

	/** A connection keeps its host alive, so none is kept without need. */
	#closeUnused(): void {
		for (const [id, connection] of this.#connections) {
			if (connection.watches > 0) continue;
			connection.close();
			this.#connections.delete(id);
		}
	}
}

function openRun({ run, profile }: RunRecord): OpenRun {
	if (run.state === "ended") throw new Error(`Run ${run.id} has ended.`);
	const { id, state } = run;
	return run.state === "running" ? { id, state, profile, hostId: run.hostId } : { id, state, profile };
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
