import { createHash } from "node:crypto";
import type { Diagnostic } from "../run/diagnostic.ts";
import { isRecord } from "../run/is-record.ts";
import { isStartingContext, STARTING_CONTEXTS, type StartingContext } from "../run/starting-context.ts";
import { isThinkingLevel, THINKING_LEVELS, type ThinkingLevel } from "../run/thinking.ts";
import { readName } from "./agent-name.ts";
import { readBoolean } from "./booleans.ts";
import type { AgentDefinition, AgentLimits, AgentSource } from "./definition.ts";
import { type Field, type FieldsByKey, readFields } from "./fields.ts";
import { Findings } from "./findings.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import { isTurnLimit, LIMIT_FIELDS, reportReferences, reportUnknownFields } from "./known-fields.ts";
import { readNames, readSkills } from "./name-lists.ts";
import { readNetwork } from "./network.ts";
import { outputSchemaProblem } from "./output-schema.ts";
import { readIsolation, unenforcedRestrictions } from "./restrictions.ts";
import { readSwitchedOff } from "./switched-off.ts";
import { readTools } from "./tools.ts";
import { unusedFields } from "./unused-fields.ts";

const DEFAULT_ROLE =
	"You are a subagent. Do the delegated task and nothing else, say what is uncertain, and answer concisely.";

/** The parser compares each key with all others: thousands of them would take seconds, at every call. */
const LONGEST_FRONTMATTER = 32 * 1024;

export interface ParsedAgent {
	agent?: AgentDefinition;
	/** Set even for an agent that cannot be used, if it could be read. */
	name?: string;
	diagnostics: Diagnostic[];
}

/** Reads one agent file. Any error means that there is no agent: part of a file is not enough for a role. */
export function parseAgent(text: string, origin: { file: string; source: AgentSource }): ParsedAgent {
	const findings = new Findings(origin.file);
	const { diagnostics } = findings;
	const frontmatter = splitFrontmatter(text);
	if (frontmatter.kind !== "found") {
		reportNoFrontmatter(frontmatter.kind, findings);
		return { diagnostics };
	}
	if (frontmatter.yaml.length > LONGEST_FRONTMATTER) {
		findings.error({ line: 1 }, "The frontmatter is longer than 32 KiB.", "Put long texts below it, into the prompt.");
		return { diagnostics };
	}
	const fields = readFields(frontmatter.yaml, findings);
	if (fields === undefined) return { diagnostics };

	const unknown = reportUnknownFields(fields, findings);
	reportReferences(fields, findings);
	const name = readName(fields, findings, origin.file);
	const description = textField("description", fields, findings)?.trim() ?? "";
	const models = readModels(fields, findings);
	const skills = readSkills(fields, findings);
	const thinking = readThinking(fields, findings);
	const context = readContext(fields, findings);
	const outputSchema = readOutputSchema(fields, findings);
	const readonly = readReadonly(fields, findings);
	const ask = readAsk(fields, findings);
	const pool = textField("pool", fields, findings)?.trim();
	const tools = readTools(fields, findings);
	const limits = readLimits(fields, findings);
	const isolation = readIsolation(fields);
	const network = readNetwork(fields);
	const switchedOff = readSwitchedOff(fields, findings, origin.file);
	const unenforced = unenforcedRestrictions(fields, unknown.restricting, findings);
	const unused = unusedFields(fields, findings);
	if (name === undefined || findings.hasErrors) return { ...(name !== undefined && { name }), diagnostics };

	const agent: AgentDefinition = {
		name,
		description,
		readonly: readonly || unenforced.length > 0,
		...(!readonly && unenforced.length > 0 && { unenforced: unenforced.map(({ key }) => key) }),
		...tools,
		warnings: [...unenforced.map(({ message }) => message), ...unused, ...unknown.told],
		...(switchedOff !== undefined && { switchedOff }),
		...models,
		...(thinking ? { thinking } : {}),
		...(skills ? { skills } : {}),
		...(context ? { context } : {}),
		...(ask ? { ask } : {}),
		...(pool ? { pool } : {}),
		limits,
		isolation,
		...(network !== undefined && { network }),
		...(outputSchema ? { outputSchema } : {}),
		prompt: frontmatter.body.trim() || description || DEFAULT_ROLE,
		source: origin.source,
		file: origin.file,
		digest: createHash("sha256").update(text).digest("hex"),
	};
	return { agent, name, diagnostics };
}

/** Does not report a file without any frontmatter: it is a README or the like. */
function reportNoFrontmatter(kind: "missing" | "late" | "unterminated", findings: Findings): void {
	if (kind === "missing") return;
	const message =
		kind === "late" ? "The frontmatter is not at the start of the file." : "The frontmatter is not closed.";
	findings.error({ line: 1 }, message, "Begin with a line `---`, then `name: …`, then another line `---`.");
}

