import { isRecord } from "../run/is-record.ts";
import type { Field } from "./fields.ts";

type NamedValue = Pick<Field, "key" | "value">;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** What an agent may do or use, in the words of other systems. */
const ACTS = setOf(
	"access bash browser command commands create delete edit edits exec execute execution fetch file files internet mcp modify network push run shell terminal web write writes",
);
/** What such lists have in them, besides. */
const THINGS = setOf(
	"dir directories directory dirs domain domains folder folders host hosts operation operations path paths server servers url urls",
);
const TOOLS = setOf("tool tools");
const ENABLING = setOf("allow allows allowed can enable enabled may");
const LIMITING = setOf(
	"allow allowed allowlist blacklist block blocked blocklist denied deny denylist disable disabled disallow disallowed exclude excluded excludes forbid forbidden permitted restrict restricted whitelist",
);
/** Those that are names of lists by themselves. */
const LISTS = setOf(
	"allowed allowlist blacklist blocked blocklist denied denylist disallowed exclude excluded forbidden whitelist",
);
const REFUSING = setOf("block deny disable disabled forbid no without");
const REFUSALS: ReadonlySet<unknown> = new Set([false, "deny", "denied", "never", "no", "none", "off", "disabled"]);

/**
 * Whether a field that is unknown here seems to restrict its agent: `write: false`, `access: read-only`,
 * `denied_commands: […]`. Nobody knows all names, but most say in plain words that something is forbidden.
 */
export function mayRestrict({ key, value }: NamedValue): boolean {
	if (isRecord(value)) return Object.entries(value).some(([inner, part]) => mayRestrict({ key: inner, value: part }));
	const words = wordsOf(key);
	const says = typeof value === "string" ? value.trim().toLowerCase() : value;
	if (typeof says === "string" && /^read[-_ ]?only$/.test(says)) return true;
	if (key === "mode") return says === "plan" || says === "ask";
	if (asksNothing(says)) return false;
	if (has(words, setOf("approval approvals confirm confirmation"))) return !REFUSALS.has(says) && says !== "auto";
	if (REFUSALS.has(says)) return words.every((word) => ACTS.has(word) || ENABLING.has(word));
	if (says === true) return isRefusedAct(words) || ["safe mode", "sandboxed", "restricted"].includes(words.join(" "));
	if (words.length === 1) return has(words, LISTS);
	return has(words, LIMITING) && (has(words, ACTS) || has(words, THINGS));
}

/** Whether a field is a list of tools under a name that is unknown here: `available_tools`, `toolsDenied`. */
export function mayListTools({ key, value }: NamedValue): boolean {
	const words = wordsOf(key);
	return !asksNothing(value) && has(words, TOOLS) && (has(words, LIMITING) || words.includes("available"));
}

/** Whether a field that is unknown here seems to be a limit: `max_iterations`. */
export const mayLimit = (key: string): boolean => has(wordsOf(key).slice(0, 1), setOf("budget limit max timeout"));

const isRefusedAct = ([first = "", ...rest]: readonly string[]): boolean =>
	REFUSING.has(first) && rest.length > 0 && rest.every((word) => ACTS.has(word));

const has = (words: readonly string[], some: ReadonlySet<string>): boolean => words.some((word) => some.has(word));

function asksNothing(value: unknown): boolean {
	if (Array.isArray(value)) return value.every((item) => item === "*" || item === "all");
	return value === null || value === "" || value === "*" || value === "all";
}

const wordsOf = (key: string): string[] =>
	key
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z0-9]+/)
		.filter((word) => word !== "");
