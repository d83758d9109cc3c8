import { isRecord } from "../run/is-record.ts";
import type { AgentDefinition, ToolSelection } from "./definition.ts";
import type { Field, Fields } from "./fields.ts";
import type { Findings } from "./findings.ts";
import { readToolEntry, splitToolList } from "./tool-names.ts";
import { matches } from "./tool-patterns.ts";

export const WHITELIST_FIELDS = ["tools", "approved_tools", "allowed_tools"] as const;
export const BLACKLIST_FIELDS = ["denied_tools", "disallowedTools"] as const;

type ReadTools = Pick<AgentDefinition, "tools" | "writtenAs" | "leftOut">;

/** Which tools the file asks for. Whatever cannot be honoured exactly is narrowed or refused, never widened. */
export function readTools(fields: Fields, findings: Findings): ReadTools {
	const whitelist = onlyOne(WHITELIST_FIELDS, fields, findings);
	const blacklist = onlyOne(BLACKLIST_FIELDS, fields, findings);
	if (whitelist && blacklist && !isClaudeCodePair(whitelist, blacklist)) {
		findings.error(
			blacklist,
			`Both ${whitelist.key} and ${blacklist.key} are given, which is ambiguous.`,
			"Keep the list of tools the agent may use, or the list of those it may not.",
		);
	}
	const except = blacklist ? readBlacklist(blacklist, findings) : [];
	const asked = whitelist ? readWhitelist(whitelist, findings) : ALL;
	const { tools } = asked;
	return {
		...asked,
		tools:
			tools.kind === "only"
				? difference(tools.names, except)
				: { kind: "inherit", except: [...new Set([...tools.except, ...except])] },
	};
}

/** An MCP server's name may stand for tools that are denied one by one. */
function difference(names: readonly string[], except: readonly string[]): ToolSelection {
	const left = names.filter((name) => !except.some((entry) => matches(entry, name)));
	const within = except.filter((entry) => left.some((name) => matches(name, entry)));
	return { kind: "only", names: left, ...(within.length > 0 && { except: within }) };
}

const ALL: ReadTools = { tools: { kind: "inherit", except: [] }, writtenAs: {}, leftOut: [] };

/** There the difference counts; no other two lists have a meaning that everybody agrees on. */
const isClaudeCodePair = (whitelist: Field, blacklist: Field): boolean =>
	whitelist.key === "tools" && blacklist.key === "disallowedTools";

function onlyOne(names: readonly string[], fields: Fields, findings: Findings): Field | undefined {
	const [first, second] = names.flatMap((name) => fields.get(name) ?? []);
	if (first && second) {
		findings.error(second, `${first.key} and ${second.key} mean the same, and both are given.`, "Keep one of them.");
	}
	return first;
}

function readWhitelist(field: Field, findings: Findings): ReadTools {
	if (isRecord(field.value)) return readSwitches(field, field.value, findings);
	const entries = listOf(field, findings);
	// The same as no list at all: what the parent has switched on.
	if (entries.some((entry) => entry === "*") || isOne(entries, "all")) return ALL;
	return namedTools(field, isOne(entries, "none") ? [] : entries, findings);
}

const isOne = (entries: readonly string[], word: string): boolean =>
	entries.length === 1 && entries[0]?.toLowerCase() === word;

function namedTools(field: Field, entries: readonly string[], findings: Findings): ReadTools {
	const names = new Set<string>();
	const writtenAs: Record<string, string> = {};
	const leftOut: ReadTools["leftOut"] = [];
	for (const written of entries) {
		const entry = readToolEntry(written);
		if (entry.kind === "tool") {
			if (entry.name !== written && !names.has(entry.name)) writtenAs[entry.name] = written;
			names.add(entry.name);
			continue;
		}
		const remedy = entry.kind === "restricted" ? `Write "${entry.name}" to grant the whole tool.` : "Name each tool.";
		findings.warning(field, `"${written}" is left out: ${REASONS[entry.kind]}.`, remedy);
		leftOut.push({
			written,
			reason: `${REASONS[entry.kind]}; ${remedy.charAt(0).toLowerCase()}${remedy.slice(1, -1)}`,
		});
	}
	return { tools: { kind: "only", names: [...names] }, writtenAs, leftOut };
}

const REASONS = {
	restricted:
		"it restricts a tool in a way that cannot be enforced here, and the whole tool would be more than asked for",
	unusable: "it does not name one tool",
};

/**
 * opencode's form, `{ write: false, bash: true }`: all tools but those that are switched off. Where none is, and where
 * `*` is, only those that are switched on.
 */
function readSwitches(field: Field, switches: Record<string, unknown>, findings: Findings): ReadTools {
	if (!Object.values(switches).every((value) => typeof value === "boolean")) {
		findings.error(field, `${field.key} is not a list of tool names.`, "Write `read, grep` or a YAML list of names.");
		return ALL;
	}
	const off = Object.keys(switches).filter((name) => switches[name] === false);
	const on = Object.keys(switches).filter((name) => switches[name] === true);
	if (off.length === 0 || off.includes("*")) {
		return on.includes("*") ? ALL : namedTools(field, on, findings);
	}
	return { ...ALL, tools: { kind: "inherit", except: denied(field, off, findings) } };
}

const readBlacklist = (field: Field, findings: Findings): string[] => denied(field, listOf(field, findings), findings);

function denied(field: Field, entries: readonly string[], findings: Findings): string[] {
	const names = entries.flatMap((text) => {
		const entry = readToolEntry(text);
		if (entry.kind === "unusable") {
			findings.error(field, `"${text}" does not name one tool, so it cannot be denied.`, "Name each tool.");
			return [];
		}
		if (entry.kind === "restricted") {
			findings.warning(
				field,
				`"${text}" denies some uses of ${entry.name}; here it denies the whole tool.`,
				`Write "${entry.name}" to say so.`,
			);
		}
		return [entry.name];
	});
	return [...new Set(names)];
}

function listOf(field: Field, findings: Findings): string[] {
	const value = field.value ?? [];
	if (typeof value === "string") return splitToolList(value);
	if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.flatMap(splitToolList);
	findings.error(field, `${field.key} is not a list of tool names.`, "Write `read, grep` or a YAML list of names.");
	return [];
}
