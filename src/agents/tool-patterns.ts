import { isMcpTool } from "../run/pi-tools.ts";

/** Whether a name stands for a server with unknown tools, and an entry for some of these tools. */
export const meansSomeOf = (entry: string, name: string): boolean => !matches(entry, name) && matches(name, entry);

/** Whether an entry of a list means a tool: its name, or its MCP server as `mcp__server` or `mcp__server__*`. */
export function matches(entry: string, name: string): boolean {
	if (entry === name) return true;
	if (!isMcpTool(entry) || !isMcpTool(name)) return false;
	if (!entry.endsWith("*")) return name.startsWith(`${entry}__`);
	return name.startsWith(entry.slice(0, -1)) || `${name}__*` === entry;
}
