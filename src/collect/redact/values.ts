import { isSpace } from "./characters.ts";
import type { Notation } from "./secret-values.ts";

/** What may be the value of a name: where it begins, where it ends, and how it is written. */
export interface Value {
	start: number;
	end: number;
	notation: Notation;
}

const MAX_VALUE = 8_000;
/** A bare value is judged by its beginning: otherwise a long line of such names would be read again for each of them. */
const JUDGED = 64;

const ANY_DIGIT = /\d/g;
const QUOTE = /(?:\*?[rbfuNL$]{1,2}|@)?(\\{0,3}(?:"""|'''|["'`]))/iy;

/** Characters that end a bare value, and those that end one of an environment file. */
const ENDS_BARE = new Uint8Array(128);
const ENDS_ENVIRONMENT = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
	const character = String.fromCharCode(code);
	// The environment of a process has a NUL between its variables.
	if (/[\s"'`,;<>(){}[\]|]/.test(character) || code === 0) ENDS_BARE[code] = 1;
	if (/[\s"'`]/.test(character) || code === 0) ENDS_ENVIRONMENT[code] = 1;
}

/** Whether a bare value ends before a character, or with the text. */
export const endsBare = (code: number): boolean =>
	code < 128 ? ENDS_BARE[code] === 1 : !(code >= 128) || isSpace(code);

/** Reads the values in a text. */
export class ValueReader {
	readonly #text: string;
	/**
	 * Ranges where no bare value ends. Consecutive names have overlapping values: what was read for one is not read again.
	 */
	readonly #open = { bare: { from: 0, to: 0 }, environment: { from: 0, to: 0 } };
	#digit = -1;

	constructor(text: string) {
		this.#text = text;
	}

	/** The value that begins at `from`: up to its closing quote, or as much of a bare one as is judged. */
	read(from: number, environment: boolean): Value | undefined {
		const quote = quoteAt(this.#text, from);
		if (quote !== undefined) {
			const start = from + quote.length;
			return { start, end: closingQuote(this.#text, start, quote.mark), notation: "quoted" };
		}
		const notation = environment ? "environment" : "bare";
		if (this.#text.charCodeAt(from) === 0x3a) return undefined;
		const end = this.#endOfBare(from, notation, JUDGED);
		return end === from ? undefined : { start: from, end, notation };
	}

	/** The value up to its end, once its beginning was found to be a secret. */
	whole(value: Value): Value {
		if (value.notation === "quoted" || value.end - value.start < JUDGED) return value;
		return { ...value, end: this.#endOfBare(value.end, value.notation, MAX_VALUE) };
	}

	/** The end of the last bare values that were read, if a position is in one of them; otherwise the position. */
	endOfRun(at: number): number {
		const { bare, environment } = this.#open;
		return Math.max(at, at >= bare.from ? bare.to : 0, at >= environment.from ? environment.to : 0);
	}

	/** Where the next digit is. Queried from the beginning of a text to its end, it reads each character once. */
	nextDigit(from: number): number {
		if (this.#digit >= from) return this.#digit;
		ANY_DIGIT.lastIndex = from;
		this.#digit = ANY_DIGIT.test(this.#text) ? ANY_DIGIT.lastIndex - 1 : this.#text.length;
		return this.#digit;
	}

	#endOfBare(from: number, notation: "bare" | "environment", most: number): number {
		const ends = notation === "environment" ? ENDS_ENVIRONMENT : ENDS_BARE;
		const open = this.#open[notation];
		if (from < open.from || from > open.to) {
			open.from = from;
			open.to = from;
		}
		const limit = Math.min(this.#text.length, from + most);
		while (open.to < limit) {
			const code = this.#text.charCodeAt(open.to);
			if (code < 128 ? ends[code] === 1 : isSpace(code)) break;
			open.to += 1;
		}
		return Math.min(open.to, limit);
	}
}

function quoteAt(text: string, from: number): { length: number; mark: string } | undefined {
	const first = text.charCodeAt(from);
	if (first === 0x22 || first === 0x27 || first === 0x60) {
		const isTriple = first !== 0x60 && text.charCodeAt(from + 1) === first && text.charCodeAt(from + 2) === first;
		// The text of a triple quote may begin on the next line.
		const next = isTriple ? text.charCodeAt(from + 3) : 0;
		const length = (isTriple ? 3 : 1) + (next === 0x0a ? 1 : next === 0x0d ? 2 : 0);
		return { length, mark: isTriple ? text.slice(from, from + 3) : text.charAt(from) };
	}
	// Hardly any value begins with a character that may come before a quote.
	if (!(first < 0x80 && QUOTE_STARTS[first] === 1)) return undefined;
	QUOTE.lastIndex = from;
	const found = QUOTE.exec(text);
	return found?.[1] === undefined ? undefined : { length: found[0].length, mark: found[1] };
}

const QUOTE_STARTS = new Uint8Array(128);
for (const character of "*rbfunlRBFUNL$@\\") QUOTE_STARTS[character.charCodeAt(0)] = 1;

/** A value whose quote is not closed on its line was cut off, and extends to the end of the line. */
function closingQuote(text: string, start: number, quote: string): number {
	const limit = Math.min(text.length, start + MAX_VALUE);
	const mark = quote.charCodeAt(quote.length - 1);
	for (let position = start; position < limit; position += 1) {
		const code = text.charCodeAt(position);
		if (code === 0x0a || code === 0x0d) return position;
		if (code === mark || code === 0x5c) {
			if (text.startsWith(quote, position)) return position;
			if (code === 0x5c && quote.length === 1) position += 1;
		}
	}
	return limit;
}
