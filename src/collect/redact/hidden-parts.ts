import { legible } from "../../run/legible.ts";
import { withoutSequences } from "../../run/without-sequences.ts";
import { plain } from "../plain.ts";
import { MAY_HOLD_KEY } from "./private-keys.ts";
import { inOnePiece } from "./rewriting.ts";
import { surroundings } from "./surroundings.ts";

/** A part of a text with hidden characters: a key that they split is not found until they are removed. */
export interface HidingPart {
	from: number;
	to: number;
	/** The part without any of them. */
	bare: string;
	/** The part as views show it that remove only some of them, if that differs from both `bare` and the original. */
	others: string[];
}

/** The characters that `legible` and `plain` remove from a text. */
const HIDES = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]|[^\P{Cc}\n\r\t]/gu;
/**
 * The characters that both remove, each in its own way: a key may show in the result of one of them, and not in that of
 * both.
 */
const ACTED_ON = /\p{Bidi_Control}|[^\P{Cc}\n\r\t]/u;
/** A key may be 40,000 characters long, and the text that identifies it may be anywhere in a slice. */
const NEAR_KEY = 64_000;

/** The parts of a text, redacted as it is, in which something may show once hidden characters are removed. */
export function partsThatHide(text: string, near: number): HidingPart[] {
	const parts = partsWithin(text, near);
	if (near >= NEAR_KEY || parts.length === 0) return parts;
	const mayHoldKey =
		MAY_HOLD_KEY.test(text) ||
		parts.some(({ bare, others }) => MAY_HOLD_KEY.test(bare) || others.some((shown) => MAY_HOLD_KEY.test(shown)));
	return mayHoldKey ? partsWithin(text, NEAR_KEY) : parts;
}

function partsWithin(text: string, near: number): HidingPart[] {
	return surroundings(text, HIDES, near).flatMap(({ from, to }) => {
		const written = inOnePiece(text.slice(from, to));
		const bare = bareOf(written);
		if (bare === written) return [];
		const shown = ACTED_ON.test(written) ? [legible(written), plain(written)] : [];
		return [{ from, to, bare, others: shown.filter((other) => other !== bare && other !== written) }];
	});
}

/** A shorter text is read again, however often. */
const LONG_TEXT = 50_000;

/**
 * A long text of which most would have to be read again loses its hidden characters first, so that it is read once. Views
 * that show it remove them anyway.
 */
export function withoutCrowds(text: string, near: number): string {
	if (text.length <= LONG_TEXT) return text;
	const readAgain = surroundings(text, HIDES, near).reduce((sum, { from, to }) => sum + to - from, 0);
	return readAgain > text.length / 2 ? bareOf(text) : text;
}

const bareOf = (text: string): string => legible(withoutSequences(text));

/** The text without any hidden characters, and with other texts in place of its parts. */
export function withParts(text: string, parts: readonly HidingPart[], texts: readonly string[]): string {
	const output: string[] = [];
	let done = 0;
	for (const [index, { from, to }] of parts.entries()) {
		output.push(bareOf(text.slice(done, from)), texts[index] ?? "");
		done = to;
	}
	output.push(bareOf(text.slice(done)));
	return output.join("");
}
