import { DASHED, DASHES, endOf, isOf, startOf, TOKEN_CHAR, WORD_CHAR } from "./characters.ts";
import { ESCAPE, maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";
import type { TokenFormat } from "./token-format.ts";
import { TOKEN_FORMATS } from "./token-formats/all.ts";
import { MARKED_FORMATS, type MarkedFormat } from "./token-formats/marked.ts";
import { endOfRandom, unknownTokenAt } from "./unknown-tokens.ts";

/** Formats that begin with the same two characters, in one expression with a group for each of them. */
interface Bucket {
	pattern: RegExp;
	formats: TokenFormat[];
}

/** Created on first use: most processes redact nothing while they start. */
let buckets: (Bucket | undefined)[] | undefined;
const MARKED = MARKED_FORMATS.map((format) => ({ format, pattern: new RegExp(format.source, "y") }));
const AT_ESCAPE = new RegExp(ESCAPE, "y");
/** A longer match may have ended at the limit of its pattern: the rest of the run is masked with it. */
const LONG = 240;

/** `ghp_xxxxxxxx…` in documentation. */
const FILLED_WITH_X = /x{12}|X{12}|\*{6}/;

/** This many marks within few characters, without a token. */
const MOST_MARKS = 8;
const MARKS_WITHIN = 400;

/**
 * Masks tokens that are identified by their format. Marked ones first: the text after the mark of one looks like another.
 */
export function maskTokens(text: string): string {
	return maskPrefixed(maskMarked(text));
}

/**
 * Examines each character once. Only at the beginning of a word, its first two characters select the formats to try: this
 * way 200 formats cost no more than one, in any text.
 */
function maskPrefixed(text: string): string {
	const rewriting = new Rewriting(text);
	maskPrefixedInto(rewriting, text);
	return rewriting.result();
}

function maskPrefixedInto(rewriting: Rewriting, text: string): void {
	let rejectedTo = 0;
	let escapeEnd = 0;
	let wordBefore = false;
	const tries = new FailedTries();
	for (let at = 0; at < text.length; ) {
		const code = text.charCodeAt(at);
		if (code === 0x5c || code === 0x25 || code === 0x1b) escapeEnd = endOfEscape(text, at);
		const isWord = isOf(WORD_CHAR, code);
		if ((!isWord && code !== 0x24) || (wordBefore && at !== escapeEnd)) {
			wordBefore = isWord;
			at += 1;
			continue;
		}
		const found = knownTokenAt(text, at, rejectedTo, tries);
		if (found?.rejected === true) rejectedTo = found.end;
		if (found !== undefined && !found.rejected) {
			rewriting.replace(at, found.end, found.mask);
			at = found.end;
			wordBefore = false;
			continue;
		}
		const runEnd = Math.max(at + 1, endOf(text, at, WORD_CHAR, text.length));
		const unknown = unknownTokenAt(text, at, runEnd);
		if (unknown !== undefined) {
			rewriting.replace(Math.max(rewriting.done, unknown.start), unknown.end, maskOf("token"));
			at = unknown.end;
			wordBefore = false;
			continue;
		}
		at = escapeEnd > at && escapeEnd < runEnd ? escapeEnd : runEnd;
		wordBefore = true;
	}
}

interface FoundToken {
	end: number;
	mask: string;
	rejected: boolean;
}

/** If the same beginning fails this many times in one run of characters, it is skipped in the next part of the run. */
class FailedTries {
	#bucket: Bucket | undefined;
	#times = 0;
	#from = 0;
	#notBefore = 0;

	isInVain(bucket: Bucket, at: number): boolean {
		return bucket === this.#bucket && at < this.#notBefore;
	}

	failed(text: string, bucket: Bucket, at: number): void {
		if (bucket !== this.#bucket || at > this.#from + MARKS_WITHIN) {
			this.#bucket = bucket;
			this.#times = 0;
			this.#from = at;
		}
		this.#times += 1;
		if (this.#times < MOST_MARKS) return;
		const inOneRun = startOf(text, at, DASHED, MARKS_WITHIN) <= this.#from;
		this.#times = 0;
		this.#from = at;
		if (inOneRun) this.#notBefore = endOf(text, at, DASHED, MARKS_WITHIN / 4);
	}
}

function knownTokenAt(text: string, at: number, rejectedTo: number, tries: FailedTries): FoundToken | undefined {
	const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)];
	buckets ??= bucketsOf(TOKEN_FORMATS);
	const bucket = first < 128 && second < 128 ? buckets[(first << 7) | second] : undefined;
	if (bucket === undefined || tries.isInVain(bucket, at)) return undefined;
	bucket.pattern.lastIndex = at;
	const match = bucket.pattern.exec(text);
	if (match === null) {
		tries.failed(text, bucket, at);
		return undefined;
	}
	const whole = match[0];
	const format = bucket.formats[match.findIndex((group, index) => index > 0 && group !== undefined) - 1];
	const end = at + whole.length;
	if (format === undefined || FILLED_WITH_X.test(whole)) return undefined;
	if (format.accept !== undefined && (at < rejectedTo || !format.accept(whole))) {
		return { end: Math.max(end, rejectedTo), mask: "", rejected: true };
	}
	return {
		end: whole.length < LONG ? endOfKnown(text, end) : endOf(text, end, DASHED, text.length),
		mask: `${format.keep?.exec(whole)?.[0] ?? ""}${maskOf(format.kind)}`,
		rejected: false,
	};
}

