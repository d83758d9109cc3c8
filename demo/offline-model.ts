import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A model without a model: an OpenAI-compatible endpoint on loopback whose answers a function writes.
 * The demo plays with it, and the tests build their misbehaving models on it (test/helpers/model.ts).
 */
export interface ModelServer {
	/** What goes into models.json as `baseUrl`. */
	readonly baseUrl: string;
	close(): Promise<void>;
}

export type Answer = (request: ModelRequest, wire: Wire) => Promise<void> | void;

interface ChatMessage {
	readonly role: string;
	readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
	readonly tool_calls?: readonly {
		readonly id: string;
		readonly function: { readonly name: string; readonly arguments: string };
	}[];
	readonly tool_call_id?: string;
}

interface ChatBody {
	readonly model: string;
	readonly messages: readonly ChatMessage[];
	readonly tools?: readonly { readonly function: { readonly name: string } }[];
	readonly [field: string]: unknown;
}

export interface ToolResult {
	readonly name: string | undefined;
	readonly toolCallId: string;
	readonly text: string;
}

/** The facts about a request that a script needs. */
export interface ModelRequest {
	readonly model: string;
	readonly messages: readonly ChatMessage[];
	/** Names of the declared tools. */
	readonly tools: readonly string[];
	readonly systemText: string;
	/** The task of a child, regardless of later messages. */
	readonly firstUserText: string;
	readonly lastUserText: string;
	readonly lastMessage: ChatMessage | undefined;
	/** Every tool result of the conversation, oldest first. */
	readonly toolResults: readonly ToolResult[];
	/** How many assistant messages the conversation has so far. */
	readonly turn: number;
	header(name: string): string | undefined;
	readonly raw: ChatBody;
}

export interface TokenUsage {
	readonly input: number;
	readonly output: number;
	readonly cacheRead?: number;
}

/** One streamed response. Every method resolves when the bytes have left, so a slow reader slows the writer down. */
export class Wire {
	readonly response: ServerResponse;
	/** Aborted when the connection is gone, no matter which side closed it. */
	readonly signal: AbortSignal;
	usage: TokenUsage = { input: 10, output: 5 };
	/** This side broke the connection: the client did not leave. */
	wasCut = false;
	readonly #model: string;
	#toolCalls = 0;

	constructor(response: ServerResponse, model: string) {
		this.response = response;
		this.#model = model;
		const gone = new AbortController();
		this.signal = gone.signal;
		response.once("close", () => gone.abort());
	}

	text(text: string): Promise<void> {
		return this.#delta({ content: text });
	}

	thinking(text: string): Promise<void> {
		return this.#delta({ reasoning_content: text });
	}

	toolCall(name: string, args: string, id?: string): Promise<void> {
		const index = this.#toolCalls++;
		const call = { name, arguments: args };
		return this.#delta({
			tool_calls: [{ index, id: id ?? `call_${crypto.randomUUID().slice(0, 8)}`, type: "function", function: call }],
		});
	}

	/** More of the last call: its name, if that was left empty, or the next part of its arguments. */
	moreOfCall(more: { name?: string; arguments?: string }): Promise<void> {
		return this.#delta({ tool_calls: [{ index: this.#toolCalls - 1, function: more }] });
	}

	/** Finishes the message properly: the reason, the usage and the terminator. */
	async end(): Promise<void> {
		await this.#chunk({
			choices: [{ index: 0, delta: {}, finish_reason: this.#toolCalls > 0 ? "tool_calls" : "stop" }],
		});
		const { input, output, cacheRead = 0 } = this.usage;
		await this.#chunk({
			choices: [],
			usage: {
				prompt_tokens: input + cacheRead,
				completion_tokens: output,
				total_tokens: input + cacheRead + output,
				prompt_tokens_details: { cached_tokens: cacheRead },
			},
		});
		await this.raw("data: [DONE]\n\n");
		this.response.end();
	}

	/** Writes bytes as they are, well-formed or not. */
	raw(bytes: string): Promise<void> {
		if (!this.response.headersSent) {
			this.response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
		}
		return new Promise((resolve) => this.response.write(bytes, () => resolve()));
	}

	cut(): void {
		this.wasCut = true;
		this.response.destroy();
	}

	#delta(delta: object): Promise<void> {
		return this.#chunk({ choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] });
	}

	#chunk(part: object): Promise<void> {
		const head = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 0, model: this.#model };
		return this.raw(`data: ${JSON.stringify({ ...head, ...part })}\n\n`);
	}
}

export async function serveModel(answer: Answer): Promise<ModelServer> {
	const server = createServer((incoming, response) => {
		respond(answer, incoming, response).catch((error: unknown) => fail(response, error));
	});
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;
	return { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => closeServer(server) };
}

async function respond(answer: Answer, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
	if (incoming.method !== "POST" || !incoming.url?.endsWith("/chat/completions")) {
		response.writeHead(404).end();
		return;
	}
	const body = JSON.parse(await readAll(incoming)) as ChatBody;
	await answer(viewOf(body, incoming), new Wire(response, body.model));
}

/** A mistake in a script must end the request visibly; a request that hangs instead would hide it behind a timeout. */
function fail(response: ServerResponse, error: unknown): void {
	if (response.destroyed) return;
	const message = `The scripted model failed: ${error instanceof Error ? error.stack : String(error)}`;
	if (response.headersSent) response.destroy();
	// 400, because pi would retry a 500.
	else response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
}

function viewOf(body: ChatBody, incoming: IncomingMessage): ModelRequest {
	const { messages } = body;
	const ofRole = (...roles: string[]) => messages.filter((message) => roles.includes(message.role));
	const callNames = new Map(
		messages.flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call.function.name]),
	);
	return {
		model: body.model,
		messages,
		tools: (body.tools ?? []).map((tool) => tool.function.name),
		systemText: ofRole("system", "developer").map(textOf).join("\n"),
		firstUserText: ofRole("user").map(textOf)[0] ?? "",
		lastUserText: ofRole("user").map(textOf).at(-1) ?? "",
		lastMessage: messages.at(-1),
		toolResults: ofRole("tool").map((message) => ({
			name: callNames.get(message.tool_call_id ?? ""),
			toolCallId: message.tool_call_id ?? "",
			text: textOf(message),
		})),
		turn: ofRole("assistant").length,
		header: (name) => incoming.headers[name.toLowerCase()]?.toString(),
		raw: body,
	};
}

function textOf({ content }: ChatMessage): string {
	if (typeof content === "string") return content;
	return (content ?? []).map((part) => part.text ?? "").join("");
}

async function readAll(incoming: IncomingMessage): Promise<string> {
	const parts: Buffer[] = [];
	for await (const part of incoming) parts.push(part as Buffer);
	return Buffer.concat(parts).toString("utf8");
}

function closeServer(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close(() => resolve());
		server.closeAllConnections();
	});
}
