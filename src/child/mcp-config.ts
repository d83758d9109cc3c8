import { join } from "node:path";
import { readRegularFile } from "../files/regular-file.ts";
import { isRecord } from "../run/is-record.ts";
import { messageOf } from "../run/message-of.ts";

/** Not imported from pi, because the command `pi-geon`, which also looks for leftovers, runs without pi. */
const PROJECT_FOLDER = ".pi";

/** A server of an `mcp.json`, with the settings that pi's MCP support takes. */
export interface McpServer {
	name: string;
	config: Record<string, unknown>;
	/** The file that defines it. */
	source: string;
	scope: "global" | "project";
}

export interface McpConfig {
	servers: McpServer[];
	/** Problems of the files. A wrong entry is left out. */
	errors: string[];
}

const SERVER_NAME = /^[A-Za-z0-9_-]+$/;
/** A project's entry without a program or an address changes these settings of the user's server of that name. */
const OVERRIDES = ["enabled", "exposure", "toolExposure"];

/** The prefix that pi gives to the names of a server's tools. */
export const namespaceOf = (server: string): string => `mcp__${server.replaceAll("-", "_")}`;

/** The server of a tool's name, or of a name that stands for all tools of a server. */
export const serverOf = <S extends { name: string }>(tool: string, servers: readonly S[]): S | undefined =>
	// The longest match: a server's name may be the beginning of another's.
	servers
		.filter(({ name }) => tool === namespaceOf(name) || tool.startsWith(`${namespaceOf(name)}__`))
		.sort((a, b) => b.name.length - a.name.length)[0];

/**
 * The MCP servers of the user and of a trusted project, by pi's rules (its `docs/mcp.md`): pi does not export its own
 * reader. Those that are switched off are left out.
 */
export function readMcpConfig(where: { agentDir: string; cwd: string; projectTrusted: boolean }): McpConfig {
	const servers = new Map<string, McpServer>();
	const errors: string[] = [];
	readFile(join(where.agentDir, "mcp.json"), "global", { servers, errors });
	if (where.projectTrusted) readFile(join(where.cwd, PROJECT_FOLDER, "mcp.json"), "project", { servers, errors });
	return { servers: [...servers.values()].filter(({ config }) => config.enabled !== false), errors };
}

function readFile(
	path: string,
	scope: McpServer["scope"],
	{ servers, errors }: { servers: Map<string, McpServer>; errors: string[] },
): void {
	const entries = serversIn(path, errors);
	for (const [name, value] of Object.entries(entries)) {
		const base = servers.get(name);
		if (scope === "project" && base && isRecord(value) && isOverride(value)) {
			servers.set(name, { ...base, config: { ...base.config, ...value } });
			continue;
		}
		const problem = problemWith(name, value, scope);
		const clash = [...servers.keys()].find((other) => other !== name && namespaceOf(other) === namespaceOf(name));
		if (problem !== undefined) errors.push(`${path}: server "${name}" ${problem}`);
		else if (clash !== undefined) errors.push(`${path}: server "${name}" conflicts with "${clash}"`);
		else servers.set(name, { name, config: value as Record<string, unknown>, source: path, scope });
	}
}

function serversIn(path: string, errors: string[]): Record<string, unknown> {
	try {
		const parsed: unknown = JSON.parse(readRegularFile(path).replace(/^\uFEFF/, ""));
		const entries = isRecord(parsed) ? (parsed.mcpServers ?? {}) : undefined;
		if (isRecord(entries)) return entries;
		errors.push(`${path}: expected an object with an "mcpServers" object`);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		if (!("code" in error && error.code === "ENOENT")) errors.push(`${path}: ${messageOf(error)}`);
	}
	return {};
}

const isOverride = (value: Record<string, unknown>): boolean =>
	Object.keys(value).every((key) => OVERRIDES.includes(key));

function problemWith(name: string, value: unknown, scope: McpServer["scope"]): string | undefined {
	if (!SERVER_NAME.test(name)) return `has a name with characters other than letters, digits, "_" and "-"`;
	if (!isRecord(value)) return "must be an object";
	if (value.type === "sse") return "uses the legacy SSE transport, which pi does not support";
	if (typeof value.command !== "string" && typeof value.url !== "string") return 'needs "command" or "url"';
	if (typeof value.url === "string" && !/^https?:$/.test(URL.parse(value.url)?.protocol ?? "")) {
		return "must have an http or https URL";
	}
	// So that a repository cannot choose where a credential goes.
	if (scope === "project" && value.auth !== undefined) return "may use auth only in the user's mcp.json";
	return undefined;
}
