import { isOf, isSpace, WORD_CHAR } from "./characters.ts";
import type { CredentialName } from "./credential-names.ts";
import { isMasked } from "./mask.ts";
import { isReference } from "./references.ts";

/** How a value is written: in quotes, as `NAME=value` of an environment file, or bare, where it may as well be code. */
export type Notation = "quoted" | "environment" | "bare";

/** The minimum length of a secret. */
export const LEAST_VALUE = 4;
/** The minimum length of a password without quotes. */
export const LEAST_BARE = 6;
/** The minimum length of what looks random. */
const LEAST_RANDOM = 12;
/** The same if only its own characters identify it. */
export const LEAST_STRONG = 8;

const REPEATED = /^[*x.•·_-]+$|^(?:required|nullable|sometimes|string|present)\||\.\.\.|…|\*{3}|xxxx|abcdefghij/i;
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const TYPE_OR_NUMBER = /^(?:(?:big)?u?int\d+\w*|float\d+\w*|u8|0x[0-9a-f]{1,16}u?l{0,2}|\d+<<\d+)$/i;
const PLACEHOLDER_WORDS = new Set(
	(
		"a an the your my our new old current some any this is not to of in for example sample demo test " +
		"testing dummy fake mock stub placeholder change me it changeme replace insert enter todo tbd here " +
		"value string str text number int bool boolean object unknown undefined null nil none true false yes " +
		"no on off empty required optional invalid missing hidden masked redacted removed default auto " +
		"password passwd pass passphrase pwd secret token api key apikey access refresh client user username " +
		"admin root auth bearer basic oauth oauth1 oauth2 jwt cookie session id stripe openai anthropic " +
		"github google aws db database foo bar baz private public with and or goes env file vault " +
		"await async function lambda typeof symbol success passed failed failure incorrect wrong changethis changeit"
	).split(" "),
);
const MEMBER = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$#][\w$]*)+[?!;:,)]*$/;
const PATH = /^(?:[A-Za-z]:)?(?:~|\.{1,2})?[\\/][\w.@+ -]+(?:[\\/][\w.@+ -]*)*$/;
/** Of words: an encoded key has slashes, too. */
const RELATIVE_PATH = /^[a-z][a-z_.-]*(?:\/[a-z][a-z_.-]*\d{0,2})+$/;
/** Without a user, who might have a password. */
const PLAIN_URL = /^[a-z][\w+.-]{1,30}:\/\/[^\s@]*$/i;
const UUID_ANY_CASE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const isUuid = (value: string): boolean => value.length === 36 && UUID_ANY_CASE.test(value);
/** The words from which a wallet is restored. */
const LEAST_PHRASE = 12 * 4 - 1;
const RECOVERY_PHRASE = /^(?:[a-z]{3,8} ){11,23}[a-z]{3,8}$/;

/** Whether a value under the name of a credential is one, and not a type, a reference or a placeholder. */
export function isSecretValue(value: string, name: CredentialName, notation: Notation): boolean {
	if (value.length < LEAST_VALUE) return false;
	// Cheap checks first: a text of nothing but names of credentials runs them hundreds of thousands of times.
	const tokenLike = name === "token" || (name === "secret" && notation === "bare" && !looksChosen(value));
	if (tokenLike && !isTokenValue(value, notation)) return false;
	const signs = signsIn(value);
	if (!tokenLike && !isPasswordValue(value, notation, signs)) return false;
	if (isPlaceholder(value, signs) || isPath(value) || isTypeOrNumber(value)) return false;
	return !value.includes("_") || !CONSTANT.test(value) || looksRandom(value);
}

export function isPlaceholder(value: string, signs = signsIn(value)): boolean {
	if (isMasked(value) || isDummy(value)) return true;
	const mayRefer = (signs & REFERRING) !== 0 || value.startsWith("Ag");
	return (mayRefer && isReference(value)) || ((signs & REPEATING) !== 0 && REPEATED.test(value));
}

/**
 * The kinds of characters in a value, read once: most expressions then need not be tried, and one of them costs more than
 * this.
 */
