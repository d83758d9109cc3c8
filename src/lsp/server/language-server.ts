import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
	CancellationTokenSource,
	ConnectionError,
	createMessageConnection,
	type MessageConnection,
	ResponseError,
} from "vscode-jsonrpc";
import type { InitializeResult, PublishDiagnosticsParams, ServerCapabilities } from "vscode-languageserver-protocol";
import { type Encoding, encodingOf } from "../positions.ts";
import { CLIENT_CAPABILITIES } from "./client-capabilities.ts";
import type { ServerDefinition } from "./definition.ts";
import { Documents } from "./documents.ts";
import { FloodMeter } from "./flood-meter.ts";
import type { ServerLimits } from "./limits.ts";
import { BoundedReader, FramedWriter } from "./message-stream.ts";
import { waitFor } from "./patience.ts";
import { PublishedDiagnostics } from "./published-diagnostics.ts";
import { ServerProcess } from "./server-process.ts";
import { WatchedFiles } from "./watched-files.ts";

/** What to start, and where. */
export interface Launch {
	definition: ServerDefinition;
	/** The definition's command with the program that was found for it. */
	command: readonly string[];
	root: string;
	env: NodeJS.ProcessEnv;
	idleMs: number;
}

/** The server ended while it was needed. */
export class ServerGone extends Error {
	override name = "ServerGone";
}

const CONTENT_MODIFIED = -32801;
const METHOD_NOT_FOUND = -32601;

/** A running server: asks it, and keeps it informed of the files it was told about. */
export class LanguageServer {
	readonly launch: Launch;
	readonly limits: ServerLimits;
	readonly startedAt = Date.now();
	readonly documents: Documents;
	readonly diagnostics: PublishedDiagnostics;
	/** When it can be asked. */
	readonly ready: Promise<void>;
	/** Why it ended. Never fails. */
	readonly ended: Promise<string>;
	capabilities: ServerCapabilities = {};
	readonly #process: ServerProcess;
	readonly #connection: MessageConnection;
	readonly #watched: WatchedFiles;
	readonly #gone: Promise<never>;
	/** The first cause, where we ended it ourselves. */
	#verdict: string | undefined;
	#isOver = false;
	readonly #reader: BoundedReader;

