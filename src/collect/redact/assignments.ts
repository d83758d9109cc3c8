import { endOf, isSpaceOrTab, NAME_CHAR, startOf } from "./characters.ts";
import { type CredentialName, nameKind } from "./credential-names.ts";
import { MASK_WITH_KIND, MASKED, maskOf } from "./mask.ts";
import { Neighbourhood } from "./neighbourhood.ts";
import { isOurSession } from "./references.ts";
import { Rewriting } from "./rewriting.ts";
import {
	isSecretValue,
	LEAST_VALUE,
	looksChosen,
	looksMixed,
	looksRandom,
	looksShuffled,
	looksStrong,
} from "./secret-values.ts";
import { type Separation, separationAfter } from "./separators.ts";
import { isShortNameOfPassword } from "./short-names.ts";
import { valueBefore } from "./value-before.ts";
import { type Value, ValueReader } from "./values.ts";

/** The telling part of a name. The rest of the name is read from there in both directions. */
const TELLING_PART =
	/pass|pwd|pw|pswd|psk|secret|token|key|auth|cred|jwt|pat|dsn|bearer|salt|pepper|totp|pfx|p12|jks|mnemonic|phrase|conn(?:ection)?[_-]?str|kennwort|senha|contrase(?:n|ñ)a|masterauth|sonar\.login/gi;
const MAX_NAME = 80;
const CLOSERS = new Uint8Array(128);
for (const character of "\"'`]\\*!)") CLOSERS[character.charCodeAt(0)] = 1;

/** A possible name of a credential, as found in a text. */
export interface FoundName {
	start: number;
	/** After the name and its closers. */
	end: number;
	name: string;
	/** Quotes, brackets and stars that end the name: `"password"`, `config['password']`, `**Password**`. */
	closers: string;
}

/** Created once: a text may hold hundreds of thousands. */
const MASKS = { password: maskOf("password"), secret: maskOf("secret"), token: maskOf("token") };

/**
 * After this many names without a secret in one run of characters, the names inside the last examined value are skipped.
 */
const MOST_HARMLESS = 12;

interface Secret extends Value {
	kind: CredentialName;
	/** It ends where such a value ends by itself: without it, the surrounding text reads as before. */
	settled: boolean;
}

/**
 * Masks the values assigned to names of credentials, in the notations of configuration files, shells and languages. In a
 * text that was read before, only names that can see one of the masks at `since` are read. Returns where the new masks are:
 * all of them, and those that may have isolated something.
 */
export function maskAssignments(text: string, since?: readonly number[]): Assigned {
	const rewriting = new Rewriting(text);
	const masks = { all: [], unsettled: [] };
	maskInto(rewriting, text, masks, since && new Neighbourhood(text, since));
	return { text: rewriting.result(), masks };
}

interface Assigned {
	text: string;
	masks: { all: number[]; unsettled: number[] };
}

/**
 * A separate function, so that the engine keeps the code that it compiled for the loop instead of discarding it afterwards.
 */
function maskInto(rewriting: Rewriting, text: string, masks: Assigned["masks"], near?: Neighbourhood): void {
	const values = new ValueReader(text);
	let harmless = 0;
	TELLING_PART.lastIndex = 0;
	while (TELLING_PART.test(text)) {
		const at = TELLING_PART.lastIndex - 1;
		const next = near === undefined ? at : near.next(at);
		if (next > at) {
			TELLING_PART.lastIndex = next;
			continue;
		}
		const start = Math.max(rewriting.done, startOf(text, at, NAME_CHAR, MAX_NAME));
		const nameEnd = endOf(text, at, NAME_CHAR, MAX_NAME);
		// The same name is not examined twice, whatever else in it is telling.
		TELLING_PART.lastIndex = nameEnd;
		const secret = secretAt(text, { start, nameEnd, readable: rewriting.done, values });
		if (secret === undefined) {
			const end = values.endOfRun(nameEnd);
			harmless = end > nameEnd ? harmless + 1 : 0;
			if (harmless === MOST_HARMLESS) {
				harmless = 0;
				TELLING_PART.lastIndex = end;
			}
			continue;
		}
		harmless = 0;
		const mask = rewriting.replace(secret.start, secret.end, MASKS[secret.kind]);
		masks.all.push(mask);
		if (!secret.settled) masks.unsettled.push(mask);
		TELLING_PART.lastIndex = Math.max(secret.end, nameEnd);
	}
}