/**
 * A format may describe a smaller alphabet than the service uses now: `_` and `-` do not end a token if random characters
 * follow.
 */
function endOfKnown(text: string, end: number): number {
	if (!isOf(DASHES, text.charCodeAt(end)) || !isOf(WORD_CHAR, text.charCodeAt(end - 1))) return end;
	const to = endOfRandom(text, end);
	return to - end > 12 ? to : end;
}

function maskMarked(text: string): string {
	let masked = text;
	for (const { format, pattern } of MARKED) masked = maskFormat(masked, format, pattern);
	return masked;
}

function maskFormat(text: string, format: MarkedFormat, pattern: RegExp): string {
	const rewriting = new Rewriting(text);
	let failed = { times: 0, before: 0 };
	format.marker.lastIndex = 0;
	for (let marker = format.marker.exec(text); marker !== null; marker = format.marker.exec(text)) {
		const at = marker.index;
		const start = Math.max(rewriting.done, startOf(text, at + 1, TOKEN_CHAR, format.before + 1));
		const match = matchFrom(text, pattern, start, at);
		if (match === undefined) {
			failed = at < failed.before ? { ...failed, times: failed.times + 1 } : { times: 1, before: at + MARKS_WITHIN };
			// A run of marks is not a token: the rest of it is skipped.
			if (failed.times === MOST_MARKS) format.marker.lastIndex = endOf(text, at + 1, TOKEN_CHAR, text.length);
			continue;
		}
		const whole = text.slice(match.start, match.end);
		rewriting.replace(match.start, match.end, `${format.keep?.exec(whole)?.[0] ?? ""}${maskOf(format.kind)}`);
		format.marker.lastIndex = match.end;
	}
	return rewriting.result();
}

/** The token begins at the first of the characters before the marker, or after the last of them that ends a word. */
function matchFrom(
	text: string,
	pattern: RegExp,
	start: number,
	marker: number,
): { start: number; end: number } | undefined {
	for (let from = start; from <= marker; from += 1) {
		if (from > start && isOf(WORD_CHAR, text.charCodeAt(from - 1))) continue;
		if (from === start && from > 0 && isOf(WORD_CHAR, text.charCodeAt(from - 1))) continue;
		pattern.lastIndex = from;
		if (pattern.test(text)) return { start: from, end: pattern.lastIndex };
	}
	return undefined;
}

function endOfEscape(text: string, at: number): number {
	AT_ESCAPE.lastIndex = at;
	return AT_ESCAPE.test(text) ? AT_ESCAPE.lastIndex : 0;
}

function bucketsOf(formats: readonly TokenFormat[]): (Bucket | undefined)[] {
	const sources = new Map<number, { format: TokenFormat; source: string }[]>();
	for (const format of formats) {
		for (const prefix of format.prefixes) {
			const any = prefix.length === 2 && prefix.endsWith("?");
			const source = `${any ? `${prefix.charAt(0)}[\\w-]` : escaped(prefix)}${format.body}`;
			for (const second of any ? SECONDS : [prefix.charCodeAt(1)]) {
				const key = (prefix.charCodeAt(0) << 7) | second;
				sources.set(key, [...(sources.get(key) ?? []), { format, source }]);
			}
		}
	}
	const made: (Bucket | undefined)[] = new Array(128 * 128).fill(undefined);
	for (const [key, entries] of sources) {
		const pattern = new RegExp(entries.map(({ source }) => `(${source})`).join("|"), "y");
		made[key] = { pattern, formats: entries.map(({ format }) => format) };
	}
	return made;
}

const SECONDS = Array.from({ length: 128 }, (_, code) => code).filter((code) =>
	/[\w-]/.test(String.fromCharCode(code)),
);

const escaped = (literal: string): string => literal.replace(/[$+.?*()[\]{}|/\\^-]/g, "\\$&");
