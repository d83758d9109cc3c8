import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { mcpServer } from "../children/mcp-server.ts";

/** The MCP server of the tests over streamable HTTP on loopback, with a session for each client. */
export async function startMcpServer(): Promise<{ url: string } & AsyncDisposable> {
	const sessions = new Map<string, StreamableHTTPServerTransport>();
	const server = createServer(async (request, response) => {
		const id = request.headers["mcp-session-id"];
		const known = typeof id === "string" ? sessions.get(id) : undefined;
		if (known) return known.handleRequest(request, response);
		const transport = new StreamableHTTPServerTransport({
			sessionIdGenerator: randomUUID,
			onsessioninitialized: (session) => void sessions.set(session, transport),
		});
		await mcpServer().connect(transport as never);
		return transport.handleRequest(request, response);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/mcp`,
		async [Symbol.asyncDispose]() {
			await Promise.all([...sessions.values()].map((transport) => transport.close()));
			server.closeAllConnections();
			server.close();
		},
	};
}
