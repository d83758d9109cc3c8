import { isRecord } from "../run/is-record.ts";
import type { AgentDefinition, LeftOutTool, ToolSelection } from "./definition.ts";
import type { Field, FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";
import { deniedWith, isToolWord, readToolEntry, splitToolList } from "./tool-names.ts";
import { matches } from "./tool-patterns.ts";
import { type Withheld, withheldTools } from "./withheld.ts";

export const WHITELIST_FIELDS = ["tools", "approved_tools", "allowed_tools"] as const;
export const BLACKLIST_FIELDS = ["denied_tools", "disallowedTools"] as const;

type ReadTools = Pick<AgentDefinition, "tools" | "writtenAs" | "leftOut">;

/** The tools that the file asks for. An entry that cannot be applied exactly is narrowed or refused, never widened. */
export function readTools(fields: FieldsByKey, findings: Findings): ReadTools {
	const whitelist = onlyOne(WHITELIST_FIELDS, fields, findings);
	const blacklist = onlyOne(BLACKLIST_FIELDS, fields, findings);
	if (whitelist && blacklist && !isClaudeCodePair(whitelist, blacklist)) {
		findings.error(
			blacklist,
			`Both ${whitelist.key} and ${blacklist.key} are given, which is ambiguous.`,
			"Keep the list of tools the agent may use, or the list of those it may not.",
		);
	}
	const denied = blacklist ? readDenied(blacklist, toolEntries(blacklist, findings), findings) : NOTHING_DENIED;
	const asked = withoutWithheld(whitelist ? readWhitelist(whitelist, findings) : ALL, withheldTools(fields));
	const { tools, writtenAs } = asked;
	if (tools.kind === "inherit") {
		const except = [...new Set([...tools.except, ...denied.except])];
		return { tools: { kind: "inherit", except }, writtenAs, leftOut: [...asked.leftOut, ...denied.leftOut] };
	}
	// A denial has no effect on a list that does not name the tool.
	const lost = denied.leftOut.filter((entry) => "tool" in entry && tools.names.includes(entry.tool));
	return { tools: difference(tools.names, denied.except), writtenAs, leftOut: [...asked.leftOut, ...lost] };
}

function withoutWithheld(asked: ReadTools, { except, only }: Withheld): ReadTools {
	const { tools } = asked;
	if (tools.kind === "only") {
		const names = tools.names.filter((name) => only?.includes(name) ?? true);
		return { ...asked, tools: difference(names, except) };
	}
	const left = only?.filter((name) => !tools.except.includes(name));
	return {
		...asked,
		tools: left ? difference(left, except) : { kind: "inherit", except: [...tools.except, ...except] },
	};
}

/** Removes denied tools from a list. For an MCP server's name, they become exceptions. */
function difference(names: readonly string[], except: readonly string[]): ToolSelection {
	const left = names.filter((name) => !except.some((entry) => matches(entry, name)));
	const within = except.filter((entry) => left.some((name) => matches(name, entry)));
	return { kind: "only", names: left, ...(within.length > 0 && { except: within }) };
}

const ALL: ReadTools = { tools: { kind: "inherit", except: [] }, writtenAs: {}, leftOut: [] };

/** In Claude Code the difference of the two lists counts. No other pair of lists has a generally accepted meaning. */
const isClaudeCodePair = (whitelist: Field, blacklist: Field): boolean =>
	whitelist.key === "tools" && blacklist.key === "disallowedTools";

function onlyOne(names: readonly string[], fields: FieldsByKey, findings: Findings): Field | undefined {
	const [first, second] = names.flatMap((name) => fields.get(name) ?? []);
	if (first && second) {
		findings.error(second, `${first.key} and ${second.key} mean the same, and both are given.`, "Keep one of them.");
	}
	return first;
}

function readWhitelist(field: Field, findings: Findings): ReadTools {
	if (isRecord(field.value)) return readSwitches(field, field.value, findings);
	const entries = toolEntries(field, findings);
	// Like no list at all: the tools that the parent has switched on.
	if (entries.some((entry) => entry === "*") || isOne(entries, "all")) return ALL;
	return namedTools(field, isOne(entries, "none") ? [] : entries, findings);
}

const isOne = (entries: readonly string[], word: string): boolean =>
	entries.length === 1 && entries[0]?.toLowerCase() === word;

function namedTools(field: Field, entries: readonly string[], findings: Findings): ReadTools {
	const names = new Set<string>();
	const writtenAs: Record<string, string> = {};
	const leftOut: LeftOutTool[] = [];
	for (const written of entries) {
		const entry = readToolEntry(written);
		if (entry.kind === "tool") {
			if (entry.name !== written && !names.has(entry.name)) writtenAs[entry.name] = written;
			names.add(entry.name);
			continue;
		}
		if (entry.kind === "restricted") leftOut.push({ written, why: "allows_some_uses", tool: entry.name });
		else leftOut.push({ written, why: "not_a_name" });
	}
	reportLeftOut(field, leftOut, findings);
	return { tools: { kind: "only", names: [...names] }, writtenAs, leftOut };
}

/** One warning for each tool: some files allow thirty commands, one by one. */
function reportLeftOut(field: Field, leftOut: readonly LeftOutTool[], findings: Findings): void {
	const alike = Map.groupBy(leftOut, (entry) => ("tool" in entry ? entry.tool : undefined));
	for (const [tool, entries] of alike) {
		const many = entries.length > 1;
		const written = `${firstWritten(entries)} ${many ? "are" : "is"} left out`;
		if (tool === undefined) {
			const message = `${written}: ${many ? "each of these" : "this"} is not the name of one tool.`;
			findings.warning(field, message, "Name each tool.");
			continue;
		}
		const remedy =
			tool === "subagent"
				? `Remove ${many ? "them" : "it"}: a subagent cannot delegate.`
				: `Write "${tool}" to grant the whole tool.`;
		findings.warning(field, `${written}: some uses of a tool cannot be granted here.`, remedy);
	}
}

const MOST_QUOTED = 3;

const firstWritten = (entries: readonly LeftOutTool[]): string => {
	const more = entries.length - MOST_QUOTED;
	const some = entries.slice(0, MOST_QUOTED).map(({ written }) => `"${written}"`);
	return `${some.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
};

/**
 * opencode's form, `{ write: false, bash: true }`: all tools except those that are switched off. If none is off, or `*` is
 * off, only those that are switched on.
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
	const { except, leftOut } = readDenied(field, off, findings);
	return { tools: { kind: "inherit", except }, writtenAs: {}, leftOut };
}

interface Denied {
	except: string[];
	leftOut: LeftOutTool[];
}

const NOTHING_DENIED: Denied = { except: [], leftOut: [] };

/**
 * Denies a whole tool if the file denies some of its uses. Warns the author, unless the file also denies the tool itself.
 */
function readDenied(field: Field, entries: readonly string[], findings: Findings): Denied {
	const except = new Set<string>();
	const whole = new Set<string>();
	const inPart: (LeftOutTool & { tool: string })[] = [];
	for (const written of entries) {
		const entry = readToolEntry(written);
		if (entry.kind === "unusable") {
			const message = `"${written}" is not the name of one tool, so it cannot be denied.`;
			findings.error(field, message, "Name each tool.");
			continue;
		}
		for (const name of deniedWith(entry.name, written)) except.add(name);
		// No child has the tools that delegate, so a file that denies some of their uses loses nothing.
		if (entry.kind === "tool" || entry.name === "subagent") whole.add(entry.name);
		else inPart.push({ written, why: "denies_some_uses", tool: entry.name });
	}
	for (const [tool, alike] of Map.groupBy(inPart, (entry) => entry.tool)) {
		const message = `${firstWritten(alike)} ${alike.length > 1 ? "deny" : "denies"} all of ${tool}: some uses of a tool cannot be denied here.`;
		const entries = alike.length > 1 ? "the entries" : "the entry";
		findings.warning(field, message, `Write "${tool}" to deny it, or remove ${entries} to grant it.`);
	}
	return { except: [...except], leftOut: inPart.filter(({ tool }) => !whole.has(tool)) };
}

function toolEntries(field: Field, findings: Findings): string[] {
	const value = field.value ?? [];
	if (typeof value === "string") return listInText(value) ?? splitToolList(value);
	if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.flatMap(splitToolList);
	findings.error(field, `${field.key} is not a list of tool names.`, "Write `read, grep` or a YAML list of names.");
	return [];
}

/** The names in a list that is quoted as a whole, `'["Read", "Grep"]'`, or that has spaces instead of commas. */
function listInText(text: string): string[] | undefined {
	if (/^\s*\[.*\]\s*$/s.test(text)) return splitToolList(text.replace(/[[\]"']/g, " "));
	const words = text.trim().split(/\s+/);
	return words.length > 1 && words.every(isToolWord) ? words : undefined;
}