const BLANK = 1;
const NO_LETTER = 2;
/** Every reference has one of these somewhere, or begins with one. */
const REFERRING = 4;
/** Characters that are repeated in place of a value, and the last letter of the alphabet's beginning. */
const REPEATING = 8;
const SIGNS_OF_VALUES = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
	const character = String.fromCharCode(code);
	if (/\s/.test(character)) SIGNS_OF_VALUES[code] = BLANK;
	if (!/[A-Za-z]/.test(character)) SIGNS_OF_VALUES[code] = (SIGNS_OF_VALUES[code] ?? 0) | NO_LETTER;
	if (/[${<%.(:[/!@*+]/.test(character)) SIGNS_OF_VALUES[code] = (SIGNS_OF_VALUES[code] ?? 0) | REFERRING;
	if (/[*x._j|-]/i.test(character)) SIGNS_OF_VALUES[code] = (SIGNS_OF_VALUES[code] ?? 0) | REPEATING;
}

function signsIn(value: string): number {
	let signs = 0;
	for (let at = 0; at < value.length; at += 1) {
		const code = value.charCodeAt(at);
		if (code < 128) signs |= SIGNS_OF_VALUES[code] ?? 0;
		else signs |= NO_LETTER | REPEATING | (isSpace(code) ? BLANK : 0);
	}
	return signs;
}

/** Hardly any value begins like one. */
function isTypeOrNumber(value: string): boolean {
	const first = value.charCodeAt(0) | 0x20;
	const isDigit = first >= 0x30 && first <= 0x39;
	// b, u, i and f
	if (first !== 0x62 && first !== 0x75 && first !== 0x69 && first !== 0x66 && !isDigit) return false;
	return TYPE_OR_NUMBER.test(value);
}

/** `changeme`, `your-api-key`, `********`. */
export function isDummy(value: string): boolean {
	if (isOneCharacter(value)) return true;
	let words = 0;
	for (let at = 0; at < value.length; at += 1) {
		if (!isOf(WORD_CHAR, value.charCodeAt(at))) continue;
		let end = at + 1;
		while (end < value.length && isOf(WORD_CHAR, value.charCodeAt(end))) end += 1;
		// Longer than the longest of them.
		if (end - at > 12 || !PLACEHOLDER_WORDS.has(value.slice(at, end).toLowerCase())) return false;
		words += 1;
		at = end;
	}
	return words > 0;
}

export function isPath(value: string): boolean {
	if (!value.includes("/") && !value.includes("\\")) return false;
	if (RELATIVE_PATH.test(value)) return true;
	return (
		(PATH.test(value) || PLAIN_URL.test(value)) &&
		!value.split(/[\\/?&=#]/).some((part) => part.length >= 20 && looksRandom(part))
	);
}

/** A password that only a word before it announces: letters, a digit and a sign that no sentence has inside a word. */
export const looksStrong = (value: string): boolean =>
	value.length >= LEAST_STRONG && isStrongIn(value, 0, value.length);

/** As people make one up: a word and a year, perhaps followed by a sign; or dashed words and a number. */
const CHOSEN =
	/^[A-Za-z]{3,}\d{3,}[!@#$%^&*?+=~.]{0,3}$|^[A-Z][a-z]{3,}\d{2,}[!@#$%^&*?]{1,3}$|^[a-z]{3,}(?:-[a-z]{3,}){1,4}-?\d{3,}$|^[a-z]{3,}(?:-[a-z]{3,}){2,4}-\d\d$/;
export const looksChosen = (value: string): boolean => value.length >= LEAST_STRONG && CHOSEN.test(value);

/** Algorithms, encodings and versions: words with a digit that are no passwords. */
const changesOfKind = (value: string): number =>
	value.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
const NAME_WITH_DIGIT =
	/^(?:sha|md|utf|base|oauth|http|tls|ssl|aes|hmac|[hrep]s|ecdsa|ed|u?int|float|ipv|argon|pbkdf|ssh|iso|rfc|pkcs|x|scram)-?_?\d[\w-]*$|^v?\d+(?:\.\d+)+[\w.-]*$/i;
/** An address with a port, or two ports. */
const ADDRESS = /^[\d.:[\]]+(?:\/\w+)?$/;

/** Small letters, capitals and digits mixed: so few that a name could have them, but no word of a sentence. */
export const looksShuffled = (value: string): boolean =>
	value.length >= LEAST_STRONG &&
	value.length < LEAST_RANDOM &&
	/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z\d]+$/.test(value) &&
	changesOfKind(value) >= 4;

/** Letters and a digit: enough for a password where hardly anything else can be. */
export const looksMixed = (value: string): boolean =>
	value.length >= LEAST_BARE &&
	/^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])\S+$/.test(value) &&
	!NAME_WITH_DIGIT.test(value) &&
	!ADDRESS.test(value);

export function isStrongIn(text: string, from: number, to: number): boolean {
	let any = 0;
	let signInside = false;
	for (let at = from; at < to; at += 1) {
		const kind = characterKind(text.charCodeAt(at));
		signInside ||= (any & SIGN) !== 0 && (kind & ANY) !== 0;
		any |= kind;
		if (signInside && (any & DIGIT) !== 0 && (any & (LOWER | UPPER)) !== 0) return true;
	}
	return false;
}

function isOneCharacter(value: string): boolean {
	const first = value.charCodeAt(0);
	for (let at = 1; at < value.length; at += 1) if (value.charCodeAt(at) !== first) return false;
	return true;
}

const VERSION = /^[~^<>=v]{0,3}\d+\.\d+\.\d+(?:[-+.][\w.+-]+)?$/;

function isPasswordValue(value: string, notation: Notation, signs: number): boolean {
	if (VERSION.test(value)) return false;
	if (notation === "environment") return !/^https?:\/\//.test(value);
	if (notation === "bare") {
		return (
			value.length >= LEAST_BARE &&
			(/[^A-Za-z_$.-]/.test(value) || looksRandom(value)) &&
			!isMember(value) &&
			!VARIABLE.test(value)
		);
	}
	// Words with spaces between them are a label or a message far more often than a password.
	if ((signs & BLANK) !== 0)
		return hasRandomWord(value) || isOddPhrase(value) || (value.length >= LEAST_PHRASE && RECOVERY_PHRASE.test(value));
	if ((signs & NO_LETTER) === 0) return value.length >= 6 && (value === value.toLowerCase() || looksRandom(value));
	return !isMember(value) && !isLabel(value) && !SETTING.test(value);
}

/** `config.password`. Random characters may have a dot among them. */
const isMember = (value: string): boolean =>
	MEMBER.test(value) && !value.split(/\W+/).some((part) => looksRandom(part) || isShuffledPart(part));

const isShuffledPart = (part: string): boolean =>
	part.length >= LEAST_BARE && /\d/.test(part) && changesOfKind(part) >= Math.max(3, part.length * 0.3);

/** `password2`, `user_001_password`, `!showPwd`: what an expression calls the password that it has. */
const VARIABLE = /^!?[A-Za-z_$][\w$]*(?<=hash|pass|passw(?:or)?d|pwd|secret|token|key)\d?$/i;
/** `"ldap_search_password"`: what a program calls a setting. */
const SETTING = /^[a-z]+(?:_[a-z]+)*_(?:passw(?:or)?d|pwd|secret|token|key)$/;

/** What a form or a table shows, in any language. */
const isLabel = (value: string): boolean =>
	/^[A-Za-z]+:$/.test(value) ||
	/[\u3040-\u9fff\uac00-\ud7af]/.test(value) ||
	/^(?=.*[^ -~])[^\d!-,/:-@[-`{-~]+$/.test(value);

const WORD_OF_PHRASE = /^[\w!@#$%^&*+=-]{2,16}$/;
/** A capital inside of it, or a digit beside a letter: no word of a sentence is like that. */
const ODD_WORD = /[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d/;
/** Hardly any label or message is without them. */
const OF_LABELS =
	/\b(?:the|and|for|you|your|are|was|not|from|has|at|must|with|this|that|enter|used|to|of|in|is|or|a|an|minimum|characters|version|step|error|line|port|page|section|type|field|column|row|user|password|key|token|secret)\b/i;

/** A few words with an odd one among them, or with a number at their end. */
function isOddPhrase(value: string): boolean {
	const words = value.split(" ");
	if (words.length > 5 || !words.every((word) => WORD_OF_PHRASE.test(word)) || OF_LABELS.test(value)) return false;
	return words.some((word) => ODD_WORD.test(word)) || /^[a-z ]+ \d{3,8}$/.test(value);
}

function hasRandomWord(value: string): boolean {
	let from = 0;
	for (let at = 0; at <= value.length; at += 1) {
		if (at < value.length && !isSpace(value.charCodeAt(at))) continue;
		if (at - from >= LEAST_RANDOM && looksRandom(value.slice(from, at))) return true;
		from = at + 1;
	}
	return false;
}

function isTokenValue(value: string, notation: Notation): boolean {
	if (value.length < 8) return false;
	const random = looksRandom(value) || value.split(".").some(looksRandom);
	if (!random && notation === "bare" && !isUuid(value)) return false;
	if (/\s|:\/\/|^\d+$/.test(value)) return RECOVERY_PHRASE.test(value);
	if (isMember(value)) return false;
	if (random || isUuid(value)) return true;
	if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || NAME_WITH_DIGIT.test(value)) return false;
	return /^[A-Za-z0-9!@#$%^&*+=~?]+$/.test(value) || (value.match(/[!@#$%^&*?+=~]/g)?.length ?? 0) >= LEAST_SIGNS;
}

/** So many signs have no name and no address. */
const LEAST_SIGNS = 4;

/**
 * Random characters change between small letters, capitals and digits far more often than words and names do. A capital
 * that begins a word does not count as a change. Without a digit the threshold is higher: `DotDotDotToken` is a name.
 */
export function looksRandom(value: string): boolean {
	if (value.length < LEAST_RANDOM) return false;
	// Characters of one kind have no changes. Most values are like that, which is quick to check.
	if (!/[A-Z0-9]/.test(value) || !/[a-z0-9]/.test(value)) return ONE_KIND.test(value);
	let changes = 0;
	let any = 0;
	let all = HEX;
	let lastThree = 0;
	for (let at = 0; at < value.length; at += 1) {
		const kind = characterKind(value.charCodeAt(at));
		any |= kind;
		all &= kind;
		lastThree = ((lastThree << 3) | (kind & ANY)) & 0o777;
		changes += CHANGES[lastThree] ?? 0;
	}
	if (all === HEX && value.length >= 16) return true;
	return changes / value.length >= ((any & DIGIT) !== 0 || value.length >= LEAST_WITHOUT_DIGIT ? 0.2 : 0.3);
}

/** So many letters mostly have a digit among them; a name of so many has longer words. */
const LEAST_WITHOUT_DIGIT = 36;
/** Hexadecimal, or longer than any word. */
const ONE_KIND = /^(?:[a-f]{16,}|[A-F]{16,}|[a-z]{28,})$/;

/** Kinds of characters. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const ANY = LOWER | UPPER | DIGIT;
const HEX = 8;
/** No sentence has it inside a word. */
const SIGN = 16;

const KINDS = new Uint8Array(128).fill(LOWER, 0x61, 0x7b).fill(UPPER, 0x41, 0x5b).fill(DIGIT, 0x30, 0x3a);
for (let code = 0; code < 128; code += 1) {
	if (/[0-9a-fA-F]/.test(String.fromCharCode(code))) KINDS[code] = (KINDS[code] ?? 0) | HEX;
	if ("!@#$%^&*?+=~".includes(String.fromCharCode(code))) KINDS[code] = SIGN;
}

const characterKind = (code: number): number => (code < 128 ? (KINDS[code] ?? 0) : 0);

/** Whether the last of three characters is of another kind than the one before it, given the kinds of all three. */
const CHANGES = Uint8Array.from({ length: 0o1000 }, (_, kinds) => {
	const [first, second, third] = [kinds >> 6, (kinds >> 3) & ANY, kinds & ANY];
	// A word begins with a capital and a small letter; two capitals before a small letter do not begin one.
	const beginsWord = first !== UPPER && second === UPPER && third === LOWER;
	return second !== 0 && third !== 0 && second !== third && !beginsWord ? 1 : 0;
});
