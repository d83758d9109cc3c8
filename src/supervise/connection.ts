import { connect, type Socket } from "node:net";
import { type FromHost, type Progress, receive, send } from "../host/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** What a watcher of a run hears. All of it is a hint. */
export interface WatchListener {
	onProgress(progress: Progress): void;
	/** Something happened: look at the ledger. */
	onHint(): void;
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
		const { type, runId, progress } = message as FromHost & { progress?: Progress };
		const listener = this.#listeners.get(runId);
		if (type === "progress" && progress) listener?.onProgress(progress);
		if (type === "ended") listener?.onHint();
	}
}
