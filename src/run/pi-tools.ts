/** Every child has pi's own tools, whichever of them the parent has switched on. */
export const PI_TOOLS: ReadonlySet<string> = new Set([
	"read",
	"bash",
	"powershell",
	"edit",
	"write",
	"grep",
	"find",
	"ls",
]);

/** pi's tools for the resources of all MCP servers. */
export const RESOURCE_TOOLS: ReadonlySet<string> = new Set([
	"list_mcp_resources",
	"list_mcp_resource_templates",
	"read_mcp_resource",
]);

/**
 * Whether a tool comes from an MCP server: `mcp__<server>__<tool>`, whatever brings it into pi, or a resource tool. A
 * server that has not listed its tools yet is called `mcp__<server>`.
 */
export const isMcpTool = (name: string): boolean => name.startsWith("mcp__") || RESOURCE_TOOLS.has(name);
