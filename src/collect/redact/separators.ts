import type { FoundName } from "./assignments.ts";
import { endOf, isOf, isQuote, isSpaceOrTab, NAME_CHAR, skipBlanks, startOf, textBefore } from "./characters.ts";
import { looksRandom } from "./secret-values.ts";
import { spaced } from "./spaced.ts";

const raw = String.raw;

/**
 * How certain it must be that the value is a secret: after a mere word such as "is", only a value that no sentence
 * contains. Where no sentence can be, a password with letters and digits is enough. What a call gets may be the name of
 * something, unless it is random.
 */
export type Proof = "name" | "mixed" | "strong" | "random";

export interface Separation {
	/** Where the value begins. */
	from: number;
	/** As it is written, without spaces. */
	sign: string;
	proof: Proof;
}

const BLANKS = raw`[ \t]{0,20}`;
/** What a diff, grep and a listing put before a line: `+`, `a.yml:12:`, `12:`, `12 │`. */
const BEFORE_LINE = raw`(?:[+-]|[\w./\\-]{1,120}[:-]\d{1,6}[:-]|[ \t]{0,6}\d{1,6}(?:[:-]|[ \t]?[│|→\t]))?`;
const NEXT_LINE = raw`\r?\n${BEFORE_LINE}[ \t]{0,40}`;
const INDENTED = raw`\r?\n${BEFORE_LINE}[ \t]{1,40}`;
/** `: &'static str`, `: Optional[str]`, `: String?`, ` string` and `{ get; set; }` before the sign, and `[16]` of an array. */
const TYPE =
	raw`(?:[ \t]{0,3}:[ \t]{0,3}(?:&(?:'\w{1,12} )?(?:mut )?)?(?:\[u8(?:; ?\w{1,20})?\](?=[ \t]{1,3}=)|\[\]const u8(?=[ \t]{1,3}=)|[A-Za-z_][\w.]{0,40})(?:::\w{1,30})?(?:[<[][\w.<>[\]|&', ?:]{0,40}[>\]])?(?: \| \w{1,20}){0,2}\??(?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60])` +
	raw`|[ \t]{1,3}(?:string|String|str|const char\*?|\*string|\[\]byte|SecureString|secureString)(?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60])` +
	raw`|[ \t]{0,3}:[ \t]{0,3}constant [A-Za-z]\w{0,30}(?=[ \t]{1,3}:=)` +
	raw`|[ \t]{1,3}As [A-Z]\w{2,20}(?=[ \t]{1,3}=[ \t]{0,20}["])` +
	raw`|[ \t]{1,3}\{[^{}\n]{0,40}\}(?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60])|\[\d{0,5}\](?=[ \t]{1,3}=[ \t]{0,20}[^=\s]|=["'\x60]))`;
