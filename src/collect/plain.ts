import { stripVTControlCharacters } from "node:util";
import { legible } from "../run/legible.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";

const TAB = "   ";
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Bidi controls too: they make a line read as what it is not. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

/** What a child, a model or a file said, as text that cannot paint on the terminal. Only newlines are left of its controls. */
export function plain(text: string): string {
	return stripVTControlCharacters(text)
		.replace(LINE_ENDS, "\n")
		.replaceAll("\t", TAB)
		.replace(CONTROLS, "")
		.toWellFormed();
}

export function inOneLine(text: string): string {
	return plain(text).replace(/\s+/g, " ").trim();
}

/** For a line of ours that quotes it. */
export const inLegibleLine = (text: Redacted): Redacted => reshaped(text, (quoted) => inOneLine(legible(quoted)));
