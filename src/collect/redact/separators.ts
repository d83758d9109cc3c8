import type { FoundName } from "./assignments.ts";
import { endOf, isOf, NAME_CHAR } from "./characters.ts";

const raw = String.raw;

/** How sure the value must be one: after a mere word such as "is" only what no sentence has. */
export type Proof = "name" | "strong";

export interface Separation {
	/** Where the value begins. */
	from: number;
	/** As it is written, without spaces. */
	sign: string;
	proof: Proof;
}

const BLANKS = raw`[ \t]{0,20}`;
/** `: &'static str`, `: Optional[str]`, `: String?`, ` string` and `{ get; set; }` before the sign, and `[16]` of an array. */
const TYPE =
	raw`(?:[ \t]{0,3}:[ \t]{0,3}(?:&(?:'\w{1,12} )?(?:mut )?)?(?:\[u8(?:; ?\w{1,20})?\](?=[ \t]{1,3}=)|[A-Za-z_][\w.]{0,40})(?:::\w{1,30})?(?:[<[][\w.<>[\]|&', ?:]{0,40}[>\]])?(?: \| \w{1,20}){0,2}\??(?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60])` +
	raw`|[ \t]{1,3}(?:string|String|str|const char\*?|\*string|\[\]byte|SecureString|secureString)(?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60])` +
	raw`|[ \t]{1,3}\{[^{}\n]{0,40}\}(?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60])|\[\d{0,5}\](?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60]))`;
