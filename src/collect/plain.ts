import { legible } from "../run/legible.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";
import { withoutSequences } from "../run/without-sequences.ts";

const TAB = "   ";
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Bidi controls too: they change how a line reads. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

/** Text of a child, a model or a file that cannot paint on the terminal. Newlines are the only controls left. */
export function plain(text: string): string {
	return withoutSequences(text).replace(LINE_ENDS, "\n").replaceAll("\t", TAB).replace(CONTROLS, "").toWellFormed();
}

export function inOneLine(text: string): string {
	return plain(text).replace(/\s+/g, " ").trim();
}

/** For one of our lines that quotes the text. */
export const inLegibleLine = (text: Redacted): Redacted => reshaped(text, (quoted) => inOneLine(legible(quoted)));
