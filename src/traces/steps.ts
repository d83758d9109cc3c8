import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { isRecord } from "../run/is-record.ts";
import { usageInMessage } from "../run/message-usage.ts";
import type { Usage } from "../run/usage.ts";

/** The child's actions in order, with the times from its session file. */
export type TraceStep = ChatStep | ToolStep;

export interface ChatStep {
	kind: "chat";
	/** The id of its entry in the session file. */
	id: string;
	startedAt: number;
	endedAt: number;
	provider?: string;
	model?: string;
	responseModel?: string;
	responseId?: string;
	stopReason?: string;
	usage: Usage;
	/** The messages that the model had not seen before, and its answer. */
	input: unknown[];
	output: unknown;
}

export interface ToolStep {
	kind: "tool";
	/** The id of the entry that calls it. */
	id: string;
	callId: string;
	name: string;
	startedAt: number;
	endedAt: number;
	/** `none`: its host died first, or the run ended. */
	result: "good" | "error" | "none";
	args: unknown;
	content: unknown;
}

/** The limits of all times: a child with a shell can write anything into its session file. */
export interface StepWindow {
	from: number;
	to: number;
	/** The end of the attempt that a moment belongs to. */
	attemptEnd(at: number): number;
}

/**
 * pi writes an assistant's message when it is complete, with the time when it began. A tool begins when that message is
 * written, and ends when its result is written. For parallel tools, that is when the last of them has finished.
 */
export function stepsOf(entries: readonly SessionEntry[], { from, to, attemptEnd }: StepWindow): TraceStep[] {
	const steps: TraceStep[] = [];
	const open = new Map<string, ToolStep>();
	let input: unknown[] = [];
	const within = (at: unknown, otherwise: number): number =>
		typeof at === "number" && Number.isFinite(at) ? Math.min(Math.max(at, from), to) : otherwise;
	let last = from;
	for (const entry of entries) {
		if (entry.type !== "message") continue;
		const message: unknown = entry.message;
		if (!isRecord(message)) continue;
		const writtenAt = within(Date.parse(entry.timestamp), last);
		last = writtenAt;
		if (message.role === "assistant") {
			const startedAt = Math.min(within(message.timestamp, writtenAt), writtenAt);
			steps.push(chatStep(message, { id: entry.id, startedAt, endedAt: writtenAt, input }));
			input = [];
			for (const call of callsIn(message)) {
				const tool: ToolStep = {
					kind: "tool",
					id: entry.id,
					...call,
					startedAt: writtenAt,
					endedAt: Math.max(writtenAt, Math.min(attemptEnd(writtenAt), to)),
					result: "none",
					content: undefined,
				};
				open.set(call.callId, tool);
				steps.push(tool);
			}
			continue;
		}
		if (message.role === "user" || message.role === "toolResult") input.push(message);
		const called = message.role === "toolResult" ? open.get(String(message.toolCallId)) : undefined;
		if (!called) continue;
		open.delete(called.callId);
		called.endedAt = Math.max(called.startedAt, writtenAt);
		called.result = message.isError === true ? "error" : "good";
		called.content = message.content;
	}
	return steps;
}

function chatStep(
	message: Record<string, unknown>,
	times: Pick<ChatStep, "id" | "startedAt" | "endedAt" | "input">,
): ChatStep {
	const text = (key: "provider" | "model" | "responseModel" | "responseId" | "stopReason") =>
		typeof message[key] === "string" && message[key] !== "" ? { [key]: message[key] } : {};
	return {
		kind: "chat",
		...times,
		...text("provider"),
		...text("model"),
		...text("responseModel"),
		...text("responseId"),
		...text("stopReason"),
		usage: { ...usageInMessage(message.usage), turns: 1 },
		output: message.content,
	};
}

function callsIn({ content }: Record<string, unknown>): Pick<ToolStep, "callId" | "name" | "args">[] {
	const parts: unknown[] = Array.isArray(content) ? content : [];
	return parts.flatMap((part) =>
		isRecord(part) && part.type === "toolCall" && typeof part.name === "string"
			? [{ callId: String(part.id), name: part.name, args: part.arguments }]
			: [],
	);
}
