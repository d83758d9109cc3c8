/**
 * A real MCP server whose tools misbehave on request: `node mcp-server.ts [hangs|dies]` over stdio. Its folder of traces
 * (MCP_TRACES) has one file for each process, so that a test can tell which were started.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const TOOLS = {
	echo: "Says the text again.",
	"flood-it": "Answers with far too much text, and logs far too much.",
	die: "Ends the server in the middle of the call.",
	stall: "Never answers.",
};

export function mcpServer(): Server {
	const server = new Server(
		{ name: "pi-geon-test", version: "1.0.0" },
		{ capabilities: { tools: {}, logging: {} }, instructions: "For tests." },
	);
	server.setRequestHandler(ListToolsRequestSchema, () => ({
		tools: Object.entries(TOOLS).map(([name, description]) => ({
			name,
			description,
			inputSchema: { type: "object" as const, properties: { text: { type: "string" } } },
		})),
	}));
	server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
		if (params.name === "die") process.exit(1);
		if (params.name === "stall") await new Promise(() => {});
		if (params.name === "flood-it") {
			for (let i = 0; i < 2000; i++) await server.sendLoggingMessage({ level: "info", data: "flood ".repeat(200) });
			return { content: [{ type: "text", text: "flood ".repeat(2_000_000) }] };
		}
		return { content: [{ type: "text", text: `${params.name}: ${String(params.arguments?.text)}` }] };
	});
	return server;
}

if (import.meta.main) {
	const [mode] = process.argv.slice(2);
	if (process.env.MCP_TRACES) writeFileSync(join(process.env.MCP_TRACES, String(process.pid)), "");
	if (mode === "dies") process.exit(3);
	// A server that was started and says nothing, ever.
	if (mode === "hangs") setInterval(() => {}, 60_000);
	else await mcpServer().connect(new StdioServerTransport());
}
