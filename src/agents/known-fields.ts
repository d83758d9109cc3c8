import { isRecord } from "../run/is-record.ts";
import { nearest } from "../run/nearest.ts";
import type { Field, FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";
import { mayLimit, mayListTools, mayRestrict } from "./other-restrictions.ts";
import { UNENFORCED_FIELDS } from "./restrictions.ts";
import { SWITCH_FIELDS } from "./switched-off.ts";
import { BLACKLIST_FIELDS, WHITELIST_FIELDS } from "./tools.ts";
import { UNUSED_FIELDS } from "./unused-fields.ts";

export const LIMIT_FIELDS = ["maxTurns", "timeoutMs", "idleTimeoutMs", "maxCostUsd", "maxTokens"] as const;

/** `max_turns` is the name in Gemini CLI and other packages for pi, `maxSteps` and `steps` in opencode. */
const TURN_LIMIT_FIELDS = ["maxTurns", "max_turns", "maxSteps"];

/** A list of `steps` is something else. */
export const isTurnLimit = ({ key, value }: Field): boolean =>
	TURN_LIMIT_FIELDS.includes(key) || (key === "steps" && typeof value === "number");

/** Fields that restrict the agent, and that have no other spelling. */
const RESTRICTING = ["readonly", ...WHITELIST_FIELDS, ...BLACKLIST_FIELDS, ...UNENFORCED_FIELDS, ...SWITCH_FIELDS];

/** Other systems' names for a list of tools that the agent may not use. */
const DENYING = ["blockedTools", "denyTools", "disabledTools", "excludeTools", "excludedTools", "forbiddenTools"];

const KNOWN = [
	"name",
	"description",
	...RESTRICTING,
	"model",
	"fallbackModels",
	"skills",
	"context",
	"ask",
	"pool",
	"thinking",
	"effort",
	...LIMIT_FIELDS,
	...TURN_LIMIT_FIELDS,
	"outputSchema",
	...UNUSED_FIELDS,
];

/** Fields of Claude Code without a meaning here. They are ignored silently, so that its files work unchanged. */
const IGNORED = ["background", "color", "initialPrompt"];

/** Fields of other systems that are not misspelt fields of ours: opencode's. */
const OTHER_FIELDS = ["mode"];

export interface UnknownFields {
	/** What every run should say about them: a field may have been meant as a limit (`timeout_mins`). */
	told: string[];
	/** Those that seem to restrict the agent. */
	restricting: Field[];
}

/**
 * Reports unused fields. A field that may be a restriction in another spelling (`readOnly`, `denied-tools`, `raedonly`, a
 * letter that only looks Latin) is an error: ignoring it would give the agent what its author withheld.
 */
export function reportUnknownFields(fields: FieldsByKey, findings: Findings): UnknownFields {
	const unused: Field[] = [];
	const restricting: Field[] = [];
	const told = [...fields.values()].flatMap((field) => {
		if (KNOWN.includes(field.key) || IGNORED.includes(field.key) || isTurnLimit(field)) return [];
		const problem = lostRestriction(field);
		if (problem !== undefined) {
			findings.error(field, problem.message, problem.remedy);
			return [];
		}
		if (mayRestrict(field)) {
			restricting.push(field);
			return [];
		}
		const meant = OTHER_FIELDS.includes(field.key) ? undefined : nearest(field.key, KNOWN);
		const message = `Unknown field ${field.key}, not used.`;
		if (meant === undefined) {
			unused.push(field);
			return mayLimit(field.key) ? [message] : [];
		}
		const remedy = `Did you mean ${meant}?`;
		findings.warning(field, message, remedy);
		return LIMIT_FIELDS.some((limit) => limit === meant) ? [`${message} ${remedy}`] : [];
	});
	reportUnused(unused, findings);
	return { told, restricting };
}

/** One line for all of them, because many files have several. */
function reportUnused(unused: readonly Field[], findings: Findings): void {
	const [first, ...others] = unused;
	if (first === undefined) return;
	if (others.length === 0) findings.warning(first, `Unknown field ${first.key}, not used.`, "Remove it.");
	else {
		const names = unused.map(({ key }) => key).join(", ");
		findings.warning({ line: first.line, column: first.column }, `Unknown fields, not used: ${names}.`, "Remove them.");
	}
}

/** Whether a line at the margin that begins with this name is a field, rather than text with a colon. */
export const isFieldName = (name: string): boolean =>
	KNOWN.includes(name) || IGNORED.includes(name) || restrictionNamed(name) !== undefined;

/** Refuses values that are not written out where they are used: YAML readers disagree about them. */
export function reportReferences(fields: FieldsByKey, findings: Findings): void {
	for (const field of fields.values()) {
		if (field.refers === "merge") findings.error(field, "YAML merge keys are not read.", "Write the fields out.");
		if (field.refers !== "alias" || field.key === "outputSchema" || field.key === "<<") continue;
		findings.error(field, "YAML aliases are read only inside of outputSchema.", "Write the value out.");
	}
}

interface FieldProblem {
	message: string;
	remedy: string;
}

function lostRestriction(field: Field): FieldProblem | undefined {
	const { key, value } = field;
	if (key === "<<") return { message: "YAML merge keys are not read.", remedy: "Write the fields out." };
	if (NOT_PLAIN.test(key)) {
		const message = `The field name ${visible(key)} has a character that is not plain ASCII.`;
		return { message, remedy: "Type the name again, with plain letters." };
	}
	const meant = restrictionMeantBy(key);
	if (meant !== undefined) {
		return { message: `The field ${key} restricts nothing in this spelling.`, remedy: `Write ${meant}.` };
	}
	if (mayListTools(field)) {
		return { message: `The field ${key} restricts nothing here.`, remedy: "Write tools or denied_tools." };
	}
	const inner = isRecord(value) ? Object.keys(value).find((name) => restrictionNamed(name) !== undefined) : undefined;
	if (inner !== undefined) {
		const message = `${inner} restricts nothing inside of ${key}.`;
		return { message, remedy: `Write it as a field of its own: ${restrictionNamed(inner)}.` };
	}
	return undefined;
}

const NOT_PLAIN = /[^\x20-\x7e]/;

/** Shows characters that are invisible, or look like others, as their code point. */
const visible = (key: string): string =>
	`"${[...key]
		.map((letter) => {
			const code = letter.codePointAt(0) ?? 0;
			return NOT_PLAIN.test(letter) ? `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>` : letter;
		})
		.join("")}"`;

const restrictionMeantBy = (key: string): string | undefined =>
	restrictionNamed(key) ?? RESTRICTING.find((known) => isOneSlipFrom(lettersOf(known), lettersOf(key)));

/** Whether two words differ by one letter that is added, missing or replaced, or by two that are swapped. */
function isOneSlipFrom(word: string, other: string): boolean {
	const shorter = Math.min(word.length, other.length);
	let start = 0;
	while (start < shorter && word[start] === other[start]) start++;
	let end = 0;
	while (end < shorter - start && word.at(-1 - end) === other.at(-1 - end)) end++;
	const [here, there] = [word, other].map((each) => each.slice(start, each.length - end));
	if (here === undefined || there === undefined) return false;
	return (here.length < 2 && there.length < 2) || (here.length === 2 && here[0] === there[1] && here[1] === there[0]);
}

/** The restriction that a name spells, exactly or differently. */
export function restrictionNamed(key: string): string | undefined {
	if (DENYING.some((name) => lettersOf(name) === lettersOf(key))) return "denied_tools";
	return RESTRICTING.find((known) => lettersOf(known) === lettersOf(key));
}

const lettersOf = (key: string): string => key.toLowerCase().replace(/[^a-z]/g, "");
