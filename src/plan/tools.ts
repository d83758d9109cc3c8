import type { AgentDefinition } from "../agents/definition.ts";
import { namesOf } from "../agents/tool-names.ts";
import { matches, meansSomeOf } from "../agents/tool-patterns.ts";
import type { Config } from "../config/config.ts";
import type { Refusal } from "../run/errors.ts";
import { FINALIZE_TOOL } from "../run/outcome.ts";
import { isMcpTool, PI_TOOLS } from "../run/pi-tools.ts";
import { ASK_TOOL } from "../run/question.ts";
import { isGeneral } from "./general.ts";
import { type LeftOut, leftOutWarnings, unreadableWarnings, type WhyLeftOut } from "./left-out.ts";
import { noTools } from "./no-tools.ts";
import type { LaunchPlan } from "./plan.ts";

/** A tool the parent knows. pi's core tools have neither an extension nor a `from`. */
export interface KnownTool {
	name: string;
	/** The file of the extension that brings it. */
	extension?: string;
	/** That file belongs to a project that is not trusted, and may not be what the parent loaded. */
	untrusted?: true;
	/** Which of pi's own extensions brings it, on pi >= 0.99. */
	from?: "mcp" | "codemode" | "tool_search";
}

/** Tools that no child ever gets, because a child does not delegate. */
const DELEGATES: ReadonlySet<string> = new Set([
	"subagent",
	"sessions_spawn",
	"sessions_list",
	"sessions_history",
	"sessions_send",
	"sessions_apply",
	"agents_list",
]);

/**
 * Tools that no child inherits: tools that delegate; the finalize tool, which the host adds to every child; and the tool
 * that asks the user, which `ask` in an agent's file grants.
 */
export const NEVER: ReadonlySet<string> = new Set([...DELEGATES, FINALIZE_TOOL, ASK_TOOL]);

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
	ASK_TOOL,
]);

/** pi's own tools that are known to write. */
const WRITERS: ReadonlySet<string> = new Set([...PI_TOOLS].filter((name) => !READONLY.has(name)));

/** Claude Code's tool with which an agent uses a skill. */
const SKILL_TOOL = "Skill";

/** Tools of pi's own extensions that change how other tools are called: a child gets one only by name. */
const ONLY_BY_NAME: ReadonlySet<string> = new Set(["codemode", "tool_search"]);

/**
 * The user's answer to an agent that asks for tools that write while `subagents.allowWrite` is false. `untrusted`: no user
 * is asked in this project. `not_asked`: there is no user to ask.
 */
export type WriteConsent = "given" | "refused" | "untrusted" | "not_asked";

export interface ToolQuestion {
	agent: AgentDefinition;
	config: Config;
	/** The tools that the parent has switched on. */
	active: readonly string[];
	/** All tools it could switch on. Undefined outside pi, where they are unknown: then every tool counts as available. */
	known: readonly KnownTool[] | undefined;
	/** Whether `known` holds the tools of the session's last run, because the parent is not there. */
	onRecord?: boolean;
	/** Absent: not asked. */
	consent?: WriteConsent;
	/** Whether it writes only in a tree of its own. */
	inTree?: boolean;
	/** Whether a worker of a pool does the run. */
	inPool?: boolean;
}

type GrantedTools = Required<Pick<LaunchPlan, "tools" | "extensions" | "extensionOf" | "warnings">>;

/**
 * The tools that a child of this role really gets, with the extensions that bring them. A child without any tool is
 * refused.
 */
export function effectiveTools(question: ToolQuestion): GrantedTools | Refusal {
	const { tools, leftOut } = sortTools(question);
	const warnings = [...leftOutWarnings(leftOut, question.agent), ...unreadableWarnings(question.agent)];
	// A child that can only ask cannot do any work.
	if (tools.every((name) => name === ASK_TOOL)) return noTools(question.agent, warnings);
	const sources = new Map(question.known?.map((tool) => [tool.name, tool.extension]));
	const provided = tools.flatMap((name): [string, string][] => {
		// Ours, even if an extension has a tool of that name.
		const extension = name === ASK_TOOL ? undefined : sources.get(name);
		return extension === undefined ? [] : [[name, extension]];
	});
	const extensionOf = Object.fromEntries(provided);
	return { tools, extensions: [...new Set(Object.values(extensionOf))], extensionOf, warnings };
}

/**
 * The tools that only the configuration withholds, because they may write: the user can grant them when asked. None if they
 * are all MCP tools, for which `subagents.readonlyTools` is the finer choice.
 */
export function writingTools(question: ToolQuestion): string[] {
	const { leftOut } = sortTools({ ...question, consent: "not_asked" });
	const writes = leftOut.filter(({ why }) => why === "writes").map(({ name }) => name);
	const mcp = leftOut.filter(({ why }) => why === "mcp_writes").map(({ name }) => name);
	return writes.length === 0 ? [] : [...writes, ...mcp];
}

/** Every tool that the agent asks for is either in `tools` or in `leftOut`. */
export function sortTools(question: ToolQuestion): { tools: string[]; leftOut: LeftOut[] } {
	const tools: string[] = [];
	const leftOut: LeftOut[] = [];
	for (const name of askedFor(question)) {
		const why = whyLeftOut(name, question);
		if (why === undefined) tools.push(name);
		else leftOut.push({ name, why });
	}
	return { tools, leftOut };
}

