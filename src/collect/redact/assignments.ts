import { credentialName } from "./credential-names.ts";
import { MASK_WITH_KIND, maskOf } from "./mask.ts";
import { isSecretValue, type Notation } from "./secret-values.ts";

const raw = String.raw;
const SEPARATORS = [
	raw`[ \t]{0,20}(?:=>|:=|={1,3}|:-|:(?!:))\*{0,2}[ \t]{0,20}`,
	// { "name": "X", "value": "y" }, <add key="X" value="y">, <meta name="X" content="y">
	raw`[ \t\r\n,]{1,40}["']?(?:value|content)["']?[ \t]{0,4}[:=][ \t]{0,4}`,
	raw`[ \t]{0,4}(?:\|\||\?\?|,|\()[ \t]{0,4}(?=["'\x60])`,
	raw`>`,
	raw`[ \t]{1,4}`,
];
const TYPE_ANNOTATION = raw`[ \t]{0,3}:[ \t]{0,3}[A-Za-z_][\w.<>|[\]]{0,30}(?=[ \t]{0,3}=[^=])`;
/** From the telling part of a name to where the value begins. The rest of the name is read backwards from there. */
const CANDIDATE = new RegExp(
	raw`(?:pass|pwd|pswd|secret|token|key|auth|cred|jwt|pat|dsn|bearer)[\w.-]{0,40}(?<closers>["'\x60\]\\*?!]{0,4})` +
		`(?:${TYPE_ANNOTATION})?(?<separator>${SEPARATORS.join("|")})`,
	"gi",
);
const MAX_NAME = 80;
const MAX_VALUE = 8_000;
/** A bare value is judged by its beginning: else a long line of such names would be read again for each of them. */
const JUDGED = 128;

