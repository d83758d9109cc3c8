/** What a character may be a part of. A table, because a regular expression for each character is far too slow. */
const WORD = 1;
const NAME = 2;
const TOKEN = 4;
const BASE64 = 8;

const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
	const character = String.fromCharCode(code);
	if (/[A-Za-z0-9]/.test(character)) CLASSES[code] = WORD | NAME | TOKEN | BASE64;
	else if (/[_.-]/.test(character)) CLASSES[code] = NAME | TOKEN;
	else if (/[+/=]/.test(character)) CLASSES[code] = TOKEN | BASE64;
	else if (/[~$!|:@%]/.test(character)) CLASSES[code] = TOKEN;
}

const is = (code: number, kind: number): boolean => code < 128 && ((CLASSES[code] ?? 0) & kind) !== 0;

/** A letter or a digit. */
export const isWordCode = (code: number): boolean => is(code, WORD);
/** Part of a name as programs and files write it: `db.password`, `X-Api-Key`, `API_KEY`. */
export const isNameCode = (code: number): boolean => is(code, NAME);
/** Part of a token: all that may stand in one without a space. */
export const isTokenCode = (code: number): boolean => is(code, TOKEN);
export const isBase64Code = (code: number): boolean => is(code, BASE64);

/** The first position at or after `from` whose character does not fit, at most `most` characters on. */
export function endOf(text: string, from: number, fits: (code: number) => boolean, most: number): number {
	const limit = Math.min(text.length, from + most);
	let end = from;
	while (end < limit && fits(text.charCodeAt(end))) end += 1;
	return end;
}

/** The same towards the beginning of the text. */
export function startOf(text: string, from: number, fits: (code: number) => boolean, most: number): number {
	const limit = Math.max(0, from - most);
	let start = from;
	while (start > limit && fits(text.charCodeAt(start - 1))) start -= 1;
	return start;
}
