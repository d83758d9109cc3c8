import type { AgentDefinition, LeftOutTool } from "../agents/definition.ts";
import { isGeneral } from "./general.ts";

/** Why a child does not get a tool that its agent asks for. */
export type WhyLeftOut =
	/** It delegates, which no child does. */
	| "delegates"
	/** By the two lists of `tools.subagents.tools`. */
	| "denied"
	| "not_allowed"
	/** By `subagents.allowLspTools`, or because no action is allowed. */
	| "lsp_off"
	| "lsp_without_actions"
	/** This pi has no such tool. */
	| "unknown"
	| "unknown_mcp"
	/** Claude Code's tool for skills. A child reads them. */
	| "skill_tool"
	/** An application gave it to pi in code, so that there is no extension to load. */
	| "no_file"
	/** Its extension belongs to a project that is not trusted, and may have changed since the session started. */
	| "project_extension"
	/** codemode and tool_search, which a child gets only by name. */
	| "only_by_name"
	/** subagent_ask, which `ask` grants. */
	| "only_with_ask"
	/** It may write, and the agent is read-only. */
	| "readonly"
	| "builtin"
	/** It may write, and neither the configuration nor the user allows that. */
	| "writes"
	| "user_said_no"
	| "untrusted"
	/** It may write, and no run writes in the checkout: by `subagents.sandbox.mode`, or because a worker does it. */
	| "required"
	| "pool"
	/** It may write, the agent's file asks for a tree to write in, and there is none. */
	| "no_tree"
	/** Its session is continued without its parent, and the last run did not have the tool. */
	| "not_on_record"
	/** An MCP server that has not listed its tools yet, while some of them are denied. */
	| "server_silent"
	/** An MCP tool that is not known to be read-only: for an agent that may write, one that has no tree, and one that only reads. */
	| "mcp_writes"
	| "mcp_no_tree"
	| "mcp_readonly";

export interface LeftOut {
	name: string;
	why: WhyLeftOut;
}

/** How many characters the names in one warning may take: the model reads every one of them. */
const LONGEST_NAMES = 110;
const LONGEST_NAME = 60;
/** From this many tools of one MCP server on, the warning names the server instead. */
const MANY_OF_A_SERVER = 4;

/** One line for each reason, however many tools it concerns. */
export function leftOutWarnings(leftOut: readonly LeftOut[], agent: AgentDefinition): string[] {
	const byReason = Map.groupBy(leftOut, ({ why }) => why);
	return [...byReason].map(([why, tools]) => {
		const names = tools.map(({ name }) => asWritten(name, agent));
		const were = names.length === 1 ? "was" : "were";
		return `${listed(names)} ${were} left out: ${reason(why, { agent, many: names.length > 1 })}`;
	});
}

/** Entries of the file's lists that cannot be applied exactly, such as `Bash(git:*)`: one line for each tool. */
export function unreadableWarnings({ leftOut }: AgentDefinition): string[] {
	const alike = Map.groupBy(leftOut, (entry) => ("tool" in entry ? `${entry.why} ${entry.tool}` : entry.why));
	return [...alike.values()].flatMap((entries) => (entries[0] ? [unreadableWarning(entries[0], entries)] : []));
}

function unreadableWarning(entry: LeftOutTool, alike: readonly LeftOutTool[]): string {
	const names = listed(alike.map(({ written }) => written));
	const many = alike.length > 1;
	const were = `${many ? "were" : "was"} left out`;
	switch (entry.why) {
		case "allows_some_uses":
			if (entry.tool === "subagent") return `${names} ${were}: ${CANNOT_DELEGATE}`;
			return `${names} ${were}: some uses of a tool cannot be granted here, and the whole tool would be more than the file asks for. Write "${oneLineOf(entry.tool)}" to grant the whole tool.`;
		case "denies_some_uses":
			return `${oneLineOf(entry.tool)} was left out: the file denies ${names}, and some uses of a tool cannot be denied here. Remove ${many ? "these entries" : "that entry"} to grant the whole tool.`;
		case "not_a_name":
			return `${names} ${were}: ${many ? "these are not names of tools" : "this is not the name of one tool"}. Name each tool.`;
	}
}

/** A name that is not pi's is shown beside pi's name, so that the file's author finds it: `Task (subagent)`. */
function asWritten(name: string, { writtenAs }: AgentDefinition): string {
	// An agent may ask for a tool called `constructor`.
	const written = Object.hasOwn(writtenAs, name) ? writtenAs[name] : undefined;
	return written === undefined || written.toLowerCase() === name ? name : `${written} (${name})`;
}

