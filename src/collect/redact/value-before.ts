import type { FoundName } from "./assignments.ts";
import { isQuote, isSpace } from "./characters.ts";
import type { CredentialName } from "./credential-names.ts";
import { isSecretValue } from "./secret-values.ts";
import type { Value } from "./values.ts";

/** The value of a pair whose name comes last, as in { "value": "y", "name": "X" }. */
export function valueBefore(text: string, found: FoundName, readable: number, kind: CredentialName): Value | undefined {
	const { start, closers } = found;
	if (closers === "" || !isAfterColonAndQuote(text, start)) return undefined;
	NAME_OF_PAIR.lastIndex = start;
	if (!NAME_OF_PAIR.test(text)) return undefined;
	const window = Math.max(readable, start - 300);
	const nearest = text.slice(window, start).lastIndexOf("alue");
	if (nearest < 2) return undefined;
	const from = window + nearest - 2;
	const pair = VALUE_BEFORE.exec(text.slice(from, start));
	const written = pair?.[2];
	if (pair?.[1] === undefined || written === undefined || !isSecretValue(written, kind, "quoted")) return undefined;
	const at = from + pair.index + pair[1].length;
	return { start: at, end: at + written.length, notation: "quoted" };
}

/** The first check of the expression below, at a tenth of its cost: `e": "`, `y": "` */
function isAfterColonAndQuote(text: string, start: number): boolean {
	let at = start - 1;
	if (!isQuote(text.charCodeAt(at))) return false;
	while (at > start - 4 && text.charCodeAt(at - 1) === 0x5c) at -= 1;
	const limit = at - 4;
	while (at > limit && isSpace(text.charCodeAt(at - 1))) at -= 1;
	if (text.charCodeAt(at - 1) !== 0x3a) return false;
	at -= 1;
	const blanks = at - 4;
	while (at > blanks && isSpace(text.charCodeAt(at - 1))) at -= 1;
	// The last letter of the name of the pair, behind its quote.
	if (!isQuote(text.charCodeAt(at - 1))) return false;
	const last = text.charCodeAt(at - 2) | 0x20;
	return last === 0x65 || last === 0x79 || last === 0x7c;
}

/** Looks backwards from the name, so that the first mismatch ends the search. */
const NAME_OF_PAIR = /(?<=(?:name|key)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'])/iy;
const VALUE_BEFORE =
	/(["']value\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'])([^"'\\\n]{4,200})\\{0,3}["'],\s{0,40}\\{0,3}["'](?:name|key)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["']$/i;
