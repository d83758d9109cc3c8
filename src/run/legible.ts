/** Code points that a reader does not see and a model reads: default-ignorable ones, and the marks of interlinear notes. */
const HIDDEN = String.raw`[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]`;
/** One emoji of a sequence, with a skin tone, a selector, a keycap, or the tags of a flag. */
const EMOJI = String.raw`\p{Emoji}(?:\p{Emoji_Modifier}|\uFE0F\u20E3?|[\u{E0030}-\u{E007A}]{1,7}\u{E007F})?`;
/** Either a possible emoji with hidden code points of its own, or hidden code points alone. */
const CANDIDATES = new RegExp(
	String.raw`(?=\p{Emoji}\p{Emoji_Modifier}?${HIDDEN})(${EMOJI}(?:\u200D${EMOJI}){0,9})|${HIDDEN}+`,
	"gv",
);
const ALL_HIDDEN = new RegExp(`${HIDDEN}+`, "gv");
const WELL_FORMED = /^\p{RGI_Emoji}$/v;
/**
 * Testing a sequence takes up to 25 µs. No text written by people has this many malformed ones. The rest of such a text
 * is not tested.
 */
const MOST_MALFORMED = 1000;

/**
 * A text without invisible code points that a terminal or a model acts on: controls, text direction, and every
 * default-ignorable code point, in which whole sentences can be written. Emoji keep the selectors and joiners that Unicode
 * recommends for them, and no others.
 */
export function legible(text: string): string {
	const known = new Map<string, string>();
	let malformed = 0;
	return text
		.toWellFormed()
		.replace(/\r\n?/g, "\n")
		.replace(/[^\P{Cc}\n\t]/gu, "")
		.replace(CANDIDATES, (_found, emoji: string | undefined) => (emoji === undefined ? "" : ownOf(emoji)));

	/** The part of a sequence that stays: all of it, or the visible part. */
	function ownOf(sequence: string): string {
		const before = known.get(sequence);
		if (before !== undefined) return before;
		if (malformed < MOST_MALFORMED && WELL_FORMED.test(sequence)) return remembered(sequence, sequence);
		malformed++;
		const visible = sequence.replace(ALL_HIDDEN, "");
		return malformed > MOST_MALFORMED ? visible : remembered(sequence, visible);
	}

	function remembered(sequence: string, stays: string): string {
		known.set(sequence, stays);
		return stays;
	}
}
