import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { prepareSocketFolder } from "../ledger/places.ts";
import type { RunId } from "../run/ids.ts";
import { Asks, type Watcher } from "./asks.ts";
import { type Answer, asToHost, type OfRun, type Progress, type Question, receive, send } from "./protocol.ts";

/** No watcher needs to hear of progress more often than this. */
const PROGRESS_EVERY_MS = 100;

export interface SocketListener {
	onWake: () => void;
	/** Something went wrong with the socket while it was open. Who watches has the ledger. */
	onTrouble: (error: Error) => void;
}

/** The host's socket: who watches which run, and what they are told. */
export class Watchers {
	#server: Server | undefined;
	#listening: Promise<void> | undefined;
	readonly #watching = new Map<Socket, Watching>();
	readonly #asks = new Asks();
	/** How to make the latest snapshot of each run at work, for those who come late. */
	readonly #latest = new Map<RunId, () => Progress>();
	readonly #pending = new Map<RunId, { latest: (() => Progress) | undefined; timer: NodeJS.Timeout }>();
	readonly #path: string;
	readonly #listener: SocketListener;

	private constructor(path: string, listener: SocketListener) {
		this.#path = path;
		this.#listener = listener;
	}

	static async listen(path: string, listener: SocketListener): Promise<Watchers> {
		const watchers = new Watchers(path, listener);
		await watchers.#listen();
		return watchers;
	}

	/** Somebody removed the socket's file, a cleaner of temporary files perhaps: nobody new could find us. */
	listenAgainIfLost(): void {
		if (process.platform === "win32" || this.#listening || existsSync(this.#path)) return;
		// Who is connected stays connected.
		this.#server?.close();
		this.#listening = this.#listen()
			.catch(this.#listener.onTrouble)
			.finally(() => {
				this.#listening = undefined;
			});
	}

	async #listen(): Promise<void> {
		if (process.platform !== "win32") {
			prepareSocketFolder(this.#path);
			rmSync(this.#path, { force: true }); // The path holds our id, so nobody else listens there.
		}
		const server = createServer((socket) => this.#connected(socket));
		this.#server = server;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		server.once("error", reject).listen(this.#path, resolve);
		await promise;
		server.on("error", this.#listener.onTrouble);
		if (process.platform !== "win32") chmodSync(this.#path, 0o600);
	}

	get connections(): number {
		return this.#watching.size;
	}

	/** Tells watchers how a run goes, at most ten times a second. */
	progress(runId: RunId, latest: () => Progress): void {
		this.#latest.set(runId, latest);
		if (!this.#isFollowed(runId)) return;
		const pending = this.#pending.get(runId);
		if (pending) {
			pending.latest = latest;
			return;
		}
		this.#tell({ type: "progress", runId, progress: latest() });
		this.#pause(runId);
	}

	/** What comes next of this run is held back for a while. */
	#pause(runId: RunId): void {
		if (this.#pending.has(runId)) return;
		const timer = setTimeout(() => {
			const held = this.#pending.get(runId)?.latest;
			this.#pending.delete(runId);
			if (held) this.progress(runId, held);
		}, PROGRESS_EVERY_MS);
		this.#pending.set(runId, { latest: undefined, timer });
	}

	/** Puts a question of a child before those who watch its run. */
	ask(runId: RunId, question: Question, terms: { patienceMs: number; signal: AbortSignal }): Promise<Answer> {
		const watchers = [...this.#watching.values()].filter(({ runs }) => runs.has(runId));
		return this.#asks.ask(runId, question, { ...terms, watchers });
	}

	started(runId: RunId): void {
		this.#tell({ type: "started", runId });
	}

	ended(runId: RunId): void {
		clearTimeout(this.#pending.get(runId)?.timer);
		this.#pending.delete(runId);
		this.#latest.delete(runId);
		this.#tell({ type: "ended", runId });
	}

	close(): void {
		for (const { timer } of this.#pending.values()) clearTimeout(timer);
		for (const socket of this.#watching.keys()) socket.end();
		this.#server?.close();
		this.#server = undefined;
		if (process.platform !== "win32") rmSync(this.#path, { force: true });
	}

	#connected(socket: Socket): void {
		const watching: Watching = { runs: new Map(), tell: (message) => send(socket, message) };
		this.#watching.set(socket, watching);
		socket.on("close", () => {
			this.#watching.delete(socket);
			this.#asks.left(watching);
		});
		socket.on("error", () => socket.destroy()); // A watcher that died; it will look at the ledger when it is back.
		receive(socket, (message) => {
			const known = asToHost(message);
			if (!known) return;
			if (known.type === "ping") return watching.tell({ type: "pong" });
			if (known.type === "watch") {
				watching.runs.set(known.runId, { quiet: known.quiet === true });
				const latest = known.quiet ? undefined : this.#latest.get(known.runId);
				if (latest) {
					send(socket, { type: "progress", runId: known.runId, progress: latest() });
					this.#pause(known.runId);
				}
				this.#asks.joined(watching, known.runId);
			}
			if (known.type === "answer") this.#asks.answered(watching, known.askId, known.answer);
			if (known.type === "pass") this.#asks.passed(watching, known.askId);
			this.#listener.onWake();
		});
	}

	#isFollowed(runId: RunId): boolean {
		for (const { runs } of this.#watching.values()) if (runs.get(runId)?.quiet === false) return true;
		return false;
	}

	#tell(message: OfRun): void {
		for (const [socket, { runs, tell }] of this.#watching) {
			const watched = runs.get(message.runId);
			if (!watched) continue;
			// One that does not read, suspended perhaps, gets no more snapshots: the next one it does read is the latest.
			const behind = socket.writableLength > 0;
			if (message.type !== "progress" || !(watched.quiet || behind)) tell(message);
		}
	}
}

/** A connection, and the runs it watches. */
interface Watching extends Watcher {
	runs: Map<RunId, { quiet: boolean }>;
}
