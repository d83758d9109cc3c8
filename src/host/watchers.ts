import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import type { RunId } from "../run/ids.ts";
import { Asks, type Watcher } from "./asks.ts";
import { type Answer, type OfRun, type Progress, type Question, receive, send, type ToHost } from "./protocol.ts";

/** No watcher needs to hear of progress more often than this. */
const PROGRESS_EVERY_MS = 100;

/** The host's socket: who watches which run, and what they are told. */
export class Watchers {
	readonly #server: Server;
	readonly #watching = new Map<Socket, Watching>();
	readonly #asks = new Asks();
	readonly #pending = new Map<RunId, { latest: (() => Progress) | undefined; timer: NodeJS.Timeout }>();
	readonly #path: string;

	private constructor(server: Server, path: string) {
		this.#server = server;
		this.#path = path;
	}

	static async listen(path: string, onWake: () => void): Promise<Watchers> {
		if (process.platform !== "win32") {
			mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
			rmSync(path, { force: true }); // The path holds our id, so nobody else listens there.
		}
		const server = createServer();
		const watchers = new Watchers(server, path);
		server.on("connection", (socket) => watchers.#connected(socket, onWake));
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		server.once("error", reject).listen(path, resolve);
		await promise;
		if (process.platform !== "win32") chmodSync(path, 0o600);
		return watchers;
	}

	get connections(): number {
		return this.#watching.size;
	}

	/** Tells watchers how a run goes, at most ten times a second. */
	progress(runId: RunId, latest: () => Progress): void {
		if (!this.#isWatched(runId)) return;
		const pending = this.#pending.get(runId);
		if (pending) {
			pending.latest = latest;
			return;
		}
		this.#tell({ type: "progress", runId, progress: latest() });
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
		this.#tell({ type: "ended", runId });
	}

	close(): void {
		for (const { timer } of this.#pending.values()) clearTimeout(timer);
		for (const socket of this.#watching.keys()) socket.end();
		this.#server.close();
		if (process.platform !== "win32") rmSync(this.#path, { force: true });
	}

	#connected(socket: Socket, onWake: () => void): void {
		const watching: Watching = { runs: new Set(), tell: (message) => send(socket, message) };
		this.#watching.set(socket, watching);
		socket.on("close", () => {
			this.#watching.delete(socket);
			this.#asks.left(watching);
		});
		socket.on("error", () => socket.destroy()); // A watcher that died; it will look at the ledger when it is back.
		receive(socket, (message) => {
			const known = asToHost(message);
			if (known?.type === "ping") return watching.tell({ type: "pong" });
			if (known?.type === "watch") {
				watching.runs.add(known.runId);
				this.#asks.joined(watching, known.runId);
			}
			if (known?.type === "answer") this.#asks.answered(watching, known.askId, known.answer);
			if (known?.type === "pass") this.#asks.passed(watching, known.askId);
			onWake();
		});
	}

	#isWatched(runId: RunId): boolean {
		return [...this.#watching.values()].some(({ runs }) => runs.has(runId));
	}

	#tell(message: OfRun): void {
		for (const [socket, { runs, tell }] of this.#watching) {
			// One that does not read, suspended perhaps, gets no more snapshots: the next one it does read is the latest.
			const behind = message.type === "progress" && socket.writableLength > 0;
			if (runs.has(message.runId) && !behind) tell(message);
		}
	}
}

/** A connection, and the runs it watches. */
interface Watching extends Watcher {
	runs: Set<RunId>;
}

const KNOWN: ReadonlySet<unknown> = new Set<ToHost["type"]>(["wake", "ping", "watch", "answer", "pass"]);

function asToHost(message: unknown): ToHost | undefined {
	const type = typeof message === "object" && message !== null && "type" in message ? message.type : undefined;
	return KNOWN.has(type) ? (message as ToHost) : undefined;
}
