import { BASE64, DASHES, endOf, isOf, startOf } from "./characters.ts";
import { maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";

/** Shorter text holds no name and no secret. */
const LEAST_ENCODED = 24;
const LONGEST_ENCODED = 40_000;
/** base64, or base64url. */
const RUN = BASE64 | DASHES;
/** What the text of images, fonts and source maps begins with. */
const DATA_URL = ";base64,";

/** The bits of each character, and whether a byte can be one of a text. */
const BITS = new Uint8Array(128).fill(64);
for (const [at, character] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
	BITS[character.charCodeAt(0)] = at;
BITS[0x2d] = 62;
BITS[0x5f] = 63;
const isOfText = (byte: number): boolean =>
	(byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09;

interface Encoded {
	from: number;
	end: number;
	decoded: string;
}

/** Masks base64 as a whole if what it encodes is a text with a secret: a file of variables, a connection string, JSON. */
export function maskEncodedText(text: string, redact: (decoded: string) => string): string {
	const encoded = encodedIn(text);
	if (encoded.length === 0) return text;
	// All at once: to redact each of thousands by itself is slow.
	const all = encoded.map(({ decoded }) => decoded).join(BETWEEN);
	const redacted = redact(all);
	if (redacted === all) return text;
	const parts = redacted.split(BETWEEN);
	const rewriting = new Rewriting(text);
	for (const [index, { from, end, decoded }] of encoded.entries()) {
		// A mask that took the separator with it leaves the parts uncertain: they are all masked.
		if (parts.length !== encoded.length || parts[index] !== decoded)
			rewriting.replace(from, end, maskOf("encoded-secret"));
	}
	return rewriting.result();
}

/** No text has it, and every value ends there. */
const BETWEEN = "\n\0\n";

function encodedIn(text: string): Encoded[] {
	const found: Encoded[] = [];
	// Each run of so many characters has one of these places in it.
	for (let at = LEAST_ENCODED - 1; at < text.length; at += LEAST_ENCODED) {
		if (!isOf(RUN, text.charCodeAt(at))) continue;
		const end = endOf(text, at, RUN, LONGEST_ENCODED);
		const from = afterName(text, startOf(text, at, RUN, LEAST_ENCODED), end);
		at = end;
		if (end - from < LEAST_ENCODED || !beginsText(text, from)) continue;
		if (text.startsWith(DATA_URL, from - DATA_URL.length)) continue;
		const decoded = Buffer.from(text.slice(from, end), "base64").toString("latin1");
		if (/^[\t\n\r\x20-\x7e]+$/.test(decoded)) found.push({ from, end, decoded });
	}
	return found;
}

/** `NAME=` may come before it. */
function afterName(text: string, from: number, end: number): number {
	let last = end;
	while (last > from && text.charCodeAt(last - 1) === 0x3d) last -= 1;
	return from + text.slice(from, last).lastIndexOf("=") + 1;
}

/** Whether the first twelve bytes are characters: hardly any word, checksum or image is like that. */
function beginsText(text: string, from: number): boolean {
	for (let at = from; at < from + 16; at += 4) {
		let bits = 0;
		for (let next = at; next < at + 4; next += 1) bits = (bits << 6) | (BITS[text.charCodeAt(next)] ?? 64);
		if (!isOfText(bits >> 16) || !isOfText((bits >> 8) & 0xff) || !isOfText(bits & 0xff)) return false;
	}
	return true;
}
