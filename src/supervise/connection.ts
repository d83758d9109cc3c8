import { connect, type Socket } from "node:net";
import { type Answer, type FromHost, type Progress, type Question, receive, send } from "../host/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** What a watcher of a run hears. All of it is a hint. */
export interface WatchListener {
	onProgress(progress: Progress): void;
	/** Something happened: look at the ledger. */
	onHint(): void;
	/** An extension of the child's asks the user something. */
	onAsk(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** A connection to a host, shared by all who watch its runs in this process. */
export class HostConnection {
	readonly #socket: Socket;
	readonly #listeners = new Map<RunId, WatchListener>();

	private constructor(socket: Socket) {
		this.#socket = socket;
		receive(socket, (message) => this.#take(message));
		socket.on("close", () => {
			for (const listener of this.#listeners.values()) listener.onHint();
		});
		socket.on("error", () => socket.destroy()); // The host is gone; "close" follows and says so.
	}

	/** Fails when nobody listens there (yet, or any more). */
	static open(path: string): Promise<HostConnection> {
		const { promise, resolve, reject } = Promise.withResolvers<HostConnection>();
		const socket = connect(path);
		socket.once("error", reject);
		socket.once("connect", () => {
			socket.off("error", reject);
			resolve(new HostConnection(socket));
		});
		return promise;
	}

	get isOpen(): boolean {
		return !this.#socket.destroyed && this.#socket.writable;
	}

	get watches(): number {
		return this.#listeners.size;
	}

	watch(runId: RunId, listener: WatchListener): void {
		this.#listeners.set(runId, listener);
		send(this.#socket, { type: "watch", runId });
	}

	unwatch(runId: RunId): void {
		this.#listeners.delete(runId);
	}

	wake(): void {
		send(this.#socket, { type: "wake" });
	}

	close(): void {
		this.#socket.destroy();
	}

	#take(message: unknown): void {
		const known = message as FromHost;
		const listener = this.#listeners.get(known.runId);
		if (known.type === "progress") listener?.onProgress(known.progress);
		if (known.type === "started" || known.type === "ended") listener?.onHint();
		if (known.type === "ask") void this.#ask(known, listener);
	}

	async #ask({ runId, askId, question }: Extract<FromHost, { type: "ask" }>, listener: WatchListener | undefined) {
		const gone = new AbortController();
		this.#socket.once("close", () => gone.abort());
		const answer = await listener?.onAsk(question, gone.signal);
		send(this.#socket, { type: "answer", runId, askId, answer });
	}
}
