/** The kinds of a character, one bit each. A table, because a regular expression for each character is far too slow. */
const LETTER_OR_DIGIT = 1;
const DASH = 2;
const DOT = 4;
const OF_BASE64 = 8;
const OF_TOKEN = 16;

const CHARACTER_KINDS = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
	const character = String.fromCharCode(code);
	if (/[A-Za-z0-9]/.test(character)) CHARACTER_KINDS[code] = LETTER_OR_DIGIT;
	else if (/[_-]/.test(character)) CHARACTER_KINDS[code] = DASH;
	else if (character === ".") CHARACTER_KINDS[code] = DOT;
	else if (/[+/=]/.test(character)) CHARACTER_KINDS[code] = OF_BASE64;
	else if (/[~$!|:@%]/.test(character)) CHARACTER_KINDS[code] = OF_TOKEN;
}

/** A set of kinds of characters. A number and not a function: a call for each character is slow. */
export type Characters = number;

/** Letters and digits. */
export const WORD_CHAR: Characters = LETTER_OR_DIGIT;
/** `-` and `_`. */
export const DASHES: Characters = DASH;
/** Words with dashes between them. */
export const DASHED: Characters = WORD_CHAR | DASH;
/** Names as programs and files write them: `db.password`, `X-Api-Key`, `API_KEY`. */
export const NAME_CHAR: Characters = DASHED | DOT;
export const BASE64: Characters = WORD_CHAR | OF_BASE64;
/** All characters that a token may have. */
export const TOKEN_CHAR: Characters = NAME_CHAR | OF_BASE64 | OF_TOKEN;

export const isOf = (characters: Characters, code: number): boolean =>
	code < 128 && ((CHARACTER_KINDS[code] ?? 0) & characters) !== 0;

/** The first position at or after `from` whose character does not match, at most `most` characters on. */
export function endOf(text: string, from: number, characters: Characters, most: number): number {
	const limit = Math.min(text.length, from + most);
	let end = from;
	while (end < limit && isOf(characters, text.charCodeAt(end))) end += 1;
	return end;
}

/** The same towards the beginning of the text. */
export function startOf(text: string, from: number, characters: Characters, most: number): number {
	const limit = Math.max(0, from - most);
	let start = from;
	while (start > limit && isOf(characters, text.charCodeAt(start - 1))) start -= 1;
	return start;
}

/** A space or a tab. */
export const isSpaceOrTab = (code: number): boolean => code === 0x20 || code === 0x09;

/** What `\s` stands for. */
export function isSpace(code: number): boolean {
	if (code < 0xa0) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
	return code === 0xa0 || (code >= 0x1680 && /\s/.test(String.fromCharCode(code)));
}

export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** `"` and `'` */
export const isQuote = (code: number): boolean => code === 0x22 || code === 0x27;

/** The first position at or after `from` that is not a blank, at most `most` characters on. */
export function skipBlanks(text: string, from: number, most = 20): number {
	let at = from;
	while (at < from + most && isSpaceOrTab(text.charCodeAt(at))) at += 1;
	return at;
}

/** At most `most` characters before a position. */
export const textBefore = (text: string, at: number, most: number): string => text.slice(Math.max(0, at - most), at);
