import { type ModelRequest, type ModelServer, serveModel, type Wire } from "../../demo/offline-model.ts";
import type { RecordedRequest, ScriptedRequest } from "./model-request.ts";
import { play, type Reply } from "./model-steps.ts";
import { PATIENCE_MS } from "./patience.ts";

export type Script = (request: ScriptedRequest) => Reply | Promise<Reply>;

interface ModelOptions {
	/** Default: a request that declares no `subagent` tool comes from a child (or is a compaction). */
	readonly isChild?: (request: ModelRequest) => boolean;
}

export async function startModel(script: Script, options: ModelOptions = {}): Promise<ScriptedModel> {
	const model = new ScriptedModel(script, options);
	await model.listen();
	return model;
}

/** Plays the models of parent and children for a real pi, and remembers all requests. */
export class ScriptedModel {
	readonly requests: RecordedRequest[] = [];
	readonly #script: Script;
	readonly #isChild: (request: ModelRequest) => boolean;
	readonly #arrivals = new Set<(request: RecordedRequest) => void>();
	#server: ModelServer | undefined;
	#closing = false;

	constructor(script: Script, { isChild = (request) => !request.tools.includes("subagent") }: ModelOptions) {
		this.#script = script;
		this.#isChild = isChild;
	}

	async listen(): Promise<void> {
		this.#server = await serveModel((request, wire) => this.#answer(request, wire));
	}

	get baseUrl(): string {
		if (!this.#server) throw new Error("The scripted model is not listening");
		return this.#server.baseUrl;
	}

	get peakConcurrency(): number {
		return this.peakOf(() => true);
	}

	/** The most requests of a kind that were open at the same time. */
	peakOf(kind: (request: RecordedRequest) => boolean): number {
		const edges = this.requests.filter(kind).flatMap((request) => [
			{ at: request.startedAt, change: 1 },
			{ at: request.endedAt ?? Number.POSITIVE_INFINITY, change: -1 },
		]);
		edges.sort((a, b) => a.at - b.at || a.change - b.change);
		let open = 0;
		return edges.reduce((peak, { change }) => {
			open += change;
			return Math.max(peak, open);
		}, 0);
	}

	/** The first matching request, past or future. */
	waitFor(matches: (request: RecordedRequest) => boolean, timeoutMs = PATIENCE_MS): Promise<RecordedRequest> {
		const known = this.requests.find(matches);
		if (known) return Promise.resolve(known);
		return new Promise((resolve, reject) => {
			const arrived = (request: RecordedRequest) => {
				if (!matches(request)) return;
				settle();
				resolve(request);
			};
			const timer = setTimeout(() => {
				settle();
				reject(new Error(`No such request within ${timeoutMs} ms. ${this.describeRequests()}`));
			}, timeoutMs);
			const settle = () => {
				clearTimeout(timer);
				this.#arrivals.delete(arrived);
			};
			this.#arrivals.add(arrived);
		});
	}

	describeRequests(): string {
		if (this.requests.length === 0) return "None came at all.";
		const lines = this.requests.map((request, index) => {
			const who = request.isChild ? "child" : "parent";
			const last = request.lastMessage?.role ?? "nothing";
			const state = request.aborted ? ", aborted" : request.endedAt === undefined ? ", open" : "";
			const asked = request.lastUserText.slice(0, 80).replaceAll("\n", " ");
			return `  ${index + 1}. ${who} turn ${request.turn}, last message: ${last}${state}: ${asked}`;
		});
		return `What came:\n${lines.join("\n")}`;
	}

	async close(): Promise<void> {
		this.#closing = true;
		await this.#server?.close();
	}

	async #answer(request: ModelRequest, wire: Wire): Promise<void> {
		const recorded = this.#record({ ...request, isChild: this.#isChild(request) }, wire);
		for (const arrived of [...this.#arrivals]) arrived(recorded);
		await play(async () => this.#script(recorded), { wire, request: recorded });
	}

	#record(request: ScriptedRequest, wire: Wire): RecordedRequest {
		const { promise: ended, resolve } = Promise.withResolvers<void>();
		const startedAt = performance.now();
		const recorded: RecordedRequest = { ...request, startedAt, endedAt: undefined, aborted: false, ended };
		wire.response.once("close", () => {
			recorded.endedAt = performance.now();
			recorded.aborted = !wire.response.writableEnded && !wire.wasCut && !this.#closing;
			resolve();
		});
		this.requests.push(recorded);
		return recorded;
	}
}
