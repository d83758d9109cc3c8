import type { Redactor } from "../collect/redact/redactor.ts";
import { isRecord } from "../run/is-record.ts";
import type { SpanAttributes } from "./span.ts";
import type { ChatStep, ToolStep } from "./steps.ts";

/** The limit of one attribute. Collectors refuse requests that are too large, and few people read more there. */
const ATTRIBUTE_CHARS = 16_000;

/** What was said and done, redacted. */
export type SpanContent = (step: ChatStep | ToolStep) => Promise<SpanAttributes>;

export const redactedContent =
	(redactor: Redactor): SpanContent =>
	async (step): Promise<SpanAttributes> => {
		const shown = async (value: unknown): Promise<string> => {
			// Redact before cutting: half a key is not recognized.
			const redacted: unknown = await redactor.redactInSlices(value);
			return cutToAttribute(typeof redacted === "string" ? redacted : (JSON.stringify(redacted) ?? ""));
		};
		if (step.kind === "chat") {
			return {
				"gen_ai.input.messages": await shown(step.input.flatMap(messageParts)),
				"gen_ai.output.messages": await shown([
					{ role: "assistant", parts: conventionalParts(step.output), finish_reason: step.stopReason },
				]),
			};
		}
		return {
			"gen_ai.tool.call.arguments": await shown(step.args ?? {}),
			...(step.content !== undefined && { "gen_ai.tool.call.result": await shown(plainResult(step.content)) }),
		};
	};

const cutToAttribute = (text: string): string =>
	text.length <= ATTRIBUTE_CHARS
		? text
		: `${text.slice(0, ATTRIBUTE_CHARS).toWellFormed()}… (${text.length - ATTRIBUTE_CHARS} more characters)`;

function messageParts(message: unknown): object[] {
	if (!isRecord(message)) return [];
	if (message.role === "toolResult") {
		const parts = [{ type: "tool_call_response", id: message.toolCallId, response: plainResult(message.content) }];
		return [{ role: "tool", parts }];
	}
	return [{ role: "user", parts: conventionalParts(message.content) }];
}

/** The parts of a message under their names in the OpenTelemetry conventions. */
function conventionalParts(content: unknown): object[] {
	if (typeof content === "string") return [{ type: "text", content }];
	if (!Array.isArray(content)) return [];
	return content.flatMap((part: unknown): object[] => {
		if (!isRecord(part)) return [];
		if (part.type === "text") return [{ type: "text", content: part.text }];
		if (part.type === "thinking") return [{ type: "reasoning", content: part.thinking }];
		if (part.type === "toolCall")
			return [{ type: "tool_call", id: part.id, name: part.name, arguments: part.arguments }];
		return [{ type: String(part.type) }];
	});
}

const plainResult = (content: unknown): string =>
	conventionalParts(content)
		.map((part) => ("content" in part ? String(part.content) : "(not text)"))
		.join("\n");
