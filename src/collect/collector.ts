import { isRecord } from "../run/is-record.ts";
import { usageInMessage } from "../run/message-usage.ts";
import type { DisplayItem } from "../run/outcome.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";
import { addUsage, NO_USAGE, subtractUsage, type Usage } from "../run/usage.ts";
import type { Redactor } from "./redact/redactor.ts";

/** Enough to see what a child did; a run of thousands of calls must not fill the ledger with their arguments. */
const MAX_DISPLAY_ITEMS = 200;
const MAX_ARGUMENT_CHARS = 2000;
/** While a child works: how many of the latest items are shown, and how much of the end of each text. */
const LATEST_ITEMS = 20;
const LATEST_CHARS = 2000;
/** How much of an unfinished text is examined for that: longer than any key, so that none is cut in two. */
const LOOKED_AT_CHARS = 20_000;

/** Why the last assistant message ended, as pi reports it. */
export interface LastStop {
	reason: string;
	errorMessage?: string;
}

/**
 * Turns the events of a child session into our report. Events come from a model and from extensions we did not write, so
 * nothing about their shape is taken for granted: unknown parts are skipped.
 */
export class Collector {
	/** Applied before anything is shown, and to more than is shown: half a key no longer looks like one. */
	readonly #redactor: Redacting;
	/** The visible form of the items, redacted once. */
	readonly #shown = new WeakMap<DisplayItem<string>, DisplayItem>();
	/** Usage of this attempt only. */
	usage: Usage = NO_USAGE;
	/** As the child wrote them. An answer may be megabytes: the outcome is redacted as a whole, in slices. */
	readonly displayItems: DisplayItem<string>[] = [];
	/** Text of the last assistant message that had any, as the child wrote it. */
	#lastText = "";
	/** Text of the message that is being written right now. */
	streamingText = "";
	/** Characters that the model wrote in total. */
	textLength = 0;
	model?: string;
	lastStop?: LastStop;
	/** The type of the child's last event before its ending was decided. */
	lastEvent?: string;
	/** The names of the tools that the last assistant message called. */
	lastToolCalls: string[] = [];

	constructor(redactor: Redacting) {
		this.#redactor = redactor;
	}

	take(event: unknown): void {
		if (isRecord(event) && event.type === "compaction_end" && isRecord(event.result)) {
			// It costs like any other answer, but is not a turn.
			this.usage = addUsage(this.usage, { ...usageInMessage(event.result.usage), turns: 0 });
		}
		if (!isRecord(event) || !isRecord(event.message) || event.message.role !== "assistant") return;
		if (event.type === "message_update") this.#takeDelta(event.assistantMessageEvent);
		if (event.type === "message_end") this.#takeMessage(event.message);
	}

	/** The answer in plain text, for a run that has nothing better. */
	get partialOutput(): string {
		return this.streamingText || this.#lastText;
	}

