import type { CredentialName } from "./credential-names.ts";
import { isMasked } from "./mask.ts";

/** How a value is written: in quotes, as `NAME=value` of an environment file, or bare, where it may as well be code. */
export type Notation = "quoted" | "environment" | "bare";

/** A value that is filled in elsewhere. One that only begins with such a sign may be a password. */
const REFERENCE =
	/^\$(?:\w+|\(.*\))$|\$\{|\{\{|#\{|^\{.*\}$|^%\w+%$|^<[^<>]*>$|^<[A-Za-z_ -]*$|^@\w+@$|^![A-Z][A-Za-z]+$|^(?:process|os|import|secrets?|vars?|data|self|this|config|args|options)\.|^env[.(:[]|^ENV\[/;
const REPEATED = /^[*x.•·_-]+$|\.\.\.|…|\*{3}|xxxx|abcdefghij/i;
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const TYPE_OR_NUMBER = /^(?:(?:big)?u?int\d+\w*|float\d+\w*|0x[0-9a-f]{1,16})$/i;
const PLACEHOLDER_WORDS = new Set(
	(
		"a an the your my our new old current some any this is not to of in for example sample demo test " +
		"testing dummy fake mock stub placeholder change me it changeme replace insert enter todo tbd here " +
		"value string str text number int bool boolean object unknown undefined null nil none true false yes " +
		"no on off empty required optional invalid missing hidden masked redacted removed default auto " +
		"password passwd pass passphrase pwd secret token api key apikey access refresh client user username " +
		"admin root auth bearer basic oauth oauth1 oauth2 jwt cookie session id stripe openai anthropic " +
		"github google aws db database"
	).split(" "),
);
const MEMBER = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$#][\w$]*)+[?!;,)]*$/;
const PATH = /^(?:[A-Za-z]:)?(?:~|\.{1,2})?[\\/][\w.@+ -]+(?:[\\/][\w.@+ -]*)*$/;
const WORD = /^[A-Za-z]+$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a value that stands under the name of a credential is one, and not a type, a reference or a placeholder. */
export function isSecretValue(value: string, name: CredentialName, notation: Notation): boolean {
	if (value.length < 4 || isPlaceholder(value) || isPath(value) || TYPE_OR_NUMBER.test(value)) return false;
	if (CONSTANT.test(value) && !looksRandom(value)) return false;
	if (name === "token") return isTokenValue(value, notation);
	if (name === "secret" && notation === "bare") return isTokenValue(value, notation);
	return isPasswordValue(value, notation);
}

export function isPlaceholder(value: string): boolean {
	return isMasked(value) || REFERENCE.test(value) || REPEATED.test(value) || isDummy(value);
}

/** `changeme`, `your-api-key`, `********`. */
export function isDummy(value: string): boolean {
	if (/^(.)\1*$/.test(value)) return true;
	const words = value.toLowerCase().match(/[a-z0-9]+/g) ?? [];
	return words.length > 0 && words.every((word) => PLACEHOLDER_WORDS.has(word));
}

export function isPath(value: string): boolean {
	return PATH.test(value) && !value.split(/[\\/]/).some((part) => part.length >= 20 && looksRandom(part));
}

function isPasswordValue(value: string, notation: Notation): boolean {
	if (notation === "environment") return !/^https?:\/\//.test(value);
	if (notation === "bare") {
		return value.length >= 6 && /[^A-Za-z_$.-]/.test(value) && !MEMBER.test(value) && !/^\d{1,5}$/.test(value);
	}
	// Words with spaces between them are a label or a message far more often than a password.
	if (/\s/.test(value)) return value.split(/\s+/).some((word) => looksRandom(word));
	if (WORD.test(value)) return value.length >= 6 && value === value.toLowerCase();
	return !MEMBER.test(value);
}

function isTokenValue(value: string, notation: Notation): boolean {
	if (value.length < 8 || /\s|:\/\/|^\d+$/.test(value)) return false;
	if (MEMBER.test(value) && !value.split(/[^A-Za-z0-9]+/).some((part) => part.length >= 12 && looksRandom(part)))
		return false;
	if (UUID.test(value) || looksRandom(value)) return true;
	return notation !== "bare" && /^[A-Za-z0-9!@#$%^&*+=~?]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/**
 * Random characters change between small letters, capitals and digits far more often than words and names do. A capital
 * that begins a word does not count as a change. Without a digit the threshold is higher: `DotDotDotToken` is a name.
 */
export function looksRandom(value: string): boolean {
	if (value.length < 12) return false;
	if (/^[0-9a-f]{16,}$/i.test(value)) return true;
	const changes = value.match(/[a-z](?=[A-Z0-9])|[0-9](?=[A-Za-z])|[A-Z](?=[0-9])|[A-Z]{2}(?=[a-z])/g)?.length ?? 0;
	return changes / value.length >= (/\d/.test(value) ? 0.2 : 0.3) || /^[a-z]{28,}$/.test(value);
}