/** An anchor or a tag of YAML, and a call that does nothing but wrap the value. */
const WRAPPING = raw`(?:&\w{1,20} |!!?[a-z]{1,12} )?(?:Field\((?:default[ \t]?=[ \t]?)?(?=["'])|[\w.!()]{1,40} \? (?=["'])|z\.string\(\)(?:\.\w{1,20}\(\w{0,20}\)){0,4}\.default\((?=["'])|\[\]byte\((?=["'\x60])|(?:new )?(?:[A-Za-z_]\w{0,30}(?:\.|::)){0,3}(?:from|of|ofNullable|Some|Just|some|SecretStr|SecretString|SecretBytes|SecretValue|SecureString|Secret|secret|String|string|str|bytes|Bytes|b64decode|decode|literal|plainText|unsafePlainText|fromString|sensitive|nonsensitive|Password|Token|ApiKey|ApiKeyAuth|\w{0,30}KeyCredential|Redacted|Sensitive|quote|toSecure|ConvertTo-SecureString)[ \t]{0,2}(?:\([ \t]{0,4}|[ \t](?:-String )?)(?=[@bN]?["'\x60]))?`;
const DECLARED = new RegExp(`${TYPE}${BLANKS}:?(=)${BLANKS}`, "y");
/** `auth=("user", "password")`, `'auth' => ['user', 'password']` */
const USER_FIRST = /[([]["']([^"'\n]{1,60})["'],[ \t]{0,4}(?=["'])/y;
/** `tokens = ["x"]`, `API_KEY = ("x")`; and what PHP shows of a value: `=> string(5) "x"`. */
const OPENED = /<(?:b|strong|code|em|kbd|tt|i)>|([([])\s{0,20}(?=["'])|\s{0,20}string\(\d{1,4}\) (?=")/y;
const WRAPPED = new RegExp(WRAPPING, "y");
/** `JSON.stringify("x")`, `EncodingKey::from_secret("x")` */
const ANY_CALL = /(?:new )?[A-Za-z_](?:\w|\.|::){0,60}\((?=[b@]?["'`])/y;
/** `password: |` and its first line; and the value of a nested entry. */
const ON_NEXT_LINE = new RegExp(
	raw`[ \t]{0,4}:[ \t]{0,4}(?:[|>][+-]?\d?[ \t]{0,4}${INDENTED}|(?:${INDENTED}(?:Type|Description|NoEcho|type|description|sensitive):[^\n]{0,120}){0,3}${INDENTED}["']?(?:value|default|Value|Default|plain|plaintext|inline_string|literal)["']?:[ \t]{1,4}|\r?\n-{3,8}\r?\n(?=\S))`,
	"y",
);
/** A line with nothing but the value, or the only entry of a list. */
const ALONE_ON_NEXT_LINE = new RegExp(
	raw`[ \t]{0,4}:[ \t]{0,4}${NEXT_LINE}(?:(?<=[ \t])|-[ \t]{1,4})(?=["']?[\w+/=.~-]{12,400}["']?[ \t]{0,4}(?:\r?\n|$))`,
	"y",
);
/** { "name": "X", "value": "y" }, <add key="X" value="y">, <meta name="X" content="y">, <key>X</key><string>y. */
const PAIR_GAP = raw`(?=[ \t\r\n,;])[ \t,;]{0,20}(?:${NEXT_LINE})?[ \t\r\n,;]{0,40}`;
const VALUE_ELEMENT = "string|[Vv]alue|val|param-value|prop-value|dd|td";
const PAIR = new RegExp(
	raw`(?:${PAIR_GAP}(?:["']?(?:type|name|id|class|masked|protected|secret|secure|description|encrypted|scope|Type|is_?secret)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w ]{0,30}["']?${PAIR_GAP}){0,2}\\{0,3}["']?(?:value|content|val|Value|defaultValue|default|stringValue)\\{0,3}["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}` +
		raw`|</[\w-]{1,20}>\s{0,40}<(?:${VALUE_ELEMENT})(?: [^<>\n]{0,60})?>(?:<!\[CDATA\[)?(?=[^<\s])` +
		raw`|\r?\n(?:Content-[^\n]{1,80}\n){0,2}\r?\n(?=\S)` +
		raw`|["']?[ \t]{0,4}\{[^{}]{0,300}?\bdefault[ \t]{0,12}=[ \t]{0,12}(?="))`,
	"y",
);
const IN_CALL = /[ \t]{0,4}(\|\||\?\?|\?:|,|\(|\{)\s{0,20}(default\w{0,6}[ \t]{0,2}[=:][ \t]{0,2})?(?=["'`])/y;
/** `{password, "x"}` of Erlang, `set :secret, 'x'` of Ruby */
const OPENS_PAIR = /(?:\{|\bset[ \t]{1,4}:)$/;
/** In a call or in braces, strings take turns: a name, its value. */
const IS_NAME_IN_TURN = /[({;][ \t]{0,4}(?:["'][^"'\n]{0,60}["'],[ \t]{0,4}["'][^"'\n]{0,60}["'],[ \t]{0,4}){0,4}["']$/;
/** The name is the first argument of a call, or the second one. */
const BEFORE_ARGUMENT = /\([ \t]{0,4}("\w{1,12}",[ \t]{0,4})?["'`]$/;
const SET_BEFORE = /\b(?:set|put|add)[ \t]{1,4}"$/;
const ANOTHER_STRING = /[ \t]{1,4}(?=")/y;
const TO_VALUE = /[ \t]{1,4}to[ \t]{1,4}(?=")/y;
const IN_COBOL = /[ \t]{1,20}PIC[ \t]{1,4}[XA]\(\d{1,3}\)[ \t]{1,20}VALUE[ \t]{1,4}(?=["'])/y;
const IN_LIST = /\r?\n[ \t]{0,40}-[ \t]{1,4}(?=[^\s-])/y;
const IN_TABLE = /[ \t]{0,20}\|[ \t]{1,20}(?=[^\s|])/y;
const IN_PROSE =
	/(?:[ \t](?:for|of|is|was|has|lautet|ist|est|es|changed|reset|set|successfully|generated)\b[^\n"'\x60=:]{0,60}?(?: to|:|\. New value:)|[ \t](?:provided|given|supplied|received|used):|[ \t](?:is|was|will be|to|set to|lautet|ist|est|es)(?: now)?(?: ?:)?|[ \t](?:is|are) [\w.@-]{1,30} ?[/:]|[ \t](?:for|of) [\w.@-]{1,40}(?: is|:)|[ \t]\([^()\n]{1,30}\):)[ \t](?=\S)/y;
const BEGINS_PROSE = new Uint8Array(128);
for (const character of "aiwtsfochrglepu(") BEGINS_PROSE[character.charCodeAt(0)] = 1;
const TAG = /(?:[ \t]{1,4}[\w:-]{1,30}=["'][^"'\n]{0,60}["']){0,3}>(?:<[Vv]alue>|<!\[CDATA\[)?(?=[^<\s@])/y;
/** `"client_secret": { "value": "x"`, `"github-oauth": { "github.com": "x"` */
const NESTED =
	/[ \t]{0,4}:[ \t]{0,4}\{\s{0,40}["'](?:value|default|plaintext|[\w-]{1,40}(?:\.[\w-]{1,40}){1,4})["']:[ \t]{0,4}(?=["'])/y;
/** `env("X").default("y")`, `.unwrap_or("y")` */
const FALLBACK =
	/\.(?:toBe|toEqual|equals|default|unwrap_or|unwrap_or_else|unwrapOr|orElse|getOrElse|defaultTo|withDefault|or)\((?:\(\) ?=> ?|\|\w{0,10}\| ?)?(?=["'])/y;

/** Looks backwards from the name, so that the first mismatch ends the search. */
const IS_PAIR_NAME =
	/(?<=(?:name|key|id|variable|type|<t[dh]|<dt)\\{0,3}["']?[ \t]{0,4}(?:=>|[:=>])[ \t]{0,4}\\{0,3}["']?|<)/iy;
const OPENS_ELEMENT = /<(?:[\w-]{1,20}:)?$/;
const OPENS_TAG = /(?<!\?P?)<$|[/:]$|(?:name|key|id)=["']$/;
/** Finds the separator between a name and its value, and where the value begins. */
export function separationAfter(text: string, found: FoundName): Separation | undefined {
	const { end, name } = found;
	const first = text.charCodeAt(end);
	const second = text.charCodeAt(end + 1);
	switch (first) {
		case 0x3d: // =
			return assigned(text, end, name);
		case 0x3a: // :
			// A value on the same line is far more common, so the next line is tried only without one.
			return (
				(isLineEnd(text, end + 1) && onNextLine(text, end)) || nested(text, end, second) || assigned(text, end, name)
			);
		case 0x2e: // .
			return found.closers.endsWith(")") ? plainSeparator(FALLBACK, text, end, "(") : undefined;
		case 0x3e: // >
			return OPENS_TAG.test(textBefore(text, found.start, 8)) ? plainSeparator(TAG, text, end, ">") : undefined;
		case 0x3c: // <
			return (second === 0x2f && pair(text, found)) || (second === 0x2d ? assigned(text, end, name) : undefined);
		case 0x3f: // ?
		case 0x5b: // [
			return assigned(text, end, name) ?? inCall(text, found);
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

/** The first character after the blanks rules out most cases: most names are followed by just another word. */
function afterBlanks(text: string, found: FoundName): Separation | undefined {
	const { start, end, closers, name } = found;
	const at = skipBlanks(text, end);
	// An element with attributes, and perhaps with a namespace.
	const before = text.charCodeAt(start - 1);
	if ((before === 0x3c || before === 0x3a) && OPENS_ELEMENT.test(textBefore(text, start, 24))) {
		const element = plainSeparator(TAG, text, end, ">");
		if (element !== undefined) return element;
	}
	switch (text.charCodeAt(at)) {
		case 0x3d: // =
		case 0x3a: // :
		case 0x3c: // <
			return assigned(text, end, name);
		case 0x3f: // ?
			return assigned(text, end, name) ?? inCall(text, found);
		case 0x7c: // |
			return assigned(text, end, name) ?? inCall(text, found) ?? inTable(text, found);
		case 0x2c: // ,
			return pair(text, found) ?? inCall(text, found);
		case 0x28: // (
			return inCall(text, found) ?? inProse(text, found);
		case 0x7b: // {
			return assigned(text, end, name) ?? pair(text, found) ?? inCall(text, found);
		case 0x0a: // a line break
		case 0x0d:
			return pair(text, found);
		default:
			return betweenWords(text, found, closers);
	}
}

function betweenWords(text: string, found: FoundName, closers: string): Separation | undefined {
	if (mayBeType(text, found.end + 1)) {
		const separation = assigned(text, found.end, found.name);
		if (separation !== undefined) return separation;
	}
	const paired = closers === "" && found.name.startsWith("-") ? undefined : pair(text, found);
	if (paired !== undefined) return paired;
	if (closers === '"') return betweenStrings(text, found);
	if (closers === "" && text.startsWith("PIC", skipBlanks(text, found.end)))
		return plainSeparator(IN_COBOL, text, found.end, "VALUE");
	if (text.startsWith(' . "', found.end)) return { from: found.end + 3, sign: ".", proof: "name" };
	if (closers !== "" && closers !== "`" && closers !== "*") return undefined;
	return inProse(text, found) ?? spaced(text, found);
}

/** `"password" to "x"` of Kotlin, `set "deploy-token" "x"` in a shell */
function betweenStrings(text: string, { start, end }: FoundName): Separation | undefined {
	const to = plainSeparator(TO_VALUE, text, end, "to", "mixed");
	if (to !== undefined || !SET_BEFORE.test(textBefore(text, start, 8))) return to;
	return plainSeparator(ANOTHER_STRING, text, end, " ", "strong");
}

/** "string =" and "const char =", "[]byte =", "*string =", "SecureString =" */
function mayBeType(text: string, at: number): boolean {
	const code = text.charCodeAt(at) | 0x20;
	const third = text.charCodeAt(at + 2);
	// The third letters of "string", "secure" and "const", and a blank after "As".
	if (code === 0x61) return third === 0x20;
	if (code === 0x73) return third === 0x72 || third === 0x63;
	return (code === 0x63 && third === 0x6e) || code === 0x7b || code === 0x2a;
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

function assigned(text: string, from: number, name: string): Separation | undefined {
	if (mayBeDeclared(text, from)) {
		DECLARED.lastIndex = from;
		if (DECLARED.test(text)) return wrapped(text, { from: DECLARED.lastIndex, sign: "=", proof: "name" }, name);
	}
	const at = skipBlanks(text, text.charCodeAt(from) === 0x3f ? from + 1 : from);
	const sign = signAt(text, at);
	if (sign === "") return undefined;
	let value = at + sign.length;
	// `**Password:** x`
	for (let stars = 0; stars < 2 && text.charCodeAt(value) === 0x2a; stars += 1) value += 1;
	return wrapped(text, { from: skipBlanks(text, value), sign, proof: "name" }, name);
}

function wrapped(text: string, separation: Separation, name: string): Separation {
	const { from } = separation;
	if (!mayBeWrapped(text, from)) return separation;
	USER_FIRST.lastIndex = from;
	const user = USER_FIRST.exec(text)?.[1];
	if (user !== undefined && !looksRandom(user) && /auth|cred|login/i.test(name))
		return { from: USER_FIRST.lastIndex, sign: "user", proof: "mixed" };
	OPENED.lastIndex = from;
	const opened = OPENED.exec(text);
	// The members of a list are names more often than a value in brackets is.
	if (opened !== null)
		return { ...separation, from: OPENED.lastIndex, ...(opened[1] === "[" && { proof: "strong" as const }) };
	WRAPPED.lastIndex = from;
	if (WRAPPED.test(text) && WRAPPED.lastIndex > from) return { ...separation, from: WRAPPED.lastIndex };
	ANY_CALL.lastIndex = from;
	return ANY_CALL.test(text) ? { ...separation, from: ANY_CALL.lastIndex, proof: "random" } : separation;
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
			// The message or the other value of a variable in a shell: `${NAME:?message}`
			if (next === 0x3f || next === 0x2b) return "";
			return next === 0x3a ? "" : ":";
		case 0x3c: // <-
			return next === 0x2d ? "<-" : "";
		case 0x3f: // ?=, ??=
			if (next === 0x3d) return "?=";
			return next === 0x3f && text.charCodeAt(at + 2) === 0x3d ? "??=" : "";
		case 0x7c: // ||=
			return next === 0x7c && text.charCodeAt(at + 2) === 0x3d ? "||=" : "";
		default:
			return "";
	}
}

/**
 * A type is searched only where a word is followed by something that may follow a type: hardly any colon belongs to a
 * declaration.
 */
function mayBeDeclared(text: string, from: number): boolean {
	const first = text.charCodeAt(from);
	if (first === 0x3d) return false;
	if (first !== 0x3a) return true;
	const at = skipBlanks(text, from + 1);
	// A reference or an array of Rust.
	if (text.charCodeAt(at) === 0x26) return true;
	if (text.charCodeAt(at) === 0x5b && (text.startsWith("[u8", at) || text.startsWith("[]const", at))) return true;
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
	if (code === 0x26 || code === 0x21 || code === 0x28 || code === 0x5b || code === 0x0a || code === 0x3c) return true;
	if (!isOf(NAME_CHAR, code)) return false;
	const end = endOf(text, at, NAME_CHAR, 80);
	const next = text.charCodeAt(end);
	if (next === 0x28) return true;
	if (next === 0x3a) return text.charCodeAt(end + 1) === 0x3a;
	if (next !== 0x20) return false;
	// `new Secret("…")`, `ConvertTo-SecureString "…"`, `isTest ? "…"`
	return /[nC]/.test(text.charAt(at)) || text.charCodeAt(end + 1) === 0x3f;
}

function nested(text: string, end: number, second: number): Separation | undefined {
	if (second !== 0x7b && text.charCodeAt(end + 2) !== 0x7b) return undefined;
	return plainSeparator(NESTED, text, end, ":");
}

function onNextLine(text: string, from: number): Separation | undefined {
	return (
		plainSeparator(ON_NEXT_LINE, text, from, ":\n") ?? plainSeparator(ALONE_ON_NEXT_LINE, text, from, ":", "strong")
	);
}

function pair(text: string, found: FoundName): Separation | undefined {
	return isPairName(text, found) ? plainSeparator(PAIR, text, found.end, "pair") : undefined;
}

/** The expression's first check, done by hand: most names have no sign before them. */
function isPairName(text: string, { start, end, closers }: FoundName): boolean {
	if (closers.endsWith('"') && text.startsWith(" {", end)) return true;
	const from = startOfPath(text, start);
	let at = from;
	if (isQuote(text.charCodeAt(at - 1))) at -= 1;
	for (let slashes = 0; slashes < 3 && text.charCodeAt(at - 1) === 0x5c; slashes += 1) at -= 1;
	for (let blanks = 0; blanks < 4 && isSpaceOrTab(text.charCodeAt(at - 1)); blanks += 1) at -= 1;
	const sign = text.charCodeAt(at - 1);
	// :, =, > and <
	if (sign !== 0x3c && sign !== 0x3a && sign !== 0x3d && sign !== 0x3e) return false;
	IS_PAIR_NAME.lastIndex = from;
	return IS_PAIR_NAME.test(text);
}

/** `"Name": "/shop/db_password"`: such a name may have folders before it. */
function startOfPath(text: string, start: number): number {
	let at = start;
	for (let folders = 0; folders < 6 && text.charCodeAt(at - 1) === 0x2f; folders += 1)
		at = startOf(text, at - 1, NAME_CHAR, 40);
	return at;
}

function inCall(text: string, { end, start, name, closers }: FoundName): Separation | undefined {
	IN_CALL.lastIndex = end;
	const match = IN_CALL.exec(text);
	if (match === null) return undefined;
	const sign = match[1] ?? "";
	const separation: Separation = { from: end + match[0].length, sign, proof: "name" };
	if (sign === "{") return closers === "" || closers.endsWith(")") ? separation : undefined;
	if (sign === "(")
		return /^(?:get|is|has|check|validate|find|read|load|fetch)|random|generate/i.test(name) ? undefined : separation;
	if (sign !== "," || (match[2] !== undefined && closers !== "")) return separation;
	if (closers === "")
		return OPENS_PAIR.test(textBefore(text, start, 10)) ? { ...separation, proof: "mixed" } : undefined;
	// The arguments of a program, as in ["--password", "x"].
	if (name.startsWith("-")) return { ...separation, sign: "list" };
	if (IS_NAME_IN_TURN.test(textBefore(text, start, 400))) return { ...separation, proof: "mixed" };
	// The arguments of a call, as in define('X', 'y'); in a longer list the next string is just another one.
	const before = BEFORE_ARGUMENT.exec(textBefore(text, start, 24));
	return before === null ? undefined : { ...separation, ...(before[1] !== undefined && { proof: "mixed" as const }) };
}

function inTable(text: string, found: FoundName): Separation | undefined {
	if (!/\|[ \t*`]{0,20}(?:[\w.-]{1,20} ){0,2}$/.test(textBefore(text, found.start, 64))) return undefined;
	return plainSeparator(IN_TABLE, text, found.end, "table", "strong");
}

function inProse(text: string, { end }: FoundName): Separation | undefined {
	if (BEGINS_PROSE[text.charCodeAt(end + 1)] !== 1) return undefined;
	return plainSeparator(IN_PROSE, text, end, "is", "strong");
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
