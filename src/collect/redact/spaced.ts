import type { FoundName } from "./assignments.ts";
import { DASHED, isQuote, isSpace, isSpaceOrTab, skipBlanks, startOf, textBefore } from "./characters.ts";
import { LEAST_BARE, LEAST_STRONG } from "./secret-values.ts";
import type { Separation } from "./separators.ts";
import { endsBare } from "./values.ts";

const VALUE_FLAG = /--?(?:value|body|secret-string)[ \t=]{1,4}(?=\S)/y;
/** Commands that take a name and its value separated by a space. */
const TAKES_NAME =
	/(?:^|[\s;&|"'/])(?:ENV|ARG|setx|setenv|set(?:[ \t]+-[A-Za-z]{1,4})?|(?:config|configure|secrets?|user-secrets|variable|vars|env)(?:[ \t]+[\w-]{1,20})?[ \t]+(?:set|add|put)|config(?:[ \t]+(?:set|--global|--local|--add|--set))?)(?:[ \t]+--?[A-Za-z][\w-]{0,20}){0,2}[ \t]+["']?$/;
/** Looks backwards from the name, so that the first mismatch ends the search. */
const MAY_TAKE_NAME = /(?<=(?:ENV|ARG|setx|setenv|set|add|put|config|[ \t]-[\w-]{1,20})[ \t]{1,20}["']?)/y;
const LINE_OR_LOGIN = /(?:^|\n)[ \t]*(?:machine[ \t][^\n]{1,90})?$|\b(?:login|user)\s+\S{1,80}\s+$/;
const ENDS_TAKING = new Uint8Array(128);
for (const character of "VGxvtdg") ENDS_TAKING[character.charCodeAt(0)] = 1;

/** Only a space: a flag of a command line, a line of .netrc, the argument of a command, or a quoted value as in SQL. */
export function spaced(text: string, found: FoundName): Separation | undefined {
	const { start, end, name, closers } = found;
	const at = skipBlanks(text, end, MOST_BLANKS);
	const first = text.charCodeAt(at);
	if (at === text.length || isSpace(first)) return undefined;
	if (isWholeLine(text, start, at)) return { from: at, sign: " ", proof: "name" };
	if (at - end > 4) return undefined;
	const separation: Separation = { from: at, sign: " ", proof: "name" };
	if (first === 0x2d) {
		VALUE_FLAG.lastIndex = at;
		if (VALUE_FLAG.test(text)) return { ...separation, from: VALUE_FLAG.lastIndex };
	}
	if (name.startsWith("-")) return isShortValue(text, at, LEAST_BARE) ? undefined : separation;
	// `*db-password* "x"` of Lisp
	if (isQuote(first) || first === 0x60) return closers === "" || closers === "*" ? separation : undefined;
	// A bare value of only letters is not a secret, whatever comes before it, nor is a very short one.
	if (isPlainWord(text, at) || isShortValue(text, at, LEAST_BARE)) return undefined;
	if (mayTakeName(text, start) && TAKES_NAME.test(textBefore(text, start, 100))) return separation;
	if (text.charCodeAt(start - 1) === 0x09 && text.charCodeAt(end) === 0x09) return separation;
	const standsAlone = name === "password" || name === "requirepass" || name === "masterauth";
	if (standsAlone && LINE_OR_LOGIN.test(textBefore(text, start, 100))) return separation;
	return isShortValue(text, at, LEAST_STRONG) ? undefined : { from: at, sign: " ", proof: "strong" };
}

/** The second column of a command's table is this far away. */
const MOST_BLANKS = 40;

/** A line with only a name and a value of letters and digits, as in the files of many programs. */
function isWholeLine(text: string, start: number, valueStart: number): boolean {
	const before = text.charCodeAt(start - 1);
	if (start > 0 && before !== 0x0a && !(isSpaceOrTab(before) && LINE_START.test(textBefore(text, start, 24))))
		return false;
	WHOLE_VALUE.lastIndex = valueStart;
	return WHOLE_VALUE.test(text);
}

const LINE_START = /(?:^|\n)[ \t]{1,20}$/;
const WHOLE_VALUE = /(?=[^\s]{0,60}\d)(?=[^\s]{0,60}[A-Za-z])[^\s"'`<$[({-][^\s"'`]{5,200}[ \t]{0,4}(?=\r?\n|$)/y;

/** Whether the word or flag before a name makes it take a value. */
function mayTakeName(text: string, start: number): boolean {
	const blanks = isQuote(text.charCodeAt(start - 1)) ? start - 1 : start;
	let at = blanks;
	while (at > blanks - 20 && isSpaceOrTab(text.charCodeAt(at - 1))) at -= 1;
	// The last letters of the words in the expression, or a flag.
	if (at === blanks || !(ENDS_TAKING[text.charCodeAt(at - 1)] === 1 || isFlag(text, at))) return false;
	MAY_TAKE_NAME.lastIndex = start;
	return MAY_TAKE_NAME.test(text);
}

function isFlag(text: string, end: number): boolean {
	const start = startOf(text, end, DASHED, 24);
	return text.charCodeAt(start) === 0x2d;
}

function isPlainWord(text: string, from: number): boolean {
	for (let at = from; at < from + 60; at += 1) {
		const code = text.charCodeAt(at);
		if (!((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a)) return at >= text.length || code <= 0x20;
	}
	return false;
}

/** Whether a value without quotes is too short. A string prefix may come before its quotes. */
function isShortValue(text: string, from: number, least: number): boolean {
	for (let at = from; at < from + least; at += 1) {
		const code = text.charCodeAt(at);
		if (isQuote(code) || code === 0x60) return false;
		if (endsBare(code)) return true;
	}
	return false;
}
