import { endOf, isNameCode, startOf } from "./characters.ts";
import { type CredentialName, credentialName, isShortPassword } from "./credential-names.ts";
import { MASK_WITH_KIND, maskOf } from "./mask.ts";
import { isOurSession } from "./references.ts";
import { isSecretValue, looksRandom, looksStrong } from "./secret-values.ts";
import { type Separation, separationAfter } from "./separators.ts";
import { readValue, type Value, wholeValue } from "./values.ts";

/** The telling part of a name. The rest of the name is read from there in both directions. */
const TELLING =
	/pass|pwd|pw|pswd|psk|secret|token|key|auth|cred|jwt|pat|dsn|bearer|salt|mnemonic|phrase|conn(?:ection)?[_-]?str|kennwort|senha|contrase(?:n|ñ)a|masterauth|sonar\.login/gi;
const MAX_NAME = 80;
const CLOSERS = /["'`\]\\*!)]{0,4}/y;

/** A name that may be that of a credential, as it was found in a text. */
export interface FoundName {
	start: number;
	/** After the name and its closers. */
	end: number;
	name: string;
	/** Quotes, brackets and stars that end the name: `"password"`, `config['password']`, `**Password**`. */
	closers: string;
}

interface Secret extends Value {
	kind: CredentialName;
}

/** Masks what is assigned to the name of a credential, in the notations of configuration files, shells and languages. */
export function maskAssignments(text: string): string {
	let output = "";
	let copied = 0;
	TELLING.lastIndex = 0;
	while (TELLING.test(text)) {
		const at = TELLING.lastIndex - 1;
		const start = Math.max(copied, startOf(text, at, isNameCode, MAX_NAME));
		const nameEnd = endOf(text, at, isNameCode, MAX_NAME);
		// The same name has no second look, whatever else in it is telling.
		TELLING.lastIndex = nameEnd;
		const secret = secretAt(text, { start, nameEnd, readable: copied });
		if (secret === undefined) continue;
		output += text.slice(copied, secret.start) + maskOf(secret.kind);
		copied = secret.end;
		TELLING.lastIndex = Math.max(secret.end, nameEnd);
	}
	return copied === 0 ? text : output + text.slice(copied);
}

function secretAt(
	text: string,
	{ start, nameEnd, readable }: { start: number; nameEnd: number; readable: number },
): Secret | undefined {
	const written = text.slice(start, nameEnd);
	const kind = kindOf(text, start, written);
	if (kind === undefined) return undefined;
	// The kind that a mask names is not the name of what follows the mask.
	if (text.startsWith(MASK_WITH_KIND, start - MASK_WITH_KIND.length)) return undefined;
	CLOSERS.lastIndex = nameEnd;
	const closers = CLOSERS.exec(text)?.[0] ?? "";
	const found: FoundName = { start, end: nameEnd + closers.length, name: written, closers };
	const separation = separationAfter(text, found);
	const value = separation && valueAfter(text, found, separation);
	if (value !== undefined && isOurSession(written, text.slice(value.start, value.end))) return undefined;
	if (value !== undefined && separation !== undefined && isSecret(text, value, kind, separation)) {
		const whole = wholeValue(text, value);
		return { ...whole, end: whole.notation === "quoted" ? whole.end : listEnd(text, start, whole), kind };
	}
	return valueBefore(text, found, readable, kind);
}

function kindOf(text: string, start: number, name: string): CredentialName | undefined {
	const kind = credentialName(name);
	if (kind !== undefined) return kind;
	if (name.length > 6) return undefined;
	if (isForeignPassword(text, start, name)) return "password";
	if (isShortPassword(name)) return isShortNameOfPassword(text, start, name) ? "password" : undefined;
	// `API Key: …` is one name, too.
	if (name.length !== 3 || text.charCodeAt(start - 1) !== 0x20 || !/^key$/i.test(name)) return undefined;
	const word = text.slice(startOf(text, start - 1, isNameCode, 20), start - 1);
	return word === "" ? undefined : credentialName(`${word}_${name}`.toLowerCase());
}

/** `mot de passe`, and `contraseña`, whose ñ is not part of a name. */
function isForeignPassword(text: string, start: number, name: string): boolean {
	if (/^passe$/i.test(name)) return /\bmot de $/i.test(text.slice(Math.max(0, start - 8), start));
	return /^a$/i.test(name) && /contraseñ$/i.test(text.slice(Math.max(0, start - 9), start));
}

/** `;Pwd=x`, `"pass": "x"`: a part of a connection string, or a name whose value is in quotes. */
function isShortNameOfPassword(text: string, start: number, name: string): boolean {
	const after = text.slice(start + name.length, start + name.length + 8);
	if (/[;&?]/.test(text.charAt(start - 1)) && after.startsWith("=")) return true;
	if (/^\\{0,3}["']?\s{0,3}(?::|=>?|:=)\s{0,3}\\{0,3}["'`]/.test(after)) return true;
	// By its beginning: this is asked for each of a thousand such names in a row.
	const bare = /^[ \t]{0,3}[:=][ \t]{0,3}(\S{8,32})/.exec(text.slice(start + name.length, start + name.length + 40));
	return bare?.[1] !== undefined && looksStrong(bare[1]);
}

function valueAfter(text: string, found: FoundName, { from, sign }: Separation): Value | undefined {
	const value = readValue(text, from, sign === "=" && found.closers === "" && isEnvironment(text, found));
	if (value === undefined) return undefined;
	// The next flag is no value of this one.
	if ((sign === "list" || sign === " ") && text.charAt(value.start) === "-") return undefined;
	if (sign === ":\n") return blockValue(text, value);
	if (value.notation === "quoted") return value;
	const ended = { ...value, end: listEnd(text, found.start, value) };
	return isCode(text, ended) ? undefined : ended;
}

function isSecret(text: string, value: Value, kind: CredentialName, { proof }: Separation): boolean {
	const written = text.slice(value.start, value.end);
	if (proof === "strong") {
		const bare = written.replace(/[.,;:!?]+$/, "");
		if (value.notation !== "quoted") value.end = value.start + bare.length;
		return (looksStrong(bare) || (bare.length >= 16 && looksRandom(bare))) && isSecretValue(bare, kind, "quoted");
	}
	return isSecretValue(written, kind, value.notation);
}

/** The lines of a block scalar, if none of them is a sentence. */
function blockValue(text: string, value: Value): Value | undefined {
	if (value.notation === "quoted") return value;
	const lineEnd = indexOrEnd(text, "\n", value.start);
	const line = text.slice(value.start, Math.min(lineEnd, value.start + 8_000));
	if (/\s/.test(line.trimEnd())) return undefined;
	return { start: value.start, end: value.start + line.trimEnd().length, notation: "bare" };
}

/** The value of a pair whose name comes last, as in { "value": "y", "name": "X" }. */
function valueBefore(text: string, found: FoundName, readable: number, kind: CredentialName): Secret | undefined {
	const { start, closers } = found;
	if (
		closers === "" ||
		!/(?:name|key)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["']$/i.test(text.slice(Math.max(0, start - 20), start))
	)
		return undefined;
	const window = Math.max(readable, start - 300);
	const nearest = text.slice(window, start).lastIndexOf("alue");
	if (nearest < 2) return undefined;
	const from = window + nearest - 2;
	const pair = VALUE_BEFORE.exec(text.slice(from, start));
	const written = pair?.[2];
	if (pair?.[1] === undefined || written === undefined || !isSecretValue(written, kind, "quoted")) return undefined;
	const at = from + pair.index + pair[1].length;
	return { start: at, end: at + written.length, notation: "quoted", kind };
}

const VALUE_BEFORE =
	/(["']value\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["'])([^"'\\\n]{4,200})\\{0,3}["'],\s{0,40}\\{0,3}["'](?:name|key)\\{0,3}["']\s{0,4}:\s{0,4}\\{0,3}["']$/i;

/** `NAME=value` of a file or a command line, and not the same in the middle of code. */
function isEnvironment(text: string, { start, name }: FoundName): boolean {
	if (name.startsWith("-")) return /passw/i.test(name);
	const before = start === 0 ? "\n" : text.charAt(start - 1);
	if (/^[A-Z][A-Z0-9_]*$/.test(name)) return /[\s;:"']/.test(before);
	return /[\n\r:/?&]/.test(before) || (before === ";" && /^[A-Z]/.test(name));
}

/** In a query string and a connection string the value ends where the next pair begins. */
function listEnd(text: string, nameAt: number, value: Value): number {
	// ?, & and #
	const before = text.charCodeAt(nameAt - 1);
	const isQuery = before === 0x3f || before === 0x26 || before === 0x23;
	if (value.notation === "bare" && !isQuery) return value.end;
	const written = text.slice(value.start, value.end);
	const next = isQuery ? /&/ : /[;,](?=[\w. ]{0,60}(?:=|$))/;
	const found = written.search(next);
	return found === -1 ? value.end : value.start + found;
}

/** A bare value that goes on as a call, an index or a template is an expression. */
function isCode(text: string, value: Value): boolean {
	if (value.notation === "bare" && !isOpening(text.charCodeAt(value.end))) return false;
	const written = text.slice(value.start, value.end);
	if (value.notation === "environment")
		return /^[A-Za-z_$][\w$.]*\(.*\)[;,)]*$|^[A-Za-z_$][\w$.]*[[(]$|^[A-Za-z_$]+(?:\.[A-Za-z_$]+){2,8}$/.test(written);
	return /^[A-Za-z_$]/.test(written);
}

const isOpening = (code: number): boolean => code === 0x28 || code === 0x5b || code === 0x7b;

function indexOrEnd(text: string, part: string, from: number): number {
	const found = text.indexOf(part, from);
	return found === -1 ? text.length : found;
}
