import { setTimeout as sleep } from "node:timers/promises";
import type { TokenUsage, Wire } from "../../demo/offline-model.ts";
import type { RecordedRequest } from "./model-request.ts";

export interface Stage {
	readonly wire: Wire;
	readonly request: RecordedRequest;
}

/**
 * The steps that a step returns are played after it: `async ({ request }) => …` can wait for a gate and decide late
 * what to say.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: most steps return nothing
export type Step = (stage: Stage) => Reply | void | Promise<Reply | void>;
export type Reply = Step | string | readonly Reply[];

export const text = (content: string): Step => {
	return ({ wire }) => wire.text(content);
};

export const thinking = (content: string): Step => {
	return ({ wire }) => wire.thinking(content);
};

export const toolCall = (name: string, args: object, id?: string): Step => {
	return ({ wire }) => wire.toolCall(name, JSON.stringify(args), id);
};

/** A call as a model writes it: it begins without a name, and its arguments are complete only after a while. */
export const slowToolCall = (name: string, args: object, meanwhile: (stage: Stage) => Promise<unknown>): Step => {
	const json = JSON.stringify(args);
	return async (stage) => {
		const { wire } = stage;
		await wire.toolCall("", "");
		await wire.moreOfCall({ name });
		await wire.moreOfCall({ arguments: json.slice(0, 10) });
		await meanwhile(stage);
		await wire.moreOfCall({ arguments: json.slice(10) });
	};
};

export const invalidToolArguments = (name: string, args: string): Step => {
	return ({ wire }) => wire.toolCall(name, args);
};

export const usage = (tokens: TokenUsage): Step => {
	return ({ wire }) => {
		wire.usage = tokens;
	};
};

export const delay = (ms: number): Step => {
	return async ({ wire }) => {
		await sleep(ms, undefined, { signal: wire.signal });
	};
};

/** One character at a time. */
export const drip = (content: string, { everyMs }: { everyMs: number }): Step => {
	return async ({ wire }) => {
		for (const character of content) {
			await wire.text(character);
			await sleep(everyMs, undefined, { signal: wire.signal });
		}
	};
};

/** Silent until the client gives up. First in a reply, not even the headers are sent. */
export const hang = (): Step => {
	return ({ wire }) => untilGone(wire);
};

export interface ErrorReply {
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
}

export const httpError = (status: number, { headers = {}, body }: ErrorReply = {}): Step => {
	const json = body ?? JSON.stringify({ error: { message: `scripted ${status}`, type: "scripted_error" } });
	return ({ wire }) => {
		wire.response.writeHead(status, { "content-type": "application/json", ...headers }).end(json);
	};
};

/** The connection breaks after the earlier output. */
export const cut = (): Step => {
	return async ({ wire }) => {
		await wire.raw(": about to break\n\n");
		wire.cut();
	};
};

export const cutBeforeHeaders = (): Step => {
	return ({ wire }) => {
		if (wire.response.headersSent) throw new Error("cutBeforeHeaders() comes too late: the headers are out");
		wire.cut();
	};
};

/** Text without an end, as fast as the client reads it. */
export const endless = ({ bytesPerChunk = 1024 } = {}): Step => {
	const line = `${"x".repeat(bytesPerChunk - 1)}\n`;
	return async ({ wire }) => {
		while (!wire.signal.aborted) await wire.text(line);
	};
};

/** One SSE event with this as its data, broken JSON or not. */
export const rawChunk = (data: string): Step => {
	return ({ wire }) => wire.raw(`data: ${data}\n\n`);
};

export async function play(reply: Reply, stage: Stage): Promise<void> {
	const { response } = stage.wire;
	await playSteps(reply, stage, untilGone(stage.wire));
	if (!response.writableEnded && !response.destroyed) await stage.wire.end();
}

async function playSteps(reply: Reply, stage: Stage, gone: Promise<void>): Promise<void> {
	if (stage.wire.response.destroyed || stage.wire.response.writableEnded) return;
	if (typeof reply === "string") return stage.wire.text(reply);
	if (typeof reply !== "function") {
		for (const part of reply) await playSteps(part, stage, gone);
		return;
	}
	// A step may wait on a gate that never opens; the client leaving ends the reply anyway.
	const next = await Promise.race([Promise.resolve(reply(stage)).catch(unlessGone(stage.wire)), gone]);
	if (next !== undefined) await playSteps(next, stage, gone);
}

const unlessGone = (wire: Wire) => (error: unknown) => {
	if (!wire.signal.aborted) throw error;
};

function untilGone({ signal }: Wire): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve();
		else signal.addEventListener("abort", () => resolve(), { once: true });
	});
}
