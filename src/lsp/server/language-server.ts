import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { InitializeResult, PublishDiagnosticsParams, ServerCapabilities } from "vscode-languageserver-protocol";
import { messageOf } from "../../run/message-of.ts";
import { type Encoding, encodingOf } from "../positions.ts";
import { CLIENT_CAPABILITIES } from "./client-capabilities.ts";
import { optionsOf } from "./definition.ts";
import { Documents } from "./documents.ts";
import type { ServerLaunch } from "./launch.ts";
import type { ServerLimits } from "./limits.ts";
import { PublishedDiagnostics } from "./published-diagnostics.ts";
import { ServerConnection, ServerGone } from "./server-connection.ts";
import { ServerProgress } from "./server-progress.ts";
import { WatchedFiles } from "./watched-files.ts";

/** A running server, and the state of the files that it knows. */
export class LanguageServer {
	readonly launch: ServerLaunch;
	readonly startedAt = Date.now();
	readonly connection: ServerConnection;
	readonly documents: Documents;
	readonly diagnostics: PublishedDiagnostics;
	readonly progress = new ServerProgress();
	readonly limits: ServerLimits;
	/** True until it has shown that it knows the project. */
	isFresh = true;
	/** Resolves when it can be asked. */
	readonly ready: Promise<void>;
	capabilities: ServerCapabilities = {};
	readonly #watched: WatchedFiles;

	constructor(launch: ServerLaunch, limits: ServerLimits) {
		this.launch = launch;
		this.limits = limits;
		this.connection = new ServerConnection(launch, limits, {
			onNotification: (method, params) => {
				if (method === "textDocument/publishDiagnostics") this.diagnostics.take(params as PublishDiagnosticsParams);
				this.progress.take(method, params);
			},
			onRequest: (method, params) => this.#answer(method, params),
		});
		const notify = (method: string, params: object) => this.connection.notify(method, params);
		this.diagnostics = new PublishedDiagnostics(limits);
		this.documents = new Documents({ notify, languages: launch.definition.languages, diagnostics: this.diagnostics });
		this.#watched = new WatchedFiles(launch, notify);
		this.ready = this.#initialize(limits.initializeMs);
	}

	get name(): string {
		return this.launch.definition.name;
	}

	get encoding(): Encoding {
		return encodingOf(this.capabilities.positionEncoding);
	}

	/** Tells the server about changes on disk since the last request. */
	async refresh(): Promise<void> {
		this.documents.refresh();
		if (await this.#watched.report()) this.diagnostics.somethingChanged();
	}

	/** Undefined if the server does not know the method. */
	request<R>(method: string, params: object, signal?: AbortSignal): Promise<R | undefined> {
		return this.connection.request<R>(method, params, signal);
	}

	async #initialize(ms: number): Promise<void> {
		const params = {
			// No process in a ring has our pid: a server would assume that we are dead, and exit.
			processId: this.launch.rings ? null : process.pid,
			clientInfo: { name: "pi-geon" },
			rootUri: this.#folder.uri,
			workspaceFolders: [this.#folder],
			capabilities: CLIENT_CAPABILITIES,
			initializationOptions: optionsOf(this.launch.definition),
		};
		try {
			const { capabilities } = await this.connection.ask<InitializeResult>("initialize", params, { ms });
			this.capabilities = capabilities;
			await this.#watched.report(); // The initial state is not a change.
			this.connection.notify("initialized", {});
		} catch (error) {
			const reason = messageOf(error);
			this.connection.giveUp(`it did not start: ${reason}`);
			throw error instanceof ServerGone ? error : new Error(`${this.name} did not start: ${reason}`);
		}
	}

	get #folder(): { uri: string; name: string } {
		return { uri: pathToFileURL(this.launch.root).href, name: basename(this.launch.root) };
	}

	#answer(method: string, params: unknown): unknown {
		if (method === "workspace/configuration") {
			const { settings } = this.launch.definition;
			return (params as { items: { section?: string }[] }).items.map(({ section = "" }) => settings?.[section] ?? null);
		}
		if (method === "workspace/applyEdit") return { applied: false, failureReason: "Servers may not edit files here." };
		if (method === "workspace/workspaceFolders") return [this.#folder];
		if (method === "window/workDoneProgress/create") {
			this.progress.announced((params as { token: string | number }).token);
		}
		return null; // Accepts registrations. Chooses nothing if the server asks the user.
	}
}