/** An anchor or a tag of YAML, and a call that does nothing but wrap the value. */
const WRAPPING = raw`(?:&\w{1,20} |!!?[a-z]{1,12} )?(?:(?:new )?(?:[A-Za-z_]\w{0,30}(?:\.|::)){0,3}(?:from|of|ofNullable|Some|Just|some|SecretStr|SecretString|SecretBytes|SecretValue|SecureString|Secret|secret|String|string|str|bytes|Bytes|b64decode|decode|literal|plainText|unsafePlainText|fromString|sensitive|nonsensitive|Password|Token|ApiKey|ApiKeyAuth|\w{0,30}KeyCredential|Redacted|Sensitive|quote|toSecure|ConvertTo-SecureString)[ \t]{0,2}(?:\([ \t]{0,4}|[ \t](?:-String )?)(?=[@bN]?["'\x60]))?`;
const DECLARED = new RegExp(`${TYPE}${BLANKS}(=)${BLANKS}`, "y");
/** `auth=("user", "password")` */
const USER_FIRST = raw`\(["'][^"'\n]{1,60}["'],[ \t]{0,4}(?=["'])`;
const WRAPPED = new RegExp(`${USER_FIRST}|${WRAPPING}`, "y");
/** `password: |` and its first line; and the value of a nested entry. */
const ON_NEXT_LINE = new RegExp(
	raw`[ \t]{0,4}:[ \t]{0,4}(?:[|>][+-]?\d?[ \t]{0,4}\r?\n[ \t]{1,40}|\r?\n[ \t]{1,40}["']?(?:value|default|Value|Default)["']?:[ \t]{1,4})`,
	"y",
);
/** { "name": "X", "value": "y" }, <add key="X" value="y">, <meta name="X" content="y">, <key>X</key><string>y. */
const PAIR = new RegExp(
	raw`(?:[ \t\r\n,;]{1,60}(?:["']?(?:type|masked|protected|secret|secure|description|encrypted|scope|Type|is_?secret)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w ]{0,30}["']?[ \t\r\n,;]{1,60}){0,2}\\{0,3}["']?(?:value|content|val|Value|defaultValue|default|stringValue)\\{0,3}["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}` +
		raw`|</key>\s{0,40}<string>|["']?[ \t]{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,12}=[ \t]{0,12}(?="))`,
	"y",
);
const IN_CALL = /[ \t]{0,4}(\|\||\?\?|,|\(|\{)\s{0,20}(?:default[ \t]{0,2}[=:][ \t]{0,2})?(?=["'`])/y;
const IN_LIST = /\r?\n[ \t]{0,40}-[ \t]{1,4}(?=[^\s-])/y;
const IN_TABLE = /[ \t]{0,20}\|[ \t]{1,20}(?=[^\s|])/y;
const IN_PROSE =
	/(?:[ \t](?:is|was|will be|to|set to)(?: now)?:?|[ \t](?:for|of) [\w.@-]{1,40}(?: is|:)|[ \t]\([^()\n]{1,30}\):)[ \t](?=\S)/y;
const SPACE = /[ \t]{1,4}(?:--?(?:value|body|secret-string)[ \t=]{1,4})?(?=\S)/y;
const TAG = /[/]?>(?=[^<\s])/y;

/** Commands after which a name and its value stand apart by a space. */
const TAKES_NAME =
	/(?:^|[\s;&|"'])(?:ENV|ARG|setx|setenv|set(?:[ \t]+-[A-Za-z]{1,4})?|(?:config|configure|secrets?|user-secrets|variable|vars|env)(?:[ \t]+[\w-]{1,20})?[ \t]+(?:set|add|put)|config(?:[ \t]+(?:set|--global|--local|--add|--set))?)(?:[ \t]+--?[A-Za-z][\w-]{0,20}){0,2}[ \t]+["']?$/;
const MAY_TAKE_NAME = /(?:ENV|ARG|setx|setenv|set|add|put|config|[ \t]-[\w-]{1,20})[ \t]+["']?$/;
/** Looks backwards from the name, so that the first character that does not fit ends the search. */
const IS_PAIR_NAME = /(?<=(?:name|key|id|variable)\\{0,3}["']?[ \t]{0,4}(?:=>|[:=>])[ \t]{0,4}\\{0,3}["']?|<)/iy;
const OPENS_TAG = /[</:]$|(?:name|key|id)=["']$/;
const OF_COOKIE_JAR = /\t$/;
const LINE_OR_LOGIN = /(?:^|\n)[ \t]*$|\b(?:login|user)\s+\S{1,80}\s+$/;

/** Finds what stands between a name and its value, and where that begins. */
export function separationAfter(text: string, found: FoundName): Separation | undefined {
	const { end, name } = found;
	const first = text.charCodeAt(end);
	const second = text.charCodeAt(end + 1);
	switch (first) {
		case 0x3d: // =
			return assigned(text, end);
		case 0x3a: // :
			// What stands on the same line is far more common, and need not be looked for on the next one.
			return (isLineEnd(text, end + 1) && onNextLine(text, end)) || assigned(text, end);
		case 0x3e: // >
			return OPENS_TAG.test(before(text, found, 8)) ? plainSeparator(TAG, text, end, ">") : undefined;
		case 0x3c: // <
			return (second === 0x2f && pair(text, found)) || (second === 0x2d ? assigned(text, end) : undefined);
		case 0x3f: // ?
		case 0x5b: // [
			return assigned(text, end) ?? inCall(text, found);
		case 0x28: // (
		case 0x2c: // ,
		case 0x7b: // {
			return pair(text, found) ?? inCall(text, found);
		case 0x7c: // |
			return inCall(text, found) ?? inTable(text, found);
		case 0x0a: // a line break
		case 0x0d:
			if (name.startsWith("-")) return plainSeparator(IN_LIST, text, end, "list");
			return pair(text, found);
		case 0x20: // a space
		case 0x09: // a tab
			return afterBlanks(text, found);
		default:
			return undefined;
	}
}

/** What the first character after the blanks rules out is not tried: most names are followed by just another word. */
function afterBlanks(text: string, found: FoundName): Separation | undefined {
	const { end, closers } = found;
	let at = end + 1;
	while (at < end + 20 && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at += 1;
	switch (text.charAt(at)) {
		case "=":
		case ":":
		case "<":
			return assigned(text, end);
		case "?":
			return assigned(text, end) ?? inCall(text, found);
		case "|":
			return inCall(text, found) ?? inTable(text, found);
		case ",":
			return pair(text, found) ?? inCall(text, found);
		case "(":
			return inCall(text, found) ?? inProse(text, found);
		case "{":
			return assigned(text, end) ?? pair(text, found) ?? inCall(text, found);
		case "\r":
		case "\n":
			return pair(text, found);
		default:
			return betweenWords(text, found, closers);
	}
}

function betweenWords(text: string, found: FoundName, closers: string): Separation | undefined {
	const code = text.charCodeAt(found.end + 1) | 0x20;
	// "string =" and "const char =", "[]byte =", "*string =", "SecureString ="
	if (code === 0x73 || code === 0x63 || code === 0x7b || code === 0x2a) {
		const separation = assigned(text, found.end);
		if (separation !== undefined) return separation;
	}
	const paired = closers === "" && found.name.startsWith("-") ? undefined : pair(text, found);
	if (paired !== undefined) return paired;
	if (closers !== "" && closers !== "`") return undefined;
	return inProse(text, found) ?? spaced(text, found);
}

function isLineEnd(text: string, from: number): boolean {
	for (let at = from; at < from + 8; at += 1) {
		const code = text.charCodeAt(at);
		if (code === 0x0a || code === 0x0d) return true;
		// Blanks, and the signs of a block scalar.
		if (code !== 0x20 && code !== 0x09 && code !== 0x7c && code !== 0x3e && code !== 0x2d && code !== 0x2b)
			return false;
	}
	return false;
}

function assigned(text: string, from: number): Separation | undefined {
	const declared = mayBeDeclared(text, from) ? sticky(DECLARED, text, from) : undefined;
	if (declared !== undefined) return wrapped(text, { from: from + declared[0].length, sign: "=", proof: "name" });
	const at = skipBlanks(text, text.charCodeAt(from) === 0x3f ? from + 1 : from);
	const sign = signAt(text, at);
	if (sign === "") return undefined;
	let value = at + sign.length;
	// `**Password:** x`
	for (let stars = 0; stars < 2 && text.charCodeAt(value) === 0x2a; stars += 1) value += 1;
	return wrapped(text, { from: skipBlanks(text, value), sign, proof: "name" });
}

function wrapped(text: string, separation: Separation): Separation {
	if (!mayBeWrapped(text, separation.from)) return separation;
	return { ...separation, from: separation.from + (sticky(WRAPPED, text, separation.from)?.[0].length ?? 0) };
}

function signAt(text: string, at: number): string {
	const next = text.charCodeAt(at + 1);
	switch (text.charCodeAt(at)) {
		case 0x3d: // =, =>, ==, ===
			if (next === 0x3e) return "=>";
			if (next !== 0x3d) return "=";
			return text.charCodeAt(at + 2) === 0x3d ? "===" : "==";
		case 0x3a: // :, :=, :-, but not ::
			if (next === 0x3d) return ":=";
			if (next === 0x2d) return ":-";
			return next === 0x3a ? "" : ":";
		case 0x3c: // <-
			return next === 0x2d ? "<-" : "";
		case 0x3f: // ?=
			return next === 0x3d ? "?=" : "";
		default:
			return "";
	}
}

function skipBlanks(text: string, from: number): number {
	let at = from;
	while (at < from + 20 && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at += 1;
	return at;
}

/** A type is looked for only where a word is followed by what may follow a type: nearly no colon is a declaration's. */
function mayBeDeclared(text: string, from: number): boolean {
	const first = text.charCodeAt(from);
	if (first === 0x3d) return false;
	if (first !== 0x3a) return true;
	const at = skipBlanks(text, from + 1);
	// A reference or an array of Rust.
	if (text.charCodeAt(at) === 0x26 || (text.charCodeAt(at) === 0x5b && text.startsWith("[u8", at))) return true;
	const end = endOf(text, at, NAME_CHAR, 48);
	const next = text.charCodeAt(end);
	if (end === at || end - at >= 48) return false;
	// Two colons, a blank, an angle or a square bracket, a question mark, an equals sign
	if (next === 0x3a) return text.charCodeAt(end + 1) === 0x3a;
	return next === 0x20 || next === 0x3c || next === 0x5b || next === 0x3f || next === 0x3d;
}

/** An anchor, a tag, a tuple, or a word with a bracket or a quoted value after it. */
function mayBeWrapped(text: string, at: number): boolean {
	const code = text.charCodeAt(at);
	if (code === 0x26 || code === 0x21 || code === 0x28) return true;
	if (!isOf(NAME_CHAR, code)) return false;
	const end = endOf(text, at, NAME_CHAR, 80);
	const next = text.charCodeAt(end);
	if (next === 0x28) return true;
	if (next === 0x3a) return text.charCodeAt(end + 1) === 0x3a;
	// `new Secret("…")`, `ConvertTo-SecureString "…"`
	return next === 0x20 && /[nC(]/.test(text.charAt(at));
}

function sticky(pattern: RegExp, text: string, from: number): RegExpExecArray | undefined {
	pattern.lastIndex = from;
	return pattern.exec(text) ?? undefined;
}

function onNextLine(text: string, from: number): Separation | undefined {
	return plainSeparator(ON_NEXT_LINE, text, from, ":\n");
}

function pair(text: string, found: FoundName): Separation | undefined {
	IS_PAIR_NAME.lastIndex = found.start;
	const isPair = IS_PAIR_NAME.test(text) || text.startsWith('" {', found.end - 1);
	return isPair ? plainSeparator(PAIR, text, found.end, "pair") : undefined;
}

function inCall(text: string, { end, start, name, closers }: FoundName): Separation | undefined {
	IN_CALL.lastIndex = end;
	const match = IN_CALL.exec(text);
	if (match === null) return undefined;
	const sign = match[1] ?? "";
	const separation: Separation = { from: end + match[0].length, sign, proof: "name" };
	if (sign === "{") return closers === "" ? separation : undefined;
	if (sign === "(") return /^(?:get|is|has|check|validate|find|read|load|fetch)/i.test(name) ? undefined : separation;
	if (sign !== ",") return separation;
	if (closers === "") return undefined;
	// The arguments of a program, as in ["--password", "x"].
	if (name.startsWith("-")) return { ...separation, sign: "list" };
	// The arguments of a call, as in define('X', 'y'); in a longer list the next string is just another one.
	return /\([ \t]{0,4}["'`]$/.test(text.slice(Math.max(0, start - 6), start)) ? separation : undefined;
}

function inTable(text: string, found: FoundName): Separation | undefined {
	if (!/\|[ \t*]{0,20}$/.test(before(text, found, 24))) return undefined;
	return plainSeparator(IN_TABLE, text, found.end, "table", "strong");
}

function inProse(text: string, { end }: FoundName): Separation | undefined {
	return plainSeparator(IN_PROSE, text, end, "is", "strong");
}

/** Only a space: a flag of a command line, a line of .netrc, the argument of a command, or a quoted value as in SQL. */
function spaced(text: string, found: FoundName): Separation | undefined {
	const separation = plainSeparator(SPACE, text, found.end, " ");
	if (separation === undefined) return undefined;
	if (found.name.startsWith("-") || separation.from - found.end > 4) return separation;
	if (/["'`]/.test(text.charAt(separation.from))) return found.closers === "" ? separation : undefined;
	// A bare value of nothing but letters is not one, whatever stands before it.
	if (isPlainWord(text, separation.from)) return undefined;
	const line = before(text, found, 100);
	if (MAY_TAKE_NAME.test(line.slice(-24)) && TAKES_NAME.test(line)) return separation;
	if (OF_COOKIE_JAR.test(line) && text.charCodeAt(found.end) === 0x09) return separation;
	if (/^(?:password|requirepass|masterauth)$/.test(found.name) && LINE_OR_LOGIN.test(line)) return separation;
	return { ...separation, proof: "strong" };
}

function isPlainWord(text: string, from: number): boolean {
	for (let at = from; at < from + 60; at += 1) {
		const code = text.charCodeAt(at);
		if (!((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a)) return at >= text.length || code <= 0x20;
	}
	return false;
}

function before(text: string, { start }: FoundName, most: number): string {
	return text.slice(Math.max(0, start - most), start);
}

function plainSeparator(
	pattern: RegExp,
	text: string,
	from: number,
	sign: string,
	proof: Proof = "name",
): Separation | undefined {
	pattern.lastIndex = from;
	if (!pattern.test(text)) return undefined;
	return { from: pattern.lastIndex, sign, proof };
}
