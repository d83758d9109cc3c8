import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Redactor } from "../../collect/redact/redactor.ts";
import { isRecord } from "../../run/is-record.ts";
import type { Redacted } from "../../run/redacted.ts";
import { reshaped } from "../../run/redacted.ts";
import { withMore } from "../excerpt.ts";
import { timeOf } from "../messages.ts";

/** One thing in the transcript of a run. */
export type ExportedItem<Text extends string = Redacted> =
	| { type: "message"; role: "user" | "assistant"; text: Text; at?: string }
	| { type: "tool"; name: Text; arguments: Text; result?: Text; isError?: boolean; at?: string };

/** The limit of one text. The rest is seldom read, and is in the session file. */
const CHARS_OF_TEXT = 100_000;
const LINES_OF_TEXT = 2000;
/** The limit of the whole transcript. Its beginning and end are kept. */
const ITEMS_EXPORTED = 4000;
const CHARS_EXPORTED = 8_000_000;
const SHARE_OF_BEGINNING = 1 / 4;

export interface ExportedTranscript {
	items: ExportedItem[];
	/** After how many items there is a gap, and how many are missing. Absent: none. */
	gap?: { after: number; missing: number };
	/** How many texts were shortened. */
	shortened: number;
}

/** What was said and done, ready to be shared: redacted, and of a readable size. */
export async function exportedItems(
	entries: readonly SessionEntry[],
	redactor: Pick<Redactor, "redactInSlices">,
): Promise<ExportedTranscript> {
	const all = itemsIn(entries);
	const { head, tail } = endsOf(all);
	let shortened = 0;
	const items: ExportedItem[] = [];
	for (const item of [...all.slice(0, head), ...all.slice(all.length - tail)]) {
		// Redact before cutting: half a key is not recognized.
		const redacted = await redactor.redactInSlices(item);
		items.push(shortenedItem(redacted, () => shortened++));
	}
	const missing = all.length - head - tail;
	return { items, shortened, ...(missing > 0 && { gap: { after: head, missing } }) };
}

function itemsIn(entries: readonly SessionEntry[]): ExportedItem<string>[] {
	const items: ExportedItem<string>[] = [];
	const called = new Map<string, Extract<ExportedItem<string>, { type: "tool" }>>();
	const say = (role: "user" | "assistant", text: string, at: { at?: string }) => {
		if (text.trim() !== "") items.push({ type: "message", role, text, ...at });
	};
	for (const entry of entries) {
		const at = timeOf(entry);
		if (entry.type === "custom_message") say("user", exportedText(entry.content), at);
		const message: unknown = entry.type === "message" ? entry.message : undefined;
		if (!isRecord(message)) continue;
		if (message.role === "user") say("user", exportedText(message.content), at);
		if (message.role === "assistant") {
			const failed =
				message.stopReason === "error" ? `\n(failed: ${String(message.errorMessage ?? "no reason given")})` : "";
			say("assistant", `${exportedText(message.content)}${failed}`, at);
			for (const part of partsIn(message.content)) {
				if (part.type !== "toolCall") continue;
				const call = { type: "tool" as const, name: String(part.name), arguments: inJson(part.arguments), ...at };
				called.set(String(part.id), call);
				items.push(call);
			}
		}
		if (message.role === "toolResult") {
			const call = called.get(String(message.toolCallId));
			if (call) Object.assign(call, { result: exportedText(message.content), isError: message.isError === true });
		}
	}
	return items;
}

/** How many items at the beginning and at the end are kept. */
function endsOf(items: readonly ExportedItem<string>[]): { head: number; tail: number } {
	const sizes = items.map((item) => Math.min(charsOf(item), 2 * CHARS_OF_TEXT));
	const total = sizes.reduce((sum, size) => sum + size, 0);
	if (items.length <= ITEMS_EXPORTED && total <= CHARS_EXPORTED) return { head: items.length, tail: 0 };
	const fitting = (ordered: readonly number[], share: number): number => {
		let room = CHARS_EXPORTED * share;
		const over = ordered.findIndex((size) => {
			room -= size;
			return room < 0;
		});
		return Math.min(over === -1 ? ordered.length : over, Math.floor(ITEMS_EXPORTED * share));
	};
	const head = fitting(sizes, SHARE_OF_BEGINNING);
	return { head, tail: fitting(sizes.slice(head).reverse(), 1 - SHARE_OF_BEGINNING) };
}

const charsOf = (item: ExportedItem<string>): number =>
	item.type === "message" ? item.text.length : item.arguments.length + (item.result?.length ?? 0);

function shortenedItem(item: ExportedItem, onCut: () => void): ExportedItem {
	const short = (text: Redacted): Redacted => {
		const head = headWithinLimits(text);
		if (head.length === text.length) return text;
		onCut();
		return reshaped(text, () => withMore(head, text.length - head.length));
	};
	if (item.type === "message") return { ...item, text: short(item.text) };
	const result = item.result === undefined ? {} : { result: short(item.result) };
	return {
		...item,
		name: reshaped(item.name, (name) => name.slice(0, 200)),
		arguments: short(item.arguments),
		...result,
	};
}

function headWithinLimits(text: string): string {
	let end = Math.min(text.length, CHARS_OF_TEXT);
	let lineEnd = -1;
	for (let line = 0; line < LINES_OF_TEXT; line++) {
		lineEnd = text.indexOf("\n", lineEnd + 1);
		if (lineEnd === -1 || lineEnd >= end) return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
	}
	end = lineEnd;
	return text.slice(0, end);
}

function partsIn(content: unknown): Record<string, unknown>[] {
	return Array.isArray(content) ? content.filter(isRecord) : [];
}

function exportedText(content: unknown): string {
	if (typeof content === "string") return content;
	return partsIn(content)
		.flatMap((part) => (part.type === "image" ? ["(an image)"] : part.type === "text" ? [String(part.text)] : []))
		.join("\n");
}

const inJson = (value: unknown): string => JSON.stringify(value ?? {}, null, 2) ?? "";
