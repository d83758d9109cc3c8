import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Redactor } from "../../collect/redact/redactor.ts";
import { entryOn } from "../../ledger/transcript.ts";
import { isRecord } from "../../run/is-record.ts";
import { FINALIZE_TOOL } from "../../run/outcome.ts";
import type { Usage } from "../../run/usage.ts";
import type { PageItem, ToolCall } from "../api/transcript.ts";
import type { ShownLine } from "./paged-transcript.ts";

const MOST_CALLS = 100;

/**
 * The content of one line of a session file, with this many characters of each text. Skips unknown content, since the file may
 * contain anything.
 */
export function itemOf(
	n: number,
	line: ShownLine,
	{ redact, chars }: Pick<Redactor, "redact"> & { chars: number },
): PageItem {
	const whole = chars === Number.POSITIVE_INFINITY ? { whole: true as const } : {};
	if ("tooLongBytes" in line) {
		const { tooLongBytes: bytes } = line;
		return { n, role: "note", text: `A line of ${bytes} bytes is not shown.`, moreChars: bytes, ...whole };
	}
	const [entry] = entryOn(line.text);
	if (!entry) return { n, role: "note", text: "A line could not be read.", ...whole };
	return { n, ...momentOf(entry), ...content(entry), ...whole };

	function content(of: SessionEntry): Omit<PageItem, "n" | "at"> {
		if (of.type === "custom_message") return { role: "user", ...cut(wordsIn(of.content)) };
		if (of.type === "compaction") return { role: "note", text: "The conversation was compacted here." };
		if (of.type === "model_change")
			return { role: "note", ...cut(`The model is ${of.provider}/${of.modelId} from here on.`) };
		if (of.type !== "message") return { role: "note", text: "" };
		const { message } = of;
		if (message.role === "toolResult") {
			return {
				role: "tool",
				...cut(wordsIn(message.content)),
				tool: cut(String(message.toolName)).text,
				callId: cut(String(message.toolCallId)).text,
				...(message.isError === true && { failed: true as const }),
			};
		}
		if (message.role !== "assistant")
			return { role: "user", ...cut(wordsIn("content" in message ? message.content : "")) };
		return ofAssistant(message);
	}

	function ofAssistant(message: Extract<MessageOf<SessionEntry>, { role: "assistant" }>): Omit<PageItem, "n" | "at"> {
		const parts = message.content;
		const calls = parts.flatMap((part) => (part.type === "toolCall" ? [part] : []));
		const final = calls.find(({ name }) => name === FINALIZE_TOOL);
		const thinking = parts
			.flatMap((part) => (part.type === "thinking" ? [String(part.thinking ?? "")] : []))
			.join("\n\n");
		const hasFailed =
			message.stopReason === "error" || (isRecord(final?.arguments) && final.arguments.status === "ERROR");
		const failure = message.stopReason === "error" ? `(failed: ${message.errorMessage ?? "no reason given"})` : "";
		const said = [wordsIn(parts), final ? answerIn(final.arguments) : "", failure].filter((text) => text !== "");
		const others = calls.filter((call) => call !== final).slice(0, MOST_CALLS);
		const usage = usageOfTurn(message.usage);
		return {
			role: "assistant",
			...cut(said.join("\n\n")),
			...(thinking.trim() !== "" && { thinking: cut(thinking).text }),
			...(others.length > 0 && { calls: others.map(callOf) }),
			...(usage && { usage }),
			...(typeof message.model === "string" && { model: cut(`${message.provider}/${message.model}`).text }),
			...(hasFailed && { failed: true as const }),
			...(final && { final: true as const }),
		};
	}

	function callOf({ id, name, arguments: given }: { id: unknown; name: unknown; arguments: unknown }): ToolCall {
		const { text, ...more } = cut(JSON.stringify(given, undefined, 2));
		return { id: cut(String(id)).text, name: cut(String(name)).text, args: text, ...more };
	}

	/** Redacts before cutting, because half a key is not recognized, so this redacts twice as much as it shows. */
	function cut(text: string): { text: string; moreChars?: number } {
		const shown = redact(text.slice(0, 2 * chars))
			.slice(0, chars)
			.toWellFormed();
		const more = Math.max(0, text.length - 2 * chars) + Math.max(0, Math.min(text.length, 2 * chars) - chars);
		return { text: shown, ...(more > 0 && { moreChars: more }) };
	}
}

type MessageOf<Entry> = Entry extends { type: "message"; message: infer Message } ? Message : never;

export function isShownEntry(entry: SessionEntry): boolean {
	if (entry.type === "message") return ["user", "assistant", "toolResult"].includes(entry.message.role);
	return entry.type === "custom_message" || entry.type === "compaction" || entry.type === "model_change";
}

/** The cost of a turn of the model, if the entry is one. */
export function turnOf(entry: SessionEntry): (Usage & { at: number }) | undefined {
	if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
	const usage = usageOfTurn(entry.message.usage);
	const { at } = momentOf(entry);
	return usage && at !== undefined ? { ...usage, at } : undefined;
}

function usageOfTurn(stored: unknown): Usage | undefined {
	if (!isRecord(stored)) return undefined;
	const cost = isRecord(stored.cost) ? amount(stored.cost.total) : 0;
	const { input, output, cacheRead, cacheWrite } = stored;
	return {
		input: amount(input),
		output: amount(output),
		cacheRead: amount(cacheRead),
		cacheWrite: amount(cacheWrite),
		cost,
		turns: 1,
	};
}

const amount = (value: unknown): number =>
	typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

function momentOf({ timestamp }: { timestamp?: unknown }): { at?: number } {
	const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
	return Number.isNaN(at) ? {} : { at };
}

function wordsIn(content: unknown): string {
	if (typeof content === "string") return content.trim();
	if (!Array.isArray(content)) return "";
	const parts = content.map((part) => (isRecord(part) ? (part.type === "image" ? "(an image)" : part.text) : ""));
	return parts
		.filter((part) => typeof part === "string" && part !== "")
		.join("\n")
		.trim();
}

/** The answer in a child's call. */
function answerIn(call: unknown): string {
	if (!isRecord(call)) return "";
	const parts = [call.error, call.result].filter((part) => typeof part === "string" && part !== "");
	return parts.join("\n");
}