/**
 * The tools named by the agent, or those that the parent has switched on. An agent that inherits does not ask for tools
 * that its file rules out: those that it denies, and pi's tools that write if its author made it `readonly`. An author
 * cannot know whether other tools write, so the agent asks for each of them. No child inherits the tools that delegate.
 */
function askedFor({ agent, active, known }: ToolQuestion): string[] {
	const { tools } = agent;
	const there = known?.map(({ name }) => name) ?? active;
	const isRuledOut = (name: string) => agent.readonly && agent.unenforced === undefined && WRITERS.has(name);
	const inherited = () => active.filter((name) => !NEVER.has(name) && !isRuledOut(name));
	const listed = tools.kind === "only" ? tools.names.flatMap((entry) => expanded(entry, there)) : inherited();
	const asked = agent.ask ? [...listed, ASK_TOOL] : listed;
	// Every child has the finalize tool, and one with skills reads them: a file that names these tools loses nothing.
	const isThereAnyway = (name: string) =>
		name === FINALIZE_TOOL || (name === SKILL_TOOL && agent.skills !== undefined && !there.includes(name));
	return [...new Set(asked)].filter(
		(name) => !isThereAnyway(name) && !tools.except?.some((entry) => matches(entry, name)),
	);
}

/**
 * `mcp__github` and `mcp__github__*` stand for all tools of that server. An entry that matches none is kept, to be
 * reported.
 */
function expanded(entry: string, there: readonly string[]): string[] {
	if (!isMcpTool(entry)) return [entry];
	const meant = there.filter((name) => matches(entry, name));
	return meant.length === 0 ? [entry] : meant;
}

/**
 * The first thing that keeps a tool from a child. Reasons that the user cannot change come first, so that no suggested
 * remedy fails.
 */
function whyLeftOut(name: string, question: ToolQuestion): WhyLeftOut | undefined {
	const { agent, config } = question;
	if (DELEGATES.has(name)) return "delegates";
	if (ONLY_BY_NAME.has(name) && agent.tools.kind === "inherit") return "only_by_name";
	if (name === ASK_TOOL && !agent.ask) return "only_with_ask";
	const missing = whyMissing(name, question);
	if (missing) return missing;
	const { allow, deny } = config.tools.subagents.tools;
	if ([...deny, ...(agent.tools.except ?? [])].some((entry) => meansSomeOf(entry, name))) return "server_silent";
	// A list that forbids some uses of a tool forbids it; one that allows some uses does not allow it.
	if (isIn(deny, name, { restricted: true })) return "denied";
	if (allow !== null && !isIn(allow, name, { restricted: false })) return "not_allowed";
	if (name === "lsp" && !config.subagents.allowLspTools) return "lsp_off";
	if (name === "lsp" && config.subagents.allowedLspActions.length === 0) return "lsp_without_actions";
	return onlyReads(name, config) ? undefined : whyNotWriting(name, question);
}

function whyMissing(name: string, { active, known, onRecord }: ToolQuestion): WhyLeftOut | undefined {
	if (name === ASK_TOOL) return undefined;
	// Before pi's own tools: an extension may have replaced one of them, and a child must not get the original instead.
	if (known?.some((tool) => tool.name === name && tool.untrusted)) return "project_extension";
	if (known === undefined || PI_TOOLS.has(name)) return undefined;
	if (known.some((tool) => tool.name === name || (tool.from === "mcp" && matches(tool.name, name)))) return undefined;
	if (onRecord) return "not_on_record";
	if (active.includes(name)) return "no_file";
	if (name === SKILL_TOOL) return "skill_tool";
	return isMcpTool(name) ? "unknown_mcp" : "unknown";
}

/**
 * A child only reads unless it writes in a tree of its own, or the configuration or the user lets it write in the checkout.
 */
function whyNotWriting(name: string, question: ToolQuestion): WhyLeftOut | undefined {
	const { agent, config, consent, inTree, inPool } = question;
	const writesInTree = !agent.readonly && (inTree || agent.isolation === "worktree");
	// A file that asks for a tree gets less without one, and never the checkout instead.
	if (writesInTree && inTree) return undefined;
	if (writesInTree) return isMcpTool(name) ? "mcp_no_tree" : "no_tree";
	if (agent.source === "builtin" && !isGeneral(agent)) return "builtin";
	if (agent.readonly) return isMcpTool(name) ? "mcp_readonly" : "readonly";
	const { allowWrite, sandbox } = config.subagents;
	if (allowWrite) return undefined;
	// Whatever the user answers, a run that writes in the checkout would be refused there.
	const closed = sandbox.mode === "require" ? "required" : inPool ? "pool" : undefined;
	if (consent === "given" && closed === undefined) return undefined;
	if (isMcpTool(name)) return "mcp_writes";
	if (closed) return closed;
	if (consent === "refused") return "user_said_no";
	return consent === "untrusted" ? "untrusted" : "writes";
}

/** Only an MCP tool can be declared read-only: pi's own are known, and an extension's may do anything. */
export const onlyReads = (name: string, { subagents }: Config): boolean =>
	READONLY.has(name) || (isMcpTool(name) && subagents.readonlyTools.some((entry) => matches(entry, name)));

/** Whether a configured list names a tool: as pi, another system or a pattern does. `restricted`: some of its uses count. */
export const isIn = (list: readonly string[], name: string, options: { restricted: boolean }): boolean =>
	list.some((entry) => matches(entry, name)) || namesOf(list, options).includes(name);