function secretAt(
	text: string,
	{ start, nameEnd, readable, values }: { start: number; nameEnd: number; readable: number; values: ValueReader },
): Secret | undefined {
	// The kind inside a mask is not the name of the text after the mask.
	if (text.charCodeAt(start - 1) === 0x3a && text.startsWith(MASK_WITH_KIND, start - MASK_WITH_KIND.length))
		return undefined;
	if (isFollowedByMask(text, nameEnd) || text.startsWith("checksum/", start - "checksum/".length)) return undefined;
	const written = text.slice(start, nameEnd);
	const named = assignedKind(text, start, written, values);
	if (named === undefined) return undefined;
	const end = endOfClosers(text, nameEnd);
	const found: FoundName = { start, end, name: written, closers: text.slice(nameEnd, end) };
	const separation = separationAfter(text, found);
	const kind = separation?.sign === "user" ? "password" : named === "any key" ? "token" : named;
	const value = separation && valueAfter(text, values, found, separation);
	const valueWritten = value === undefined ? "" : text.slice(value.start, value.end);
	if (isOurSession(written, valueWritten)) return undefined;
	if (named === "any key" && !(isMixedKey(valueWritten) || (/\w[_-]?key$/i.test(written) && isHexKey(valueWritten))))
		return undefined;
	if (value !== undefined && separation !== undefined && valueWritten.length >= LEAST_VALUE) {
		if (isSecret(value, valueWritten, kind, separation)) {
			const whole = values.whole(value);
			const end = whole.notation === "quoted" ? whole.end : listEnd(text, start, whole);
			return { start: whole.start, end, notation: whole.notation, kind, settled: end === whole.end };
		}
		// A password may hold any sign; a token ends at a bracket, whatever follows.
		const bare = kind === "token" && value.notation === "environment" ? values.read(value.start, false) : undefined;
		if (bare && bare.end < value.end && isSecret(bare, text.slice(bare.start, bare.end), kind, separation))
			return { ...bare, kind, settled: false };
	}
	const paired = valueBefore(text, found, readable, kind);
	return paired && { ...paired, kind, settled: true };
}

/**
 * So random that a name which says only `key` is enough. A public key begins with these letters; a cache key has dashes, and no padding.
 */
const isHexKey = (value: string): boolean => /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/.test(value);

const isMixedKey = (value: string): boolean =>
	value.length >= 24 &&
	/^(?!AAAA|MI[GIH])(?:[A-Za-z0-9+/=_]+|[\w-]+=)$/.test(value) &&
	/[a-z]/.test(value) &&
	/[A-Z]/.test(value) &&
	/\d/.test(value) &&
	looksRandom(value);

/** `password=[redacted:password]`: the common case of a text that is read again. */
function isFollowedByMask(text: string, nameEnd: number): boolean {
	const sign = text.charCodeAt(nameEnd);
	if (sign !== 0x3d && sign !== 0x3a) return false;
	return text.charCodeAt(nameEnd + 1) === 0x5b && text.startsWith(MASKED, nameEnd + 1);
}

function endOfClosers(text: string, from: number): number {
	let end = from;
	while (end < from + 4 && CLOSERS[text.charCodeAt(end)] === 1) end += 1;
	return end;
}