function textField(key: string, fields: FieldsByKey, findings: Findings): string | undefined {
	const field = fields.get(key);
	if (field === undefined || field.value === null) return undefined;
	if (typeof field.value === "string") return field.value;
	findings.error(field, `${key} must be a string.`, "Put it in quotes.");
	return undefined;
}

/** Copilot's files may list models, the preferred one first. */
function readModels(fields: FieldsByKey, findings: Findings): Pick<AgentDefinition, "model" | "fallbackModels"> {
	const field = fields.get("model");
	const isList = Array.isArray(field?.value);
	const listed = isList ? readNames("model", fields, findings) : undefined;
	const model = isList ? listed?.[0] : textField("model", fields, findings)?.trim();
	if (field && !findings.hasErrors && !model) {
		findings.warning(field, "model is empty.", "Name a model, write `inherit` for the parent's, or remove the field.");
	}
	const others = listed?.slice(1) ?? [];
	const ownFallbacks = readNames("fallbackModels", fields, findings);
	if (field && ownFallbacks && others.length > 0) {
		const message = "Both a list of models and fallbackModels are given.";
		findings.error(field, message, "Keep one model, and put the others into fallbackModels.");
	}
	const fallbackModels = ownFallbacks ?? (others.length > 0 ? others : undefined);
	return { ...(model && { model }), ...(fallbackModels && { fallbackModels }) };
}

/** `effort` is Claude Code's name for it. */
function readThinking(fields: FieldsByKey, findings: Findings): ThinkingLevel | undefined {
	const [key, other] = ["thinking", "effort"].filter((name) => fields.has(name));
	if (key === undefined) return undefined;
	if (other !== undefined) {
		findings.error(
			fields.get(other) ?? {},
			`${key} and ${other} mean the same, and both are given.`,
			"Keep one of them.",
		);
	}
	const level = textField(key, fields, findings)?.trim();
	if (level === undefined || isThinkingLevel(level)) return level;
	findings.error(
		fields.get(key) ?? {},
		`Unknown thinking level "${level}".`,
		`Use one of ${THINKING_LEVELS.join(", ")}.`,
	);
	return undefined;
}

function readContext(fields: FieldsByKey, findings: Findings): StartingContext | undefined {
	const field = fields.get("context");
	if (field === undefined || field.value === null) return undefined;
	if (isStartingContext(field.value)) return field.value;
	findings.error(field, "Unknown context.", `Write ${STARTING_CONTEXTS.join(" or ")}, or remove the field.`);
	return undefined;
}

function readReadonly(fields: FieldsByKey, findings: Findings): boolean {
	const field = fields.get("readonly");
	return field !== undefined && (readBoolean(field, findings) ?? true);
}

/** A field without a value asks for nothing. */
function readAsk(fields: FieldsByKey, findings: Findings): true | undefined {
	const field = fields.get("ask");
	if (field === undefined || field.value === null) return undefined;
	return readBoolean(field, findings) === true || undefined;
}

function readLimits(fields: FieldsByKey, findings: Findings): AgentLimits {
	const limits: AgentLimits = {};
	const [first, second] = [...fields.values()].filter(isTurnLimit);
	if (first && second) {
		findings.error(second, `${first.key} and ${second.key} mean the same, and both are given.`, "Keep one of them.");
	}
	for (const key of LIMIT_FIELDS) {
		const field = key === "maxTurns" ? (isNoLimit(first) ? undefined : first) : fields.get(key);
		if (field === undefined) continue;
		if (isLimit(key, field)) limits[key] = field.value;
		else findings.error(field, `${field.key} is not a valid limit.`, `Write a ${numberFor(key)} above 0.`);
	}
	return limits;
}

const numberFor = (key: string): string => (key === "maxTurns" ? "whole number" : "number");

/** In other packages for pi, 0 means no limit. */
const isNoLimit = (field: Field | undefined): boolean => field?.key === "max_turns" && field.value === 0;

function isLimit(key: string, field: Field): field is Field & { value: number } {
	const { value } = field;
	if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return false;
	return key !== "maxTurns" || Number.isInteger(value);
}

function readOutputSchema(fields: FieldsByKey, findings: Findings): Record<string, unknown> | undefined {
	const field = fields.get("outputSchema");
	if (field === undefined) return undefined;
	const { value } = field;
	const problem = isRecord(value) ? outputSchemaProblem(value) : "it must be a mapping";
	if (problem === undefined && isRecord(value)) return value;
	findings.error(field, `outputSchema is not a usable JSON Schema: ${problem}.`, "Fix it or remove it.");
	return undefined;
}