	/** The beginning of the last text. */
	said(chars: number): Redacted {
		return redactedHead(this.#lastText, chars, this.#redactor);
	}

	/** The latest items, including the message that is being written right now. */
	get latest(): DisplayItem[] {
		const said = this.displayItems.slice(-LATEST_ITEMS).map((item) => this.#shownOf(item));
		const writing = reshaped(this.#redactor.redact(wholeWords(this.streamingText)), lastShown);
		return [...said, ...(writing === "" ? [] : [{ type: "text" as const, text: writing }])];
	}

	#shownOf(item: DisplayItem<string>): DisplayItem {
		const known = this.#shown.get(item);
		if (known !== undefined) return known;
		const shown: DisplayItem =
			item.type === "text"
				? { ...item, text: reshaped(this.#redactor.redact(lastChars(item.text)), lastShown) }
				: this.#redactor.redactValue(item);
		this.#shown.set(item, shown);
		return shown;
	}

	/**
	 * Adds the messages of earlier attempts, and counts the usage that is not on record: a host may be killed after a turn
	 * is in the session file and before it is in the ledger.
	 */
	recall(messages: readonly unknown[], onRecord: Usage): void {
		let spent: Usage = NO_USAGE;
		for (const message of messages) {
			if (!isRecord(message) || message.role !== "assistant") continue;
			spent = addUsage(spent, usageOfMessage(message, this.#takeContent(message.content)));
		}
		this.usage = addUsage(this.usage, subtractUsage(spent, onRecord));
	}

	#takeDelta(delta: unknown): void {
		if (!isRecord(delta) || typeof delta.delta !== "string") return;
		// Thoughts and call arguments count as well: they cost as much, and can be as endless.
		this.textLength += delta.delta.length;
		if (delta.type === "text_delta") this.streamingText += delta.delta;
	}

	#takeMessage(message: Record<string, unknown>): void {
		const said = this.#takeContent(message.content);
		this.usage = addUsage(this.usage, usageOfMessage(message, said));
		if (typeof message.provider === "string" && typeof message.model === "string") {
			this.model = `${message.provider}/${message.model}`;
		}
		this.lastStop = {
			reason: typeof message.stopReason === "string" ? message.stopReason : "unknown",
			...(typeof message.errorMessage === "string" && { errorMessage: message.errorMessage }),
		};
	}

	#takeContent(content: unknown): DisplayItem<string>[] {
		const items = displayItemsOf(content, this.#redactor);
		// A provider that does not stream sends no deltas: its text is counted here.
		this.textLength += Math.max(0, textsIn(content).join("\n\n").length - this.streamingText.length);
		const text = items.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n\n");
		if (text.trim() !== "") this.#lastText = text;
		this.streamingText = "";
		this.lastToolCalls = items.flatMap((item) => (item.type === "toolCall" ? [item.name] : []));
		this.displayItems.push(...items);
		this.displayItems.splice(0, Math.max(0, this.displayItems.length - MAX_DISPLAY_ITEMS));
		return items;
	}
}

type Redacting = Pick<Redactor, "redact" | "redactValue">;

function displayItemsOf(content: unknown, redactor: Redacting): DisplayItem<string>[] {
	if (!Array.isArray(content)) return [];
	return content.flatMap((part: unknown): DisplayItem<string>[] => {
		if (!isRecord(part)) return [];
		if (part.type === "text" && typeof part.text === "string" && part.text !== "")
			return [{ type: "text", text: part.text }];
		if (part.type === "toolCall" && typeof part.name === "string") {
			return [{ type: "toolCall", name: part.name, args: shortArguments(part.arguments, redactor) }];
		}
		return [];
	});
}

function textsIn(content: unknown): string[] {
	if (!Array.isArray(content)) return [];
	return content.flatMap((part: unknown) =>
		isRecord(part) && part.type === "text" && typeof part.text === "string" ? [part.text] : [],
	);
}

/**
 * The end of an unfinished text, without what may be half a key: the unfinished last word, and the first word, which is cut
 * off.
 */
function wholeWords(text: string): string {
	return withoutLastWord(lastChars(text));
}

function withoutLastWord(text: string): string {
	let last = text.length;
	while (last > 0 && text.charAt(last - 1).trim() !== "") last--;
	return text.slice(0, last);
}

const lastShown = (text: string): string => text.slice(-LATEST_CHARS);

/** The examined end of a text, without the first word, which is cut off. */
function lastChars(text: string): string {
	const from = Math.max(0, text.length - LOOKED_AT_CHARS);
	const end = text.slice(from);
	return from === 0 ? end : end.slice(end.search(/\s|$/));
}

/** The beginning of a text. More of it is redacted than is shown, without the last word, which is cut off. */
function redactedHead(text: string, chars: number, { redact }: Redacting): Redacted {
	const whole = text.length <= chars + LOOKED_AT_CHARS;
	const looked = whole ? text : withoutLastWord(text.slice(0, chars + LOOKED_AT_CHARS));
	return reshaped(redact(looked), (shown) => shown.slice(0, chars));
}

function shortArguments(args: unknown, redactor: Redacting): Record<string, unknown> {
	if (!isRecord(args)) return {};
	return Object.fromEntries(
		Object.entries(args).map(([key, value]) => {
			if (typeof value === "number" || typeof value === "boolean" || value === null) return [key, value];
			const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
			if (text.length > MAX_ARGUMENT_CHARS) return [key, `${redactedHead(text, MAX_ARGUMENT_CHARS, redactor)}…`];
			return [key, value];
		}),
	);
}

function usageOfMessage(message: Record<string, unknown>, said: readonly DisplayItem<string>[]): Usage {
	// A request that was aborted or failed before the model said anything is not a turn.
	const cutShort = message.stopReason === "aborted" || message.stopReason === "error";
	return { ...usageInMessage(message.usage), turns: cutShort && said.length === 0 ? 0 : 1 };
}
