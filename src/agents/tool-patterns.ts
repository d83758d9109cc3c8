const RESOURCE_TOOLS = ["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"];

/**
 * Tools of MCP servers are called `mcp__<server>__<tool>`, whatever brings them into pi. A server that has not said yet
 * which tools it has is called `mcp__<server>`. pi has three more tools, for the resources of all servers.
 */
export const isMcp = (name: string): boolean => name.startsWith("mcp__") || RESOURCE_TOOLS.includes(name);

/** Whether a name is a server's whose tools are not known, and an entry means some of them. */
export const isWithin = (entry: string, name: string): boolean => !matches(entry, name) && matches(name, entry);

/** Whether an entry of a list means a tool: its name, or its MCP server as `mcp__server` or `mcp__server__*`. */
export function matches(entry: string, name: string): boolean {
	if (entry === name) return true;
	if (!isMcp(entry) || !isMcp(name)) return false;
	if (!entry.endsWith("*")) return name.startsWith(`${entry}__`);
	return name.startsWith(entry.slice(0, -1)) || `${name}__*` === entry;
}
