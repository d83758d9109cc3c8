import type { ToolSelection } from "./definition.ts";
import type { Field, Fields } from "./fields.ts";
import type { Findings } from "./findings.ts";
import { readToolEntry, splitToolList } from "./tool-names.ts";

export const WHITELIST_FIELDS = ["tools", "approved_tools", "allowed_tools"] as const;
export const BLACKLIST_FIELDS = ["denied_tools", "disallowedTools"] as const;

/** Which tools the file asks for. Whatever cannot be honoured exactly is narrowed or refused, never widened. */
export function readTools(fields: Fields, findings: Findings): ToolSelection {
	const whitelist = onlyOne(WHITELIST_FIELDS, fields, findings);
	const blacklist = onlyOne(BLACKLIST_FIELDS, fields, findings);
	if (whitelist && blacklist) {
		findings.error(
			blacklist,
			`Both ${whitelist.key} and ${blacklist.key} are given, which is ambiguous.`,
			"Keep the list of tools the agent may use, or the list of those it may not.",
		);
	}
	if (whitelist) return { kind: "only", names: readWhitelist(whitelist, findings) };
	return { kind: "inherit", except: blacklist ? readBlacklist(blacklist, findings) : [] };
}

function onlyOne(names: readonly string[], fields: Fields, findings: Findings): Field | undefined {
	const [first, second] = names.flatMap((name) => fields.get(name) ?? []);
	if (first && second) {
		findings.error(second, `${first.key} and ${second.key} mean the same, and both are given.`, "Keep one of them.");
	}
	return first;
}

function readWhitelist(field: Field, findings: Findings): string[] {
	const names = listOf(field, findings).flatMap((text) => {
		const entry = readToolEntry(text);
		if (entry.kind === "tool") return [entry.name];
		findings.warning(
			field,
			`"${text}" was left out: it does not name one whole tool, and granting more than that would be looser than asked.`,
			entry.kind === "restricted" ? `Write "${entry.name}" to grant the whole tool.` : "Name each tool.",
		);
		return [];
	});
	return [...new Set(names)];
}

function readBlacklist(field: Field, findings: Findings): string[] {
	const names = listOf(field, findings).flatMap((text) => {
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
	findings.error(field, `${field.key} is no list of tool names.`, "Write `read, grep` or a YAML list of names.");
	return [];
}