/** `bash, edit and 7 more`: within bounds, whatever an agent file names. */
export function listed(names: readonly string[]): string {
	const shown: string[] = [];
	const all = serversFor(names);
	let length = 0;
	for (const { text } of all) {
		length += text.length + 2;
		if (length > LONGEST_NAMES && shown.length > 0) break;
		shown.push(text);
	}
	const more = all.slice(shown.length).reduce((sum, { tools }) => sum + tools, 0);
	return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function serversFor(names: readonly string[]): { text: string; tools: number }[] {
	const groups = Map.groupBy(names, (name) => /^mcp__.+?__/.exec(name)?.[0] ?? name);
	return [...groups].flatMap(([server, tools]) =>
		tools.length < MANY_OF_A_SERVER
			? tools.map((name) => ({ text: oneLineOf(name), tools: 1 }))
			: [{ text: `${oneLineOf(server)}* (${tools.length} tools)`, tools: tools.length }],
	);
}

/** A tool's name in a file is shown as text in one line. */
function oneLineOf(name: string): string {
	const plain = name.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
	return plain.length <= LONGEST_NAME ? plain : `${plain.slice(0, LONGEST_NAME - 1).toWellFormed()}…`;
}

interface Case {
	agent: AgentDefinition;
	many: boolean;
}

const TOOL_LISTS = "tools.subagents.tools";
const IN_FILE = "in pi-geon.json";
const CANNOT_DELEGATE = "a subagent cannot delegate. No setting changes that.";

/** The reason, and how to change it. */
function reason(why: WhyLeftOut, { agent, many }: Case): string {
	const it = many ? "them" : "it";
	switch (why) {
		case "delegates":
			return CANNOT_DELEGATE;
		case "denied":
			return `${TOOL_LISTS}.deny ${IN_FILE} forbids ${it}.`;
		case "not_allowed":
			return `${TOOL_LISTS}.allow ${IN_FILE} does not name ${it}.`;
		case "lsp_off":
			return `subagents.allowLspTools is false ${IN_FILE}.`;
		case "lsp_without_actions":
			return `subagents.allowedLspActions is empty ${IN_FILE}.`;
		case "unknown":
			return `this pi has no such ${many ? "tools" : "tool"}. Install what provides ${it}, or remove ${it} from the agent's file.`;
		case "unknown_mcp":
			return `this pi has no such MCP ${many ? "tools" : "tool"}. Check its mcp.json.`;
		case "skill_tool":
			return "pi has no tool for skills. A subagent reads those that `skills` in its file names.";
		case "no_file":
			return `no extension file provides ${it}, so a subagent cannot load ${it}.`;
		case "project_extension":
			return `the extension that brings ${it} lies in this project, which is not trusted (/trust), and may have changed since.`;
		case "only_by_name":
			// For a read-only agent, naming the tool would not be enough.
			return `${agent.readonly ? `${agent.name} is read-only, and ` : ""}a subagent gets ${it} only if the \`tools\` of its file ${many ? "name them" : "names it"}.`;
		case "only_with_ask":
			return `\`ask: true\` in its file grants ${it}.`;
		case "readonly":
			return readonlyReason(agent);
		case "builtin":
			return `${agent.name} is built in, and built-in agents only read.`;
		case "writes":
			return `subagents.allowWrite is false ${IN_FILE}.`;
		case "user_said_no":
			return `the user did not let ${agent.name} write in this checkout. subagents.allowWrite ${IN_FILE} allows it.`;
		case "untrusted":
			return `subagents.allowWrite is false ${IN_FILE}, and the user is not asked in a project that is not trusted (/trust).`;
		case "required":
			return `subagents.sandbox.mode is require ${IN_FILE}, so ${nameOf(agent)} may not write in your checkout, even if you allowed it.`;
		case "pool":
			return `it runs in a pool, whose workers cannot write in your checkout.${isGeneral(agent) ? "" : " `isolation: worktree` in its file gives it a tree."}`;
		case "no_tree":
			return `${agent.name} writes in a tree of its own, and cannot get one here.`;
		case "not_on_record":
			return `the last run of this session did not have ${it}, and only pi knows what provides ${it}. Continue the session in pi.`;
		case "server_silent":
			return "some of its tools are denied, and it has not said yet which tools it has. Try again when it is connected.";
		case "mcp_writes":
			return `an MCP tool may write. Name it in subagents.readonlyTools ${IN_FILE}, or set subagents.allowWrite.`;
		case "mcp_no_tree":
			return `${agent.name} writes in a tree of its own, and cannot get one here, and an MCP tool may write. Name it in subagents.readonlyTools ${IN_FILE}.`;
		case "mcp_readonly":
			return `${agent.name} is read-only, and an MCP tool may write. Name it in subagents.readonlyTools ${IN_FILE}.`;
	}
}

function readonlyReason({ name, unenforced }: AgentDefinition): string {
	if (unenforced === undefined) return `${name} is read-only. \`readonly\` in its file changes that.`;
	const it = unenforced.length > 1 ? "them" : "it";
	return `${name} is read-only, because ${unenforced.join(", ")} cannot be enforced here. Remove ${it} from the agent's file to change that.`;
}

/** The name that messages use for the agent that gets the tools. */
export const nameOf = (agent: AgentDefinition): string => (isGeneral(agent) ? "a general subagent" : agent.name);
