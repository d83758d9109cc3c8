import {
	CancellationTokenSource,
	ConnectionError,
	createMessageConnection,
	type MessageConnection,
	ResponseError,
} from "vscode-jsonrpc";
import { FloodMeter } from "./flood-meter.ts";
import type { ServerLaunch } from "./launch.ts";
import type { ServerLimits } from "./limits.ts";
import { BoundedReader, FramedWriter, SILENT } from "./message-stream.ts";
import { waitFor } from "./patience.ts";
import { ServerProcess } from "./server-process.ts";

/** The server exited while it was needed. */
export class ServerGone extends Error {
	override name = "ServerGone";
}

const CONTENT_MODIFIED = -32801;
const METHOD_NOT_FOUND = -32601;
const MOST_REQUESTS = 5;

export interface ServerTalk {
	onNotification(method: string, params: unknown): void;
	onRequest(method: string, params: unknown): unknown;
}

/** A server process and the conversation with it. Neither side can make the other wait forever. */
export class ServerConnection {
	/** Why it can no longer be asked: it exited, or we gave up on it. The first cause counts. Never rejects. */
	readonly over: Promise<string>;
	/** Resolves when no process is left. Never rejects. */
	readonly ended: Promise<void>;
	readonly #launch: ServerLaunch;
	readonly #limits: ServerLimits;
	readonly #process: ServerProcess;
	readonly #reader: BoundedReader;
	readonly #connection: MessageConnection;
	readonly #gone: Promise<never>;
	readonly #declareOver: (reason: string) => void;

	constructor(launch: ServerLaunch, limits: ServerLimits, talk: ServerTalk) {
		this.#launch = launch;
		this.#limits = limits;
		const { promise, resolve } = Promise.withResolvers<string>();
		this.over = promise;
		this.#declareOver = resolve;
		this.#gone = promise.then((reason) => {
			const remedy = `Check that \`${launch.command.join(" ")}\` works, or install it again: ${launch.definition.install}.`;
			throw new ServerGone(`${this.#name} failed: ${reason}. ${remedy}`);
		});
		this.#gone.catch(() => {}); // Callers that wait for an answer see the error. Without a caller, it is not a failure.

		const meter = new FloodMeter(limits, (excess) => this.giveUp(excess));
		this.#process = new ServerProcess(launch.command, {
			cwd: launch.cwd,
			env: launch.env,
			onStderr: (bytes) => meter.count({ bytes }),
		});
		this.#reader = new BoundedReader(this.#process.stdout, { meter, largest: limits.messageBytes });
		this.#reader.onError((error) => this.giveUp(error.message));
		this.#connection = createMessageConnection(this.#reader, new FramedWriter(this.#process.stdin), SILENT);
		this.#connection.onNotification(talk.onNotification);
		// The library handles this one itself, and passes it only to listeners of a certain token.
		this.#connection.onUnhandledProgress((params) => talk.onNotification("$/progress", params));
		this.#connection.onRequest(talk.onRequest);
		this.#connection.onError(() => {}); // The process and the reader report it better.
		this.#connection.listen();
		this.ended = this.#process.ended.then(resolve);
	}

	get pid(): number | undefined {
		return this.#process.pid;
	}

	/** Undefined if the server does not know the method. */
	async request<R>(method: string, params: object, signal?: AbortSignal): Promise<R | undefined> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.ask<R>(method, params, { ms: this.#limits.requestMs, signal });
			} catch (error) {
				if (!(error instanceof ResponseError)) throw error;
				if (error.code === METHOD_NOT_FOUND) return undefined;
				// The server noticed a change while it worked, and asks to repeat the request.
				if (error.code === CONTENT_MODIFIED && attempt < MOST_REQUESTS) continue;
				throw new Error(`${this.#name}: ${error.message}`);
			}
		}
	}

	async ask<R>(
		method: string,
		params: object,
		{ ms, signal }: { ms: number; signal?: AbortSignal | undefined },
	): Promise<R> {
		const cancellation = new CancellationTokenSource();
		const receivedBefore = this.#reader.received;
		const late = () => {
			const silence = `${this.#name} did not answer ${method} within ${ms / 1000} s.`;
			if (this.#reader.received > receivedBefore) {
				return new Error(`${silence} It is busy, maybe still reading the project: try again later.`);
			}
			this.giveUp(`it did not react to ${method} within ${ms / 1000} s`);
			return new Error(`${silence} It was ended; the next call starts it again.`);
		};
		try {
			const answer = this.#connection.sendRequest<R>(method, params, cancellation.token);
			return await waitFor(answer, { ms, late, signal, gone: this.#gone });
		} catch (error) {
			if (error instanceof ConnectionError) return await this.#gone; // Its pipe closes before the process has exited.
			if (!(error instanceof ResponseError || error instanceof ServerGone)) cancellation.cancel();
			throw error;
		} finally {
			cancellation.dispose();
		}
	}

	notify(method: string, params: object): void {
		try {
			void this.#connection.sendNotification(method, params);
		} catch (error) {
			if (!(error instanceof ConnectionError)) throw error; // Callers that wait for an answer get the error.
		}
	}

	/** Asks the server to exit, and kills it if it does not. */
	async close(): Promise<void> {
		const ms = this.#limits.leaveMs;
		const late = () => new Error("It did not leave.");
		try {
			await waitFor(this.#connection.sendRequest("shutdown"), { ms, late, gone: this.#gone });
			// Without parameters: TypeScript 7 does not understand it otherwise.
			await this.#connection.sendNotification("exit");
			await waitFor(this.ended, { ms, late });
		} catch {
			// If anything keeps it from leaving, it is killed next.
		}
		this.giveUp("it was closed");
		await this.ended;
	}

	/** Kills the server immediately. */
	giveUp(reason: string): void {
		this.#declareOver(reason);
		this.#process.kill();
	}

	get #name(): string {
		return this.#launch.definition.name;
	}
}
