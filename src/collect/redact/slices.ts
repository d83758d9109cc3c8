import { endOf, TOKEN_CHAR } from "./characters.ts";

/** How much is redacted without a break: a few milliseconds, even for a text that is slow to read. */
export const SLICE_CHARS = 32 * 1024;
/** How far beyond that to look for a good place to cut, in multiples of the slice. */
const SLICE_REACH = 2;
const LONGEST_CUT = 400;
const MAX_KEY = 20_000;
/** How many places are examined closely. If none of them is good, the next thousands are not either. */
const MOST_PLACES = 300;
/** How far a run of token characters is followed to its end, in multiples of the slice. No token is that long. */
const LONGEST_RUN = 8;

/**
 * Cuts a long text where no secret can span two slices: between lines of which neither is part of a key, of a multi-line
 * value or of a stack trace. A text without such a place is cut between words, one without words (a minified file) between
 * its parts, and one without parts where its run of token characters ends. The cut is before the character that ends the
 * run: it may be the `&` that marks the next pair as part of a query.
 */
export function* slicesOf(text: string, chars = SLICE_CHARS): Generator<string> {
	let from = 0;
	while (text.length - from > chars) {
		const to = cutAfter(text, from, chars);
		yield text.slice(from, to);
		from = to;
	}
	yield text.slice(from);
}

function cutAfter(text: string, start: number, chars: number): number {
	const limit = Math.min(text.length, start + chars * (1 + SLICE_REACH));
	const from = Math.min(limit, endOfKey(text, start + chars));
	return (
		betweenLines(text, from, limit) ??
		blankAfterWord(text, from, limit) ??
		betweenParts(text, from, limit) ??
		endOf(text, endOfKey(text, limit), TOKEN_CHAR, chars * LONGEST_RUN)
	);
}

/** The first line break at which nothing continues; or, if all lines belong together, the last line break. */
function betweenLines(text: string, from: number, limit: number): number | undefined {
	let last: number | undefined;
	let places = 0;
	for (let at = text.indexOf("\n", from); at !== -1 && at < limit; at = text.indexOf("\n", at + 1)) {
		last = at + 1;
		places += 1;
		if (places > MOST_PLACES) continue;
		if (isBetween(text, at)) return last;
	}
	return last;
}

/** The line ends with something that a value follows, holds the name of a pair, or belongs to a key. */
const GOES_ON =
	/[:=|>,([{\\+&-][ \t]*\r?$|[A-Za-z0-9+/=]{16,}["'`,;+ \\]{0,8}\r?$|PRIVATE KEY|DEK-Info|Proc-Type|Private-Lines/;
const NAMES = /(?:name|key|variable|value|password|passwd|secret|token)\b[^\n]{0,60}$/i;
const BEGINS = /^(?:[ \t]|[A-Za-z0-9+/=]{40,}|[>|#*+-][ \t]|\d{1,6}[:|→\t ]|["']?value\b|-----)/i;

/** Whether a line break separates two lines that do not belong to the same thing. */
export function isBetween(text: string, at: number): boolean {
	const before = text.slice(Math.max(0, at - LONGEST_CUT), at);
	const line = before.slice(before.lastIndexOf("\n") + 1);
	return !GOES_ON.test(line) && !NAMES.test(line) && !BEGINS.test(text.slice(at + 1, at + 1 + LONGEST_CUT));
}

const KEY_FORMATS = [
	{
		opens: "BEGIN ",
		key: /^BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY.{0,20}/,
	},
	{ opens: "<RSAKeyValue>", key: /^[\s\S]*?<\/RSAKeyValue>/ },
];
const LONGEST_OPENING = 80;

/** The end of the key that begins before a position or right there, if there is one. */
function endOfKey(text: string, at: number): number {
	const start = Math.max(0, at - MAX_KEY);
	const before = text.slice(start, at + LONGEST_OPENING);
	for (const { opens, key } of KEY_FORMATS) {
		const opened = before.lastIndexOf(opens);
		if (opened === -1) continue;
		const from = start + opened;
		const length = key.exec(text.slice(from, from + 2 * MAX_KEY))?.[0].length ?? 0;
		if (from + length > at) return from + length;
	}
	return at;
}

const TELLING_END = /pass|pwd|secret|token|key|auth|cred|[:=,|>\\-]\s*$/i;

/** A blank after a word that says nothing; otherwise any blank. */
function blankAfterWord(text: string, from: number, limit: number): number | undefined {
	let last: number | undefined;
	let places = 0;
	for (let at = from; at < limit; at += 1) {
		const code = text.charCodeAt(at);
		if (code !== 0x20 && code !== 0x09 && code !== 0x0a) continue;
		last = at + 1;
		if (code !== 0x20 || places === MOST_PLACES) continue;
		places += 1;
		if (!TELLING_END.test(text.slice(Math.max(0, at - 60), at))) return last;
	}
	return last;
}

/** A name beside which a value is a secret, or the members of a key as JSON. */
const OF_PAIR = /pass|pwd|secret|token|key|auth|cred|name|value|kty|crv|["'](?:d|p|q|dp|dq|qi|k)\\{0,3}["']:/i;
const CLOSED = /["'`)\]}]/;
const OPENS = /["'`([{\w$]/;

/**
 * After a comma, a semicolon or a bracket that ends a part of a minified file, far from any telling word; otherwise after
 * one that is at least far from them, or ends a part; otherwise after any of them, or after a quote. No token contains any
 * of these.
 */
function betweenParts(text: string, from: number, limit: number): number | undefined {
	let any: number | undefined;
	let quiet: number | undefined;
	let afterPart: number | undefined;
	let afterQuote: number | undefined;
	let places = 0;
	for (let at = from; at < limit; at += 1) {
		const character = text.charAt(at);
		if (character === '"' || character === "'") afterQuote = at + 1;
		if (character !== "," && character !== ";" && character !== "}" && character !== "&") continue;
		// The `&` marks the pair after it as part of a query.
		const cut = character === "&" ? at : at + 1;
		any = cut;
		const endsPart = CLOSED.test(text.charAt(at - 1)) && OPENS.test(text.charAt(at + 1));
		if (endsPart) afterPart = cut;
		if (places === MOST_PLACES) continue;
		places += 1;
		if (OF_PAIR.test(text.slice(Math.max(0, at - 60), at + 30))) continue;
		if (endsPart) return cut;
		quiet = cut;
	}
	return quiet ?? afterPart ?? any ?? afterQuote;
}