function assignedKind(
	text: string,
	start: number,
	name: string,
	values: ValueReader,
): CredentialName | "any key" | undefined {
	const kind = nameKind(name);
	switch (kind) {
		case "none":
			return undefined;
		case "short password":
			return isShortNameOfPassword(text, start, start + name.length, values) ? "password" : undefined;
		case "key":
			return kindOfSpacedKey(text, start) ?? "any key";
		case "passe":
			return /\bmot de $/i.test(text.slice(Math.max(0, start - 8), start)) ? "password" : undefined;
		case "a":
			// The ñ is not part of a name.
			return /contraseñ$/i.test(text.slice(Math.max(0, start - 9), start)) ? "password" : undefined;
		default:
			return kind;
	}
}

/** `API Key: …` is one name, too. */
function kindOfSpacedKey(text: string, start: number): CredentialName | undefined {
	if (text.charCodeAt(start - 1) !== 0x20) return undefined;
	const word = text.slice(startOf(text, start - 1, NAME_CHAR, 20), start - 1);
	if (word === "") return undefined;
	const kind = nameKind(`${word}_key`.toLowerCase());
	return kind === "token" ? kind : undefined;
}

function valueAfter(
	text: string,
	values: ValueReader,
	found: FoundName,
	{ from, sign }: Separation,
): Value | undefined {
	const element = sign === ">" ? textOfElement(text, from) : undefined;
	if (element !== undefined) return element;
	const value = values.read(from, sign === "=" && found.closers === "" && isEnvironment(text, found));
	if (value === undefined) return undefined;
	// The next flag is not the value of this one.
	if ((sign === "list" || sign === " ") && text.charAt(value.start) === "-") return undefined;
	if (sign === ":\n") return blockValue(text, value);
	if (value.notation === "quoted") return value;
	value.end = listEnd(text, found.start, value);
	if (sign === ":" && isProse(text, value)) return undefined;
	return isCode(text, value) ? undefined : value;
}

/** `password: use-at-least-12 characters`: dashed words, followed by another word. */
function isProse(text: string, { start, end }: Value): boolean {
	if (text.charCodeAt(end) !== 0x20 || !isLower(text.charCodeAt(end + 1)) || !isLower(text.charCodeAt(start)))
		return false;
	return /^[a-z]+(?:-[a-z]+)+(?:-\d{1,2})?$/.test(text.slice(start, end));
}

const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;

/** The text of an XML element may hold characters that end any other value. A mere word may be a type. */
function textOfElement(text: string, from: number): Value | undefined {
	ELEMENT_TEXT.lastIndex = from;
	if (!ELEMENT_TEXT.test(text)) return undefined;
	const end = ELEMENT_TEXT.lastIndex;
	return { start: from, end, notation: /^[A-Za-z_.]+$/.test(text.slice(from, end)) ? "bare" : "quoted" };
}

const ELEMENT_TEXT = /[^\s<\]]{1,600}(?=<|\]\]>)/y;

function isSecret(value: Value, written: string, kind: CredentialName, { proof }: Separation): boolean {
	// Masked by an earlier pass.
	if (written.startsWith(MASKED)) return false;
	if (proof !== "name") {
		// `make token TTL=3600`: a pair of its own
		if (/^[A-Za-z_]\w*=[^=]*$/.test(written)) return false;
		if (looksChosen(written) && kind !== "token") return isSecretValue(written, kind, "quoted");
		const bare = withoutPunctuation(written);
		if (proof === "random") return bare.length >= 16 && looksRandom(bare) && isSecretValue(bare, kind, "quoted");
		if (value.notation !== "quoted") value.end = value.start + bare.length;
		// In quotes even a sentence holds a value as it is.
		const asQuoted = proof === "mixed" || value.notation === "quoted";
		const isStrong =
			looksStrong(bare) ||
			(kind !== "token" && (looksChosen(bare) || looksShuffled(bare) || (asQuoted && looksMixed(bare))));
		return (isStrong || (bare.length >= leastRandom(kind) && looksRandom(bare))) && isSecretValue(bare, kind, "quoted");
	}
	return isSecretValue(written, kind, value.notation);
}

