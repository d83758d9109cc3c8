import { maskOf } from "./mask.ts";

const MASK = maskOf("private-key");
const BEGIN = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/g;
/** Longer than any key in use; what is farther apart are two markers in code. */
const MAX_BODY = 20_000;
const KEY_MATERIAL = /[A-Za-z0-9+/=]{40}/;
/** What is left of a key whose end was cut off: lines of base64, with what a diff, a quote or a string puts around them. */
const CUT_OFF_BODY = /(?:(?:\\[nr]|[\s"'+>|#*\\]){0,20}[A-Za-z0-9+/=]{16,})+/y;
const PUTTY_BODY = /(Private-Lines: \d+\s{1,4})(?:[A-Za-z0-9+/=]{1,100}(?:\r?\n|$))+/g;
const PUTTY_MAC = /(Private-MAC: )[0-9a-f]{40,}/g;
const JWK_SECRET = /("(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}")[\w-]{20,}(?=")/g;

/** Masks the body of private keys and leaves the lines around it, so that the reader sees what was there. */
export function maskPrivateKeys(text: string): string {
	let masked = text.includes("PRIVATE KEY") ? maskPem(text) : text;
	if (masked.includes("Private-Lines: ")) {
		masked = masked.replace(PUTTY_BODY, `$1${MASK}\n`).replace(PUTTY_MAC, `$1${MASK}`);
	}
	return masked.includes('"kty"') ? masked.replace(JWK_SECRET, `$1${MASK}`) : masked;
}

function maskPem(text: string): string {
	let output = "";
	let copied = 0;
	let noEndBefore = 0;
	for (const begin of text.matchAll(BEGIN)) {
		const from = begin.index + begin[0].length;
		if (from <= copied) continue;
		// Searched once for many beginnings without an end, so that such a text is not slow.
		const end = noEndBefore > from ? noEndBefore : indexOrLength(text, "-----END ", from);
		noEndBefore = end;
		const complete = end < text.length && end - from <= MAX_BODY;
		const to = complete ? end : cutOffAt(text, from);
		if (!KEY_MATERIAL.test(text.slice(from, to))) continue;
		output += `${text.slice(copied, from)}\n${MASK}${complete ? "\n" : ""}`;
		copied = to;
	}
	return copied === 0 ? text : output + text.slice(copied);
}

function indexOrLength(text: string, part: string, from: number): number {
	const found = text.indexOf(part, from);
	return found === -1 ? text.length : found;
}

function cutOffAt(text: string, from: number): number {
	CUT_OFF_BODY.lastIndex = from;
	const body = CUT_OFF_BODY.exec(text);
	return body === null ? from : from + body[0].length;
}
