import type { AgentDefinition } from "../agents/definition.ts";
import { namesOf } from "../agents/tool-names.ts";
import type { Config } from "../config/config.ts";
import type { Refusal } from "../run/errors.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import { GENERAL } from "./general.ts";
import { noTools } from "./no-tools.ts";
import type { LaunchPlan } from "./plan.ts";

/** A tool the parent knows. pi's core tools have neither an extension nor a `from`. */
export interface KnownTool {
	name: string;
	/** The file of the extension that brings it. */
	extension?: string;
	/** Which of pi's own extensions brings it, on pi >= 0.99. */
	from?: "mcp" | "codemode" | "tool_search";
}

/** What no child ever gets, because a child does not delegate. The finalize tool is the host's to add. */
export const NEVER: ReadonlySet<string> = new Set([
	"subagent",
	"sessions_spawn",
	"sessions_list",
	"sessions_history",
	"sessions_send",
	"agents_list",
	FINALIZE_TOOL,
]);

const READONLY = new Set([
	"read",
	"grep",
	"find",
	"ls",
	"web_search",
	"fetch_content",
	"get_search_content",
	"convert_content",
	"lsp",
]);

/** pi's own tools are there in every child, whichever of them the parent has switched on. */
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

export interface ToolQuestion {
	agent: AgentDefinition;
	config: Config;
	/** What the parent has switched on. */
	active: string[];
	/** All it could switch on. */
	known: KnownTool[];
}

type GrantedTools = Required<Pick<LaunchPlan, "tools" | "extensions" | "extensionOf">>;

/** The tools a child of this role really gets, with the extensions that bring them. None at all is a refusal. */
export function effectiveTools(question: ToolQuestion): GrantedTools | Refusal {
	const { agent, config, active, known } = question;
	const isNamed = agent.tools.kind === "only";
	const isThere = ({ from }: KnownTool) => from === undefined || from === "mcp" || isNamed;
	const sources = new Map(known.filter(isThere).map((tool) => [tool.name, tool.extension]));
	const asked = agent.tools.kind === "only" ? agent.tools.names : active.filter((name) => !exceptions(agent).has(name));
	const wanted = [...new Set(asked)].filter((name) => !NEVER.has(name));
	const tools = wanted
		.filter((name) => mayWrite(agent, config) || READONLY.has(name))
		.filter((name) => name !== "lsp" || mayUseLsp(config))
		.filter((name) => isAllowed(name, config))
		.filter((name) => PI_TOOLS.has(name) || sources.has(name) || isOfServer(name, known));
	if (tools.length === 0) return noTools(agent, wanted);
	const provided = tools.flatMap((name): [string, string][] => {
		const extension = sources.get(name);
		return extension === undefined ? [] : [[name, extension]];
	});
	const extensionOf = Object.fromEntries(provided);
	return { tools, extensions: [...new Set(Object.values(extensionOf))], extensionOf };
}

/** A server that pi knows, and whose tools it does not know yet, has a name without a tool: `mcp__github`. */
const isOfServer = (name: string, known: readonly KnownTool[]): boolean =>
	known.some((tool) => tool.from === "mcp" && name.startsWith(`${tool.name}__`));

const exceptions = (agent: AgentDefinition): Set<string> =>
	new Set(agent.tools.kind === "inherit" ? agent.tools.except : []);

/** Roles are held to reading unless the configuration says otherwise; a child without a role is as free as its parent. */
const mayWrite = (agent: AgentDefinition, config: Config): boolean =>
	agent === GENERAL || (config.subagents.allowWrite && !agent.readonly && agent.source !== "builtin");

const mayUseLsp = (config: Config): boolean =>
	config.subagents.allowLspTools && config.subagents.allowedLspActions.length > 0;

function isAllowed(name: string, config: Config): boolean {
	const { allow, deny } = config.tools.subagents.tools;
	// Whoever forbids some uses of a tool forbids it; whoever allows some does not allow it.
	if (deny.includes(name) || namesOf(deny, { restricted: true }).includes(name)) return false;
	return allow === null || allow.includes(name) || namesOf(allow, { restricted: false }).includes(name);
}
