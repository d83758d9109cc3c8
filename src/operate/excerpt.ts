import type { Redactor } from "../collect/redact/redactor.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";
import type { ChildMessage } from "./messages.ts";

export interface Excerpt {
	messages: ChildMessage[];
	/** How many earlier ones were left out. */
	earlier: number;
	/** How many of them were shortened. */
	shortened: number;
}

export interface ExcerptLimits {
	messages: number;
	/** The limit for each message. */
	chars: number;
	/** The limit for all of them together, as they are sent. */
	bytes: number;
}

/** The latest messages, as many as fit, redacted. */
export function excerpt(all: ChildMessage<string>[], limits: ExcerptLimits, redactor: Redactor): Excerpt {
	const kept: ChildMessage[] = [];
	let bytes = 0;
	let cut = 0;
	for (const message of all.slice(-limits.messages).reverse()) {
		// Redact before cutting: half a key is not recognized.
		const text = redactor.redact(message.text);
		const { head, more } = headOf(text, limits.chars);
		const shown = { ...message, text: reshaped(text, () => head), ...(more > 0 && { moreChars: more }) };
		bytes += Buffer.byteLength(JSON.stringify(shown));
		if (bytes > limits.bytes) break;
		kept.push(shown);
		if (more > 0) cut++;
	}
	return { messages: kept.reverse(), earlier: all.length - kept.length, shortened: cut };
}

/** The beginning of a text, with a note on how much is missing. */
export function headOfText(text: Redacted, chars: number): Redacted {
	const { head, more } = headOf(text, chars);
	return reshaped(text, () => withMore(head, more));
}

/** A text with a note on how many characters were left out. */
export const withMore = (head: string, more: number): string =>
	more > 0 ? `${head}… (${more} more characters)` : head;

function headOf(text: string, chars: number): { head: string; more: number } {
	if (text.length <= chars) return { head: text, more: 0 };
	// Never half of a surrogate pair.
	const head = text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
	return { head, more: text.length - head.length };
}