	constructor(launch: Launch, limits: ServerLimits) {
		this.launch = launch;
		this.limits = limits;
		const meter = new FloodMeter(limits);
		this.#process = new ServerProcess(launch.command, {
			cwd: launch.root,
			env: launch.env,
			onStderr: (bytes) => this.#guard(() => meter.count({ bytes })),
		});
		this.ended = this.#process.ended.then((reason) => {
			this.#isOver = true;
			return this.#verdict ?? reason;
		});
		this.#gone = this.ended.then((reason) => {
			const remedy = `Check that \`${launch.command.join(" ")}\` works, or install it anew: ${launch.definition.install}.`;
			throw new ServerGone(`${this.name} failed: ${reason}. ${remedy}`);
		});
		this.#gone.catch(() => {}); // Said to those who wait for an answer; it is no failure when nobody does.
		this.#reader = new BoundedReader(this.#process.stdout, { meter, largest: limits.messageBytes });
		this.#reader.onError((error) => this.#end(error.message));
		this.#connection = createMessageConnection(this.#reader, new FramedWriter(this.#process.stdin), silent);
		this.diagnostics = new PublishedDiagnostics(limits);
		const notify = (method: string, params: object) => this.notify(method, params);
		this.documents = new Documents({ notify, languages: launch.definition.languages, diagnostics: this.diagnostics });
		this.#watched = new WatchedFiles(launch, notify);
		this.#answerServer();
		this.#connection.listen();
		this.ready = this.#initialize();
		this.ready.catch(() => this.kill());
	}

	get name(): string {
		return this.launch.definition.name;
	}

	get pid(): number | undefined {
		return this.#process.pid;
	}

	get isOver(): boolean {
		return this.#isOver;
	}

	get encoding(): Encoding {
		return encodingOf(this.capabilities.positionEncoding);
	}

	/** Tells the server what has changed on disk since it was last asked. */
	async refresh(): Promise<void> {
		this.documents.refresh();
		if (await this.#watched.report()) this.diagnostics.somethingChanged();
	}

	/** Nothing where the server does not know the method. */
	async request<R>(method: string, params: object, signal?: AbortSignal): Promise<R | undefined> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#ask<R>(method, params, { ms: this.limits.requestMs, signal });
			} catch (error) {
				if (error instanceof ResponseError && error.code === METHOD_NOT_FOUND) return undefined;
				// The server noticed a change meanwhile, and wants to be asked again.
				const again = error instanceof ResponseError && error.code === CONTENT_MODIFIED && attempt < 5;
				if (!again) throw error instanceof ResponseError ? new Error(`${this.name}: ${error.message}`) : error;
			}
		}
	}

	notify(method: string, params: object): void {
		try {
			void this.#connection.sendNotification(method, params);
		} catch (error) {
			if (!(error instanceof ConnectionError)) throw error; // The next request tells that it is gone.
		}
	}

	/** Asks it to leave, and ends it if it does not. */
	async close(): Promise<void> {
		this.#verdict ??= "it was closed";
		const ms = this.limits.leaveMs;
		const late = () => new Error("It did not leave.");
		try {
			await waitFor(this.#connection.sendRequest("shutdown"), { ms, late, gone: this.#gone });
			void this.#connection.sendNotification("exit"); // Without parameters: TypeScript 7 takes no others.
			await waitFor(this.ended, { ms, late });
		} catch {
			// Whatever keeps it from leaving, it is ended next.
		}
		this.kill();
		await this.ended;
	}

	kill(): void {
		this.#process.kill();
	}

	async #initialize(): Promise<void> {
		const { root, definition } = this.launch;
		const rootUri = pathToFileURL(root).href;
		const params = {
			processId: process.pid,
			clientInfo: { name: "pi-geon" },
			rootUri,
			workspaceFolders: [{ uri: rootUri, name: basename(root) }],
			capabilities: CLIENT_CAPABILITIES,
			...(definition.initializationOptions && { initializationOptions: definition.initializationOptions }),
		};
		const result = await this.#ask<InitializeResult>("initialize", params, { ms: this.limits.initializeMs });
		this.capabilities = result.capabilities;
		await this.#watched.report(); // What is there now is no change.
		this.notify("initialized", {});
	}

	async #ask<R>(
		method: string,
		params: object,
		{ ms, signal }: { ms: number; signal?: AbortSignal | undefined },
	): Promise<R> {
		const cancellation = new CancellationTokenSource();
		const heardBefore = this.#reader.received;
		const late = () => {
			const isBusy = this.#reader.received > heardBefore;
			// A server that says nothing at all hangs: the next call gets a new one.
			if (!isBusy) this.#end(`it did not react to ${method} within ${ms / 1000} s`);
			const advice = isBusy
				? "It is at work, maybe still reading the project: try again later"
				: "It was ended; the next call starts it anew";
			return new Error(`${this.name} did not answer ${method} within ${ms / 1000} s. ${advice}.`);
		};
		try {
			return await waitFor(this.#connection.sendRequest<R>(method, params, cancellation.token), {
				ms,
				late,
				signal,
				gone: this.#gone,
			});
		} catch (error) {
			if (error instanceof ConnectionError) return await this.#gone; // Its pipe closes before it has ended.
			if (!this.#isOver) cancellation.cancel();
			throw error;
		} finally {
			cancellation.dispose();
		}
	}

	#answerServer(): void {
		this.#connection.onNotification((method, params) => {
			if (method === "textDocument/publishDiagnostics")
				this.diagnostics.take(params as unknown as PublishDiagnosticsParams);
		});
		this.#connection.onRequest((method, params) => {
			if (method === "workspace/configuration") return (params as unknown as { items: object[] }).items.map(() => null);
			if (method === "workspace/applyEdit")
				return { applied: false, failureReason: "Servers may not edit files here." };
			if (method === "workspace/workspaceFolders")
				return [{ uri: pathToFileURL(this.launch.root).href, name: basename(this.launch.root) }];
			return null; // Progress, registrations, questions to a user: all is well, and nobody answers.
		});
		this.#connection.onError(() => {}); // The process and the reader tell it better.
	}

	#guard(check: () => void): void {
		try {
			check();
		} catch (error) {
			this.#end(error instanceof Error ? error.message : String(error));
		}
	}

	#end(verdict: string): void {
		this.#verdict ??= verdict;
		this.kill();
	}
}

/** What the library would print of a server's mistakes does not belong on pi's screen. */
const silent = { error() {}, warn() {}, info() {}, log() {} };
