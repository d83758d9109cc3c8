import { BASE64, endOf } from "./characters.ts";
import { maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";

const KEY_MASK = maskOf("private-key");
const LABEL = String.raw`(?:[A-Z0-9 ]|%20|\+){0,80}PRIVATE(?: |%20|\+)KEY(?:(?: |%20|\+)BLOCK)?|OpenVPN Static key V\d`;
const MARKER = new RegExp(String.raw`-{4,5} ?(BEGIN|END)(?: |%20|\+)(?:${LABEL}) ?-{4,5}`, "g");
/** Longer than any key in use; markers farther apart are two markers in code. */
const MAX_BODY = 20_000;
const MAX_LINE = 400;
const KEY_MATERIAL = /[A-Za-z0-9+/=%]{30}/;
/** A line of a key, with what a listing, a diff, a quote or a string puts around it. */
const KEY_LINE = /^.{0,120}?(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{16,}={0,3}(?:\\[nr])*["'`,;+ \\]{0,8}\r?$/;
const HEADER_LINE =
	/^.{0,60}?(?:Proc-Type: |DEK-Info: |Version: |Comment: |Charset: |Hash: )|^[\s>|#*+\d:.→-]{0,60}\r?$/;
/** The other remains of a key whose end was cut off: its lines in one, with escaped line breaks between them. */
const CUT_OFF_BODY = /(?:(?:\\{1,2}[nr]|%0[AD]|[\s"'+>|#*\\]){0,20}[A-Za-z0-9+/=]{16,}){1,2000}/y;
const PUTTY_BODY = /(Private-Lines: \d+\s{1,4})(?:[A-Za-z0-9+/=]{1,100}(?:\r?\n|$)){1,400}/g;
const PUTTY_MAC = /(Private-MAC: )[0-9a-f]{40,200}/g;
const JWK_SECRET =
	/((?<![\w.])\\{0,3}["']?(?:d|p|q|dp|dq|qi|k)\\{0,3}["']?\s{0,4}:\s{0,4}\\{0,3}["']?)[\w-]{20,2000}(?=\\{0,3}["'\s,}]|$)/g;
/** The numbers of a key as DNSSEC and OpenSSL write them. */
const NAMED_NUMBER =
	/((?:PrivateExponent|Prime[12]|Exponent[12]|Coefficient): {0,4})[A-Za-z0-9+/=]{40,2000}|(\b(?:priv|privateExponent|prime[12]|exponent[12]|coefficient):\r?\n)(?:[ \t]{0,8}(?:[0-9a-f]{2}:){1,32}(?:[0-9a-f]{2})?\r?\n?){1,100}/g;
const ANSIBLE_VAULT =
	/(\$ANSIBLE_VAULT;[\w.;-]{3,60}(?:\r?\n|\\n)[^\n\w]{0,40})[0-9a-f]{20,}(?:(?:\r?\n|\\n)[^\n\w]{0,40}[0-9a-f]{2,}){0,2000}/g;
const JWK_IN_URL = /(%22(?:d|p|q|dp|dq|qi|k)%22(?:%3A|:)(?:%20)?%22)[\w-]{20,2000}/g;
const XML_SECRET = /(<(?:D|P|Q|DP|DQ|InverseQ)>)[A-Za-z0-9+/=\s]{20,2000}(?=<)/g;
/** `-----BEGIN ` in base64. */
const BASE64_PEM = "LS0tLS1CRUdJTi";
const MAX_ENCODED = 40_000;

/** Signs of every key that is found by more than its own characters. */
export const MAY_HOLD_KEY = new RegExp(
	String.raw`PRIVATE(?: |%20|\+)KEY|OpenVPN Static key|ANSIBLE_VAULT|rivateExponent|Private-Key: \(|${BASE64_PEM}|Private-Lines: |<RSAKeyValue>|kty\b`,
);

/** Masks the body of private keys and leaves the lines around it, so that the reader sees that there was a key. */
export function maskPrivateKeys(text: string): string {
	let masked = text;
	if (/PRIVATE(?: |%20|\+)KEY|OpenVPN Static key/.test(masked)) masked = maskPem(masked);
	if (masked.includes(BASE64_PEM)) masked = maskEncodedPem(masked);
	if (masked.includes("Private-Lines: ")) {
		masked = masked.replace(PUTTY_BODY, `$1${KEY_MASK}\n`).replace(PUTTY_MAC, `$1${KEY_MASK}`);
	}
	if (masked.includes("rivateExponent") || masked.includes("Private-Key: ("))
		masked = masked.replace(NAMED_NUMBER, (_key, named = "", listed = "") =>
			listed === "" ? named + KEY_MASK : `${listed}    ${KEY_MASK}\n`,
		);
	if (masked.includes("$ANSIBLE_VAULT;")) masked = masked.replace(ANSIBLE_VAULT, `$1${maskOf("ansible-vault")}`);
	if (masked.includes("<RSAKeyValue>")) masked = masked.replace(XML_SECRET, `$1${KEY_MASK}`);
	if (masked.includes("%22kty%22")) masked = masked.replace(JWK_IN_URL, `$1${KEY_MASK}`);
	return /\bkty\b/.test(masked) ? masked.replace(JWK_SECRET, `$1${KEY_MASK}`) : masked;
}

interface Marker {
	from: number;
	to: number;
	begins: boolean;
}

/**
 * Every marker is examined once, and no text between two of them more than twice: a text of nothing but markers is not
 * slow.
 */
function maskPem(text: string): string {
	const rewriting = new Rewriting(text);
	const markers = markersIn(text);
	for (const [index, marker] of markers.entries()) {
		const next = markers[index + 1];
		if (!marker.begins) {
			const previous = markers[index - 1];
			// The end of a key whose beginning is not in the text.
			if (previous?.begins !== true) {
				const lineStart = startOfLine(text, marker.from);
				const from = firstKeyLine(text, lineStart, Math.max(rewriting.done, previous?.to ?? 0));
				if (hasKey(text, from, lineStart)) rewriting.replace(from, lineStart, `${KEY_MASK}\n`);
			}
			continue;
		}
		const complete = next?.begins === false && next.from - marker.to <= MAX_BODY;
		const to = complete ? next.from : cutOffAt(text, marker.to, next?.from ?? text.length);
		if (hasKey(text, marker.to, to)) rewriting.replace(marker.to, to, `\n${KEY_MASK}${complete ? "\n" : ""}`);
	}
	return rewriting.result();
}

function markersIn(text: string): Marker[] {
	return [...text.matchAll(MARKER)].map((match) => ({
		from: match.index,
		to: match.index + match[0].length,
		begins: match[1] === "BEGIN",
	}));
}

const hasKey = (text: string, from: number, to: number): boolean =>
	to - from >= 30 && KEY_MATERIAL.test(text.slice(from, to));

/** Goes back line by line as long as the lines belong to a key. */
function firstKeyLine(text: string, end: number, after: number): number {
	const limit = Math.max(after, end - MAX_BODY);
	let from = end;
	while (from > limit) {
		const start = Math.max(limit, startOfLine(text, from - 1));
		if (!KEY_LINE.test(text.slice(start, from - 1))) break;
		from = start;
	}
	return from;
}

/** At most as far back as the longest line of a key. */
function startOfLine(text: string, at: number): number {
	const from = Math.max(0, at - MAX_LINE);
	return from + text.slice(from, at).lastIndexOf("\n") + 1;
}

function cutOffAt(text: string, from: number, before: number): number {
	const rest = text.slice(from, Math.min(before, from + MAX_BODY));
	CUT_OFF_BODY.lastIndex = 0;
	const direct = CUT_OFF_BODY.exec(rest)?.[0].length ?? 0;
	return from + Math.max(direct, lastKeyLine(rest));
}

/** Where the last of the lines of a key ends, from the line after the marker on. */
function lastKeyLine(rest: string): number {
	let end = 0;
	let line = rest.indexOf("\n") + 1;
	while (line > 0 && line < rest.length) {
		const found = rest.indexOf("\n", line);
		const lineEnd = found === -1 ? rest.length : found;
		if (lineEnd - line > MAX_LINE) break;
		const written = rest.slice(line, lineEnd);
		if (KEY_LINE.test(written)) end = lineEnd;
		else if (!HEADER_LINE.test(written)) break;
		line = lineEnd + 1;
	}
	return end;
}

/** A key in base64 as a whole: `client-key-data` of a kubeconfig, a variable of a build. */
function maskEncodedPem(text: string): string {
	const rewriting = new Rewriting(text);
	for (let at = text.indexOf(BASE64_PEM); at !== -1; at = text.indexOf(BASE64_PEM, at + 1)) {
		const end = endOf(text, at, BASE64, MAX_ENCODED);
		const opening = Buffer.from(text.slice(at, Math.min(end, at + 100)), "base64").toString("latin1");
		if (!opening.includes("PRIVATE KEY")) {
			at = end;
			continue;
		}
		const to = endOfWrapped(text, end);
		rewriting.replace(at, to, KEY_MASK);
		at = to;
	}
	return rewriting.result();
}

/** The command line's base64 breaks lines after 76 characters. */
function endOfWrapped(text: string, from: number): number {
	let end = from;
	for (let lines = 0; lines < 200; lines += 1) {
		const next = /^\r?\n[ \t]{0,12}/.exec(text.slice(end, end + 16))?.[0].length ?? 0;
		if (next === 0) break;
		const lineEnd = endOf(text, end + next, BASE64, 200);
		const length = lineEnd - end - next;
		if (length === 0 || /[^\s]/.test(text.charAt(lineEnd))) break;
		// The last line may be short.
		if (length < 16 && (length % 4 !== 0 || !/[A-Z0-9=]/.test(text.slice(end + next, lineEnd)))) break;
		end = lineEnd;
	}
	return end;
}
