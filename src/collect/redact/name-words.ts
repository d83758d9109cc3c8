import { isDigit, isOf, WORD_CHAR } from "./characters.ts";

/** A word of a name as a number, whatever its case: making a string of each word of a text is slow. */
export type Word = number;

export const NO_WORD: Word = 0;
/** A word of nothing but digits. */
export const DIGITS: Word = 1;

/**
 * FNV-1a of its capitals, in 30 bits: no two of the few hundred known words collide, and hardly any other word collides
 * with them.
 */
export function numberOfWord(text: string, from = 0, to = text.length): Word {
	let hash = 0x811c9dc5;
	for (let at = from; at < to; at += 1) {
		const code = text.charCodeAt(at);
		hash = Math.imul(hash ^ (code >= 0x61 && code <= 0x7a ? code - 0x20 : code), 0x01000193);
	}
	return hash & 0x3fffffff;
}

/** After these, a number does not count: password2. */
const NUMBERED = new Set(["PASSWORD", "TOKEN", "SECRET", "PASS", "KEY", "PW"].map((word) => numberOfWord(word)));

/**
 * The words of `db.password`, `DB_PASSWORD`, `dbPassword` and `X-Api-Key`, the last one first: mostly it says everything.
 */
export class WordsFromEnd {
	readonly #name: string;
	/** Where the last word that was read begins and ends. */
	from: number;
	to: number;

	constructor(name: string) {
		this.#name = name;
		this.from = name.length;
		this.to = name.length;
	}

	next(): Word {
		const name = this.#name;
		let to = this.from;
		while (to > 0 && !isOf(WORD_CHAR, name.charCodeAt(to - 1))) to -= 1;
		let from = to;
		while (from > 0 && isOf(WORD_CHAR, name.charCodeAt(from - 1))) {
			from -= 1;
			if (isCapital(name.charCodeAt(from)) && beginsWord(name, from)) break;
		}
		this.from = from;
		this.to = to;
		return from === to ? NO_WORD : wordWithoutNumber(name, from, to);
	}
}

/** A capital after a small letter or a digit, or the last of several capitals before a small letter. */
function beginsWord(name: string, at: number): boolean {
	if (at === 0 || !isCapital(name.charCodeAt(at - 1))) return true;
	const next = at + 1 < name.length ? name.charCodeAt(at + 1) : 0;
	return next >= 0x61 && next <= 0x7a;
}

export const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;

function wordWithoutNumber(name: string, from: number, to: number): Word {
	let digits = to;
	while (digits > from && isDigit(name.charCodeAt(digits - 1))) digits -= 1;
	if (digits === from) return DIGITS;
	if (digits < to) {
		const word = numberOfWord(name, from, digits);
		if (NUMBERED.has(word)) return word;
	}
	return numberOfWord(name, from, to);
}
