import { isQuote, isSpace, isSpaceOrTab, skipBlanks } from "./characters.ts";
import { isStrongIn, LEAST_STRONG, looksChosen, looksMixed } from "./secret-values.ts";
import type { ValueReader } from "./values.ts";

/**
 * `;Pwd=x`, `"pass": "x"`: a part of a connection string, or a name whose value is in quotes. As single words these names
 * are too common to mean a password anywhere else. Read by hand, because a text may hold nothing else.
 */
export function isShortNameOfPassword(text: string, start: number, nameEnd: number, values: ValueReader): boolean {
	const before = text.charCodeAt(start - 1);
	// The name of an element
	if (before === 0x3c) return true;
	// ;, & and ?
	if ((before === 0x3b || before === 0x26 || before === 0x3f) && text.charCodeAt(nameEnd) === 0x3d) return true;
	return isBeforeQuoted(text, nameEnd) || isBeforeStrong(text, start, nameEnd, values);
}

/** A sign between the name, in quotes or not, and a value in quotes. */
function isBeforeQuoted(text: string, nameEnd: number): boolean {
	let at = nameEnd;
	if (!isSign(text.charCodeAt(at))) {
		at = skipBackslashes(text, at);
		if (isQuote(text.charCodeAt(at))) at += 1;
		at = skipSpaces(text, at);
	}
	if (!isSign(text.charCodeAt(at))) return false;
	const next = text.charCodeAt(at + 1);
	// => and :=
	at += next === (text.charCodeAt(at) === 0x3d ? 0x3e : 0x3d) ? 2 : 1;
	const quote = text.charCodeAt(skipBackslashes(text, skipSpaces(text, at)));
	return isQuote(quote) || quote === 0x60;
}

/** A sign between the name and a value that is a password under any name. */
function isBeforeStrong(text: string, start: number, nameEnd: number, values: ValueReader): boolean {
	const at = skipBlanks(text, nameEnd, 3);
	if (!isSign(text.charCodeAt(at))) return false;
	const from = skipBlanks(text, at + 1, 3);
	const limit = Math.min(text.length, from + 64);
	if (values.nextDigit(from) >= limit) return false;
	let end = from;
	while (end < limit && !isSpace(text.charCodeAt(end))) end += 1;
	const value = text.slice(from, end);
	if (end - from >= LEAST_STRONG && (isStrongIn(text, from, end) || looksChosen(value))) return true;
	// A line of a file with nothing else
	if (endsLine(text, end) && isLineStart(text, start) && looksMixed(value)) return true;
	// A variable of a shell
	const before = text.slice(Math.max(0, start - 8), start);
	return text.charCodeAt(nameEnd) === 0x3d && /(?:^|\s)(?:set|export|env) $/i.test(before) && looksMixed(value);
}

const endsLine = (text: string, at: number): boolean => /^[ \t]{0,4}(?:\r?\n|$)/.test(text.slice(at, at + 6));

function isLineStart(text: string, start: number): boolean {
	let at = start;
	while (at > start - 12 && isSpaceOrTab(text.charCodeAt(at - 1))) at -= 1;
	return at === 0 || text.charCodeAt(at - 1) === 0x0a;
}

/** : and = */
const isSign = (code: number): boolean => code === 0x3a || code === 0x3d;

function skipSpaces(text: string, from: number): number {
	let at = from;
	while (at < from + 3 && isSpace(text.charCodeAt(at))) at += 1;
	return at;
}

function skipBackslashes(text: string, from: number): number {
	let at = from;
	while (at < from + 3 && text.charCodeAt(at) === 0x5c) at += 1;
	return at;
}