const QUOTE = /(?:[rbfu]{1,2}|@)?(\\{0,3}["'`])/iy;
const BARE_VALUE = /[^\s"'`,;<>(){}[\]|]+/y;
const ENVIRONMENT_VALUE = /[^\s"'`]+/y;

interface Value {
	start: number;
	end: number;
	notation: Notation;
}

/** Masks what is assigned to the name of a credential, in the notations of configuration files, shells and languages. */
export function maskAssignments(text: string): string {
	let output = "";
	let copied = 0;
	CANDIDATE.lastIndex = 0;
	for (let match = CANDIDATE.exec(text); match !== null; match = CANDIDATE.exec(text)) {
		const value = secretAfter(text, match);
		if (value === undefined) {
			// The value may be the name of the next assignment, as in `secret = process.env.SECRET || "…"`.
			CANDIDATE.lastIndex = match.index + Math.max(1, match[0].trimEnd().length - 1);
			continue;
		}
		output += text.slice(copied, value.start) + maskOf(value.kind);
		copied = value.end;
		CANDIDATE.lastIndex = value.end;
	}
	return copied === 0 ? text : output + text.slice(copied);
}

function secretAfter(text: string, match: RegExpExecArray): (Value & { kind: string }) | undefined {
	const separator = match.groups?.separator ?? "";
	const closers = match.groups?.closers ?? "";
	const start = nameStart(text, match.index);
	const name = /^[\w.-]+/.exec(text.slice(start, start + MAX_NAME + 50))?.[0] ?? "";
	// The kind that a mask names is not the name of what follows the mask.
	if (text.startsWith(MASK_WITH_KIND, start - MASK_WITH_KIND.length)) return undefined;
	const kind = credentialName(withWordBefore(text, start, name));
	if (kind === undefined || !separatorFits(text, { start, name, closers, separator })) return undefined;
	const from = match.index + match[0].length;
	const value = readValue(text, from, separator === "=" && closers === "" && isEnvironment(text, start, name));
	if (value === undefined) return undefined;
	value.end = listEnd(text, start, value);
	if (value.notation !== "quoted" && isCode(text, value)) return undefined;
	if (!isSecretValue(text.slice(value.start, value.end), kind, value.notation)) return undefined;
	return { ...whole(text, value), kind };
}

function nameStart(text: string, from: number): number {
	let start = from;
	while (start > 0 && from - start < MAX_NAME && isNameCharacter(text.charCodeAt(start - 1))) start -= 1;
	return start;
}

/** As the class [\w.-], but not a regular expression for each character of each candidate. */
function isNameCharacter(code: number): boolean {
	const letter = code | 0x20;
	return (
		(letter >= 0x61 && letter <= 0x7a) ||
		(code >= 0x30 && code <= 0x39) ||
		code === 0x5f ||
		code === 0x2d ||
		code === 0x2e
	);
}

/** `API Key: …` is one name, too. */
function withWordBefore(text: string, start: number, name: string): string {
	if (!/^key$/i.test(name)) return name;
	const word = /(\w+) $/.exec(text.slice(Math.max(0, start - 20), start))?.[1];
	return word === undefined ? name : `${word}_${name}`.toLowerCase();
}

function separatorFits(
	text: string,
	found: { start: number; name: string; closers: string; separator: string },
): boolean {
	const { start, name, closers, separator } = found;
	const isFlag = name.startsWith("--");
	if (separator === ">") return /[</:]/.test(text.charAt(start - 1));
	if (separator.trim() === "(") return !/^(?:get|is|has|check|validate)/i.test(name);
	// The arguments of a call, as in define('X', 'y'); in a longer list the next string is just another one.
	if (separator.trim() === ",") return /\(["'`]$/.test(text.slice(Math.max(0, start - 2), start)) && closers !== "";
	if (separator.trim() !== "") return true;
	// Only a space: a flag of a command line, a line of .netrc, or a quoted value as in SQL.
	if (isFlag) return true;
	if (/^["'`]/.test(text.charAt(start + name.length + separator.length))) return closers === "";
	return (
		name === "password" && /(?:^|\n)[ \t]*$|\blogin\s+\S{1,80}\s+$/.test(text.slice(Math.max(0, start - 100), start))
	);
}

/** `NAME=value` of a file or a command line, and not the same in the middle of code. */
function isEnvironment(text: string, start: number, name: string): boolean {
	if (name.startsWith("-")) return /passw/i.test(name);
	const before = start === 0 ? "\n" : text.charAt(start - 1);
	if (/^[A-Z][A-Z0-9_]*$/.test(name)) return /[\s;:"']/.test(before);
	return /[\n\r:/?&]/.test(before) || (before === ";" && /^[A-Z]/.test(name));
}

function readValue(text: string, from: number, environment: boolean): Value | undefined {
	QUOTE.lastIndex = from;
	const quote = QUOTE.exec(text);
	if (quote?.[1] !== undefined) {
		const start = from + quote[0].length;
		return { start, end: closingQuote(text, start, quote[1]), notation: "quoted" };
	}
	const notation = environment ? "environment" : "bare";
	const judged = text.slice(from, from + JUDGED);
	const length = matchLength(patternOf(notation), judged, 0);
	return length === 0 || text.charAt(from) === ":" ? undefined : { start: from, end: from + length, notation };
}

/** To its end, once its beginning was found to be a secret. */
function whole(text: string, value: Value): Value {
	if (value.notation === "quoted" || value.end - value.start < JUDGED) return value;
	return { ...value, end: value.end + matchLength(patternOf(value.notation), text, value.end) };
}

function patternOf(notation: Notation): RegExp {
	return notation === "environment" ? ENVIRONMENT_VALUE : BARE_VALUE;
}

function matchLength(pattern: RegExp, text: string, from: number): number {
	pattern.lastIndex = from;
	return pattern.exec(text)?.[0].length ?? 0;
}

/** A value whose quote is not closed on its line was cut off, and goes to the end of the line. */
function closingQuote(text: string, start: number, quote: string): number {
	const limit = Math.min(text.length, start + MAX_VALUE);
	for (let position = start; position < limit; position += 1) {
		const character = text.charAt(position);
		if (character === "\n" || character === "\r") return position;
		if (text.startsWith(quote, position)) return position;
		if (character === "\\" && quote.length === 1) position += 1;
	}
	return limit;
}

/** In a query string and a connection string the value ends where the next pair begins. */
function listEnd(text: string, nameAt: number, value: Value): number {
	if (value.notation === "quoted") return value.end;
	const next = /[?&]/.test(text.charAt(nameAt - 1)) ? /&/ : /;(?=[\w. ]{1,60}=|$)/;
	const found = text.slice(value.start, value.end).search(next);
	return found === -1 ? value.end : value.start + found;
}

/** A bare value that goes on as a call, an index or a template is an expression. */
function isCode(text: string, value: Value): boolean {
	const written = text.slice(value.start, value.end);
	if (value.notation === "environment") return /^[A-Za-z_$][\w$.]*\(.*\)[;,)]*$|^[A-Za-z_$][\w$.]*\[$/.test(written);
	return /[([{]/.test(text.charAt(value.end)) && /^[A-Za-z_$]/.test(written);
}