/** A password is shorter than a token, and fewer other things follow its name. */
const leastRandom = (kind: CredentialName): number => (kind === "token" ? 16 : 12);

function withoutPunctuation(value: string): string {
	let end = value.length;
	while (end > 0 && ".,;:!?".includes(value.charAt(end - 1))) end -= 1;
	return value.slice(0, end);
}

/** The lines of a block scalar, if none of them is a sentence. */
function blockValue(text: string, value: Value): Value | undefined {
	if (value.notation === "quoted") return value;
	const lineEnd = indexOrEnd(text, "\n", value.start);
	const line = text.slice(value.start, Math.min(lineEnd, value.start + 8_000));
	if (/\s/.test(line.trimEnd())) return undefined;
	return { start: value.start, end: value.start + line.trimEnd().length, notation: "bare" };
}

/** `NAME=value` in a file or a command line, but not in the middle of code. */
function isEnvironment(text: string, { start, name }: FoundName): boolean {
	if (name.startsWith("-")) return /passw/i.test(name);
	const before = start === 0 ? "\n" : text.charAt(start - 1);
	const first = name.charCodeAt(0);
	const isCapital = first >= 0x41 && first <= 0x5a;
	if (isCapital && /^[A-Z0-9_]+$/.test(name)) return before === "\0" || /[\s;:"'+]/.test(before);
	return "\n\r:/?&".includes(before) || (before === ";" && isCapital);
}

/** In a query string and a connection string the value ends where the next pair begins. */
function listEnd(text: string, nameAt: number, value: Value): number {
	// ?, & and #
	const before = text.charCodeAt(nameAt - 1);
	const isQuery = before === 0x3f || before === 0x26 || before === 0x23;
	if (value.notation === "bare" && !isQuery) return value.end;
	const written = text.slice(value.start, value.end);
	const next = isQuery ? /&/ : /[;,](?=[\w. ]{0,60}(?:=(?!=|$)|$))/;
	const found = written.search(next);
	return found === -1 ? value.end : value.start + found;
}

/** A bare value that continues as a call, an index or a template is an expression. */
function isCode(text: string, value: Value): boolean {
	if (value.notation === "bare" && !isOpening(text.charCodeAt(value.end))) return false;
	const written = text.slice(value.start, value.end);
	if (value.notation === "environment") return CALL_OR_MEMBER.test(written) || isExpression(text, value);
	return /^[A-Za-z_$]/.test(written);
}

/** Of a function with a plain name, or a whole one: a password may have a bracket among its signs. */
const CALL_OR_MEMBER =
	/^(?:[A-Za-z_$]+\d{0,3}(?:\.|->|::)[\w$.]*|[A-Za-z_$]{2,}\d{0,3})[([]|^[A-Za-z_$][\w$.]*\(.*\)[;,)]*$|^[A-Za-z_$]+(?:\.[A-Za-z_$]+){2,8}$/;
/** After a blank, which no shell allows there; perhaps before a semicolon. */
function isExpression(text: string, { start, end }: Value): boolean {
	if (!isSpaceOrTab(text.charCodeAt(start - 1))) return false;
	return EXPRESSION.test(text.slice(start, text.charCodeAt(end) === 0x3b ? end + 1 : end));
}

const EXPRESSION = /^(?:[A-Za-z_$][\w$]*(?:(?:\.|->|::)[\w$]+)*;|[A-Za-z_$]+(?:\.[A-Za-z_$]+)+|\([A-Za-z_]\w*)$/;

const isOpening = (code: number): boolean => code === 0x28 || code === 0x5b || code === 0x7b;

function indexOrEnd(text: string, part: string, from: number): number {
	const found = text.indexOf(part, from);
	return found === -1 ? text.length : found;
}
