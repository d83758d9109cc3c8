import type { FieldsByKey } from "./fields.ts";
import type { Findings } from "./findings.ts";

/**
 * Fields that give a child something that it does not get here. The agent runs anyway, since the file's author did not mean
 * to withhold anything, but every run reports it.
 */
const UNUSED = {
	mcpServers: "subagents use the MCP servers of pi's own mcp.json",
	"mcp-servers": "subagents use the MCP servers of pi's own mcp.json",
	memory: "subagents keep no memory between sessions",
} as const;

export const UNUSED_FIELDS = Object.keys(UNUSED) as (keyof typeof UNUSED)[];

/** Values that ask for nothing, or for something that every child has anyway. */
const ASKS_NOTHING: ReadonlySet<unknown> = new Set([null, false, "", "none"]);

export function unusedFields(fields: FieldsByKey, findings: Findings): string[] {
	return UNUSED_FIELDS.flatMap((key) => {
		const field = fields.get(key);
		if (field === undefined || ASKS_NOTHING.has(field.value) || isEmptyList(field.value)) return [];
		const message = `${key} is not used: ${UNUSED[key]}.`;
		findings.warning(field, message, "Remove it if the agent does not need it.");
		return [message];
	});
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
