import { describe, expect, test } from "vitest";
import type { AgentSource } from "../../src/agents/definition.ts";
import type { Config } from "../../src/config/config.ts";
import { GENERAL } from "../../src/plan/general.ts";
import { effectiveTools, type KnownTool, NEVER, sortTools, type WriteConsent } from "../../src/plan/tools.ts";
import { isRefusal } from "../../src/run/errors.ts";
import fc from "../helpers/fast-check.ts";
import { agentOf, configOf } from "./launching.ts";

/** The tools that a pi knows, and those of them that it has switched on. */
interface Parent {
	active: string[];
	known: KnownTool[];
}

const core = ["read", "bash", "edit", "write", "grep", "find", "ls"].map((name): KnownTool => ({ name }));
const ours = ["lsp", "web_search", "fetch_content", "get_search_content", "convert_content"].map(
	(name): KnownTool => ({ name, extension: `/pi-geon/${name}.js` }),
);
const delegating = ["subagent", "sessions_spawn", "agents_list"].map(
	(name): KnownTool => ({ name, extension: "/pi-geon/extension.js" }),
);
const deploy: KnownTool = { name: "deploy", extension: "/extensions/deploy.js" };
const mcp = (...names: string[]): KnownTool[] => names.map((name) => ({ name, from: "mcp" }));

const known087 = [...core, ...ours, ...delegating, deploy];
const usual = ["read", "bash", "edit", "write", "subagent", "sessions_spawn", "agents_list"];

/** pi 0.87 knows no MCP. pi 1.5 knows the tools of its servers, whatever their exposure switches on in the parent. */
const pi087: Parent = { active: usual, known: known087 };
const pi087WithDeploy: Parent = { ...pi087, active: [...usual, "deploy"] };
const pi087WithLsp: Parent = { ...pi087, active: [...usual, "lsp"] };
const withoutLsp: Parent = { ...pi087, known: known087.filter(({ name }) => name !== "lsp") };
const embedded: Parent = { ...pi087, active: [...usual, "in_memory"] };
const readOnlyParent: Parent = { ...pi087, active: ["read", "grep", "subagent"] };
const idleParent: Parent = { ...pi087, active: ["subagent"] };
const GITHUB = ["mcp__github__search", "mcp__github__create_issue"];
const knownMcp = [...known087, ...mcp(...GITHUB, "mcp__docs__read")];
const pi15: Parent = { active: [...usual, ...GITHUB], known: knownMcp };
const pi15Codemode: Parent = {
	active: [...usual, "codemode"],
	known: [...knownMcp, { name: "codemode", from: "codemode" }],
};
const pi15Deferred: Parent = {
	active: [...usual, "tool_search"],
	known: [...knownMcp, { name: "tool_search", from: "tool_search" }],
};
const pi15Connecting: Parent = { active: [...usual, "mcp__slow"], known: [...known087, ...mcp("mcp__slow")] };
const crowded: Parent = {
	...pi15,
	known: [...pi15.known, ...mcp(...["a", "b", "c", "d", "e"].map((x) => `mcp__jira__${x}`))],
};

interface Row {
	/** What this row shows that no other does. */
	because: string;
	/** Lines of the frontmatter; absent: a child without a role. */
	file?: string;
	source?: AgentSource;
	config?: object;
	parent?: Parent;
	consent?: WriteConsent;
	/** It writes in a tree of its own. */
	inTree?: true;
	/** What it gets. An empty list is a refusal, and the warnings are in its message. */
	tools: string[];
	warnings: (string | ReturnType<typeof expect.stringMatching>)[];
}

const subagents = (settings: object) => ({ subagents: settings });
const lists = (settings: object) => ({ tools: { subagents: { tools: settings } } });
const mayWrite = subagents({ allowWrite: true });
const NO_WRITE = "subagents.allowWrite is false in pi-geon.json.";
const MCP_WRITES =
	"an MCP tool may write. Name it in subagents.readonlyTools in pi-geon.json, or set subagents.allowWrite.";
const DELEGATES = "a subagent cannot delegate. No setting changes that.";
const GONE = "this pi has no such tool. Install what provides it, or remove it from the agent's file.";

const ROWS: Row[] = [
	// A list of tools, in a default configuration.
	{ because: "what only reads is given", file: "tools: read, grep", tools: ["read", "grep"], warnings: [] },
	{
		because: "pi's tools are given whether or not the parent has them switched on",
		file: "tools: find, ls",
		tools: ["find", "ls"],
		warnings: [],
	},
	{
		because: "a tool is asked for once, however often it is named",
		file: "tools: read, Read, read",
		tools: ["read"],
		warnings: [],
	},
	{
		because: "our web tools only read, and their extension comes along",
		file: "tools: web_search, fetch_content",
		tools: ["web_search", "fetch_content"],
		warnings: [],
	},
	{
		because: "tools that write are named in one line, with the setting",
		file: "tools: read, bash, edit, write",
		tools: ["read"],
		warnings: [`bash, edit, write were left out: ${NO_WRITE}`],
	},
	{
		because: "one tool that writes is told in the singular",
		file: "tools: read, bash",
		tools: ["read"],
		warnings: [`bash was left out: ${NO_WRITE}`],
	},
	{
		because: "a tool of an extension may do anything, so it counts as writing",
		file: "tools: read, deploy",
		tools: ["read"],
		warnings: [`deploy was left out: ${NO_WRITE}`],
	},
	{
		because: "an agent that only writes is refused, with the reason",
		file: "tools: write",
		tools: [],
		warnings: [`write was left out: ${NO_WRITE}`],
	},
	{ because: "an empty list is a refusal, never all tools", file: "tools: []", tools: [], warnings: [] },
	{
		because: "a tool that this pi does not have is told, with what to do",
		file: "tools: read, frobnicate",
		tools: ["read"],
		warnings: [`frobnicate was left out: ${GONE}`],
	},
	{
		because: "several of them are told in the plural",
		file: "tools: read, TodoWrite, NotebookEdit",
		tools: ["read"],
		warnings: [
			"TodoWrite, NotebookEdit were left out: this pi has no such tools. Install what provides them, or remove them from the agent's file.",
		],
	},
	{
		because: "a tool that is missing is not said to be held back by allowWrite, which would not bring it",
		file: "tools: read, bash, frobnicate",
		tools: ["read"],
		warnings: [`bash was left out: ${NO_WRITE}`, `frobnicate was left out: ${GONE}`],
	},
	{
		because: "a tool that delegates is told, and that no setting changes it",
		file: "tools: read, subagent",
		tools: ["read"],
		warnings: [`subagent was left out: ${DELEGATES}`],
	},
	{
		because: "allowWrite gives no tool that delegates",
		file: "tools: read, sessions_spawn, agents_list",
		config: mayWrite,
		tools: ["read"],
		warnings: [`sessions_spawn, agents_list were left out: ${DELEGATES}`],
	},
	{
		because: "every child has the finalize tool, so that naming it is no loss",
		file: "tools: read, subagent_finalize",
		tools: ["read"],
		warnings: [],
	},
	{
		because: "a tool that the file calls by another name is told by both",
		file: "tools: Read, Glob, MultiEdit",
		tools: ["read", "find"],
		warnings: [`MultiEdit (edit) was left out: ${NO_WRITE}`],
	},
	{
		because: "a name that differs from pi's in case alone is told by pi's",
		file: "tools: Read, Bash, Edit",
		tools: ["read"],
		warnings: [`bash, edit were left out: ${NO_WRITE}`],
	},
	{
		because: "a tool of which the file allows some uses is left out, also where it may write",
		file: "tools: read, Bash(git:*)",
		config: mayWrite,
		tools: ["read"],
		warnings: [
			'Bash(git:*) was left out: some uses of a tool cannot be granted here, and the whole tool would be more than the file asks for. Write "bash" to grant the whole tool.',
		],
	},
	{
		because: "several such entries of one tool are one line",
		file: "tools: read, Bash(git add:*), Bash(git commit:*)",
		tools: ["read"],
		warnings: [expect.stringMatching(/^Bash\(git add:\*\), Bash\(git commit:\*\) were left out: /)],
	},
	{
		because: "an entry that is not a name is left out",
		file: 'tools: [read, "grep find"]',
		tools: ["read"],
		warnings: ["grep find was left out: this is not the name of one tool. Name each tool."],
	},
	{
		because: "a list of nothing but patterns is a refusal that names them",
		file: "tools: Bash(git:*)",
		tools: [],
		warnings: ["Bash(git:*) was left out:"],
	},
	{
		because: "a file that denies what it asks for asks for the rest, and nothing is left out",
		file: "tools: Read, Bash\ndisallowedTools: Bash",
		tools: ["read"],
		warnings: [],
	},
	{
		because: "a file that denies some uses of a tool loses the whole tool, and hears why",
		file: "disallowedTools: Bash(rm:*)",
		config: mayWrite,
		tools: ["read", "edit", "write"],
		warnings: [
			"bash was left out: the file denies Bash(rm:*), and some uses of a tool cannot be denied here. Remove that entry to grant the whole tool.",
		],
	},
	{
		because: "several denials of one tool are one line",
		file: "denied_tools: [Bash(rm:*), Bash(sudo:*)]",
		config: mayWrite,
		tools: ["read", "edit", "write"],
		warnings: [
			"bash was left out: the file denies Bash(rm:*), Bash(sudo:*), and some uses of a tool cannot be denied here. Remove these entries to grant the whole tool.",
		],
	},
	{
		because: "opencode's switch for some uses of a tool is told like a denial",
		file: 'tools: { "Bash(x)": false }',
		config: mayWrite,
		tools: ["read", "edit", "write"],
		warnings: [
			"bash was left out: the file denies Bash(x), and some uses of a tool cannot be denied here. Remove that entry to grant the whole tool.",
		],
	},
	{
		because: "a list that allows some uses of delegating is told that no setting changes it",
		file: "tools: Read, Agent(worker)",
		tools: ["read"],
		warnings: [`Agent(worker) was left out: ${DELEGATES}`],
	},
	{
		because: "a file that denies some uses of delegating loses nothing: no child delegates",
		file: "disallowedTools: Task(worker)",
		config: mayWrite,
		tools: ["read", "bash", "edit", "write"],
		warnings: [],
	},
	{
		because: "a denial of some uses takes the whole tool out of a list that names it",
		file: "tools: Read, Bash\ndisallowedTools: Bash(rm:*)",
		config: mayWrite,
		tools: ["read"],
		warnings: [expect.stringMatching(/^bash was left out: the file denies Bash\(rm:\*\)/)],
	},
	{
		because: "a denial of some uses of a tool that the list does not name takes nothing",
		file: "tools: Read\ndisallowedTools: Bash(rm:*)",
		config: mayWrite,
		tools: ["read"],
		warnings: [],
	},
	{
		because: "a file that denies a whole tool and some uses of it loses what it means to lose",
		file: "disallowedTools: Bash, Bash(rm:*)",
		config: mayWrite,
		tools: ["read", "edit", "write"],
		warnings: [],
	},
	{
		because: "a refusal names the denials of some uses too",
		file: "tools: Bash\ndisallowedTools: Bash(rm:*)",
		config: mayWrite,
		tools: [],
		warnings: ["bash was left out: the file denies Bash(rm:*)"],
	},
	{
		because: "a star asks for what the parent has",
		file: 'tools: "*"',
		config: mayWrite,
		tools: ["read", "bash", "edit", "write"],
		warnings: [],
	},
	{
		because: "a tool that an application gave to pi in code cannot be loaded in a child",
		file: "tools: read, in_memory",
		parent: embedded,
		tools: ["read"],
		warnings: ["in_memory was left out: no extension file provides it, so a subagent cannot load it."],
	},

	// readonly and built-in agents.
	{
		because: "a readonly agent that names tools that write is told of its own field",
		file: "readonly: true\ntools: read, bash",
		tools: ["read"],
		warnings: ["bash was left out: custom is read-only. `readonly` in its file changes that."],
	},
	{
		because: "allowWrite changes nothing for a readonly agent",
		file: "readonly: true\ntools: read, edit",
		config: mayWrite,
		tools: ["read"],
		warnings: ["edit was left out: custom is read-only. `readonly` in its file changes that."],
	},
	{
		because: "a readonly agent without a list does not ask for pi's tools that write",
		file: "readonly: true",
		tools: ["read"],
		warnings: [],
	},
	{
		because: "a readonly agent with denied_tools does not ask for what writes either",
		file: "readonly: true\ndenied_tools: grep",
		config: mayWrite,
		parent: readOnlyParent,
		tools: ["read"],
		warnings: [],
	},
	{
		because: "a readonly agent that inherits an extension's tool is told that it may write",
		file: "readonly: true",
		parent: pi087WithDeploy,
		tools: ["read"],
		warnings: ["deploy was left out: custom is read-only. `readonly` in its file changes that."],
	},
	{
		because: "a readonly agent that inherits MCP tools is told of readonlyTools",
		file: "readonly: true",
		parent: pi15,
		tools: ["read"],
		warnings: [
			"mcp__github__search, mcp__github__create_issue were left out: custom is read-only, and an MCP tool may write. Name it in subagents.readonlyTools in pi-geon.json.",
		],
	},
	{
		because: "a readonly agent inherits the MCP tools that readonlyTools names",
		file: "readonly: true",
		config: subagents({ readonlyTools: ["mcp__github"] }),
		parent: pi15,
		tools: ["read", ...GITHUB],
		warnings: [],
	},
	{
		because: "a readonly agent that inherits codemode is told of both reasons: the file's list alone would not help",
		file: "readonly: true",
		parent: pi15Codemode,
		tools: ["read"],
		warnings: [
			"codemode was left out: custom is read-only, and a subagent gets it only if the `tools` of its file names it.",
		],
	},
	{
		because: "a readonly agent that inherits tool_search is told of both reasons",
		file: "readonly: true",
		parent: pi15Deferred,
		tools: ["read"],
		warnings: [
			"tool_search was left out: custom is read-only, and a subagent gets it only if the `tools` of its file names it.",
		],
	},
	{
		because: "a restriction that cannot be enforced takes what writes by name, also from an agent that inherits",
		file: "permissionMode: plan",
		config: mayWrite,
		tools: ["read"],
		warnings: [
			"bash, edit, write were left out: custom is read-only, because permissionMode cannot be enforced here. Remove it from the agent's file to change that.",
		],
	},
	{
		because: "a restriction that cannot be enforced is named for the tools of a list, and `readonly` is not",
		file: "tools: read, bash\nhooks: { Stop: [] }\npermissionMode: plan",
		config: mayWrite,
		tools: ["read"],
		warnings: [
			"bash was left out: custom is read-only, because permissionMode, hooks cannot be enforced here. Remove them from the agent's file to change that.",
		],
	},
	{
		because: "Claude Code's name for asking the user means ours, which `ask` grants",
		file: "tools: Read, AskUserQuestion",
		tools: ["read"],
		warnings: ["AskUserQuestion (subagent_ask) was left out: `ask: true` in its file grants it."],
	},
	{
		because: "a file with `ask` that also names Claude Code's tool for it loses nothing",
		file: "tools: Read, AskUserQuestion\nask: true",
		tools: ["read", "subagent_ask"],
		warnings: [],
	},
	{
		because: "an author who writes readonly beside such a restriction means what readonly says",
		file: "readonly: true\npermissionMode: plan",
		tools: ["read"],
		warnings: [],
	},
	{
		because: "a built-in agent that is not readonly still only reads",
		file: "tools: read, bash",
		source: "builtin",
		config: mayWrite,
		tools: ["read"],
		warnings: ["bash was left out: custom is built in, and built-in agents only read."],
	},
	{
		because: "a built-in agent gets all of its list where everything is there",
		file: "readonly: true\ntools: read, grep, find, ls, lsp",
		source: "builtin",
		tools: ["read", "grep", "find", "ls", "lsp"],
		warnings: [],
	},
	{
		because: "a built-in agent is told what of its list is missing here",
		file: "readonly: true\ntools: read, lsp",
		source: "builtin",
		parent: withoutLsp,
		tools: ["read"],
		warnings: [`lsp was left out: ${GONE}`],
	},

	// allowWrite.
	{
		because: "allowWrite gives a user's agent what it asks for",
		file: "tools: read, bash, edit, write",
		config: mayWrite,
		tools: ["read", "bash", "edit", "write"],
		warnings: [],
	},
	{
		because: "allowWrite gives a project's agent what it asks for",
		file: "tools: bash",
		source: "project",
		config: mayWrite,
		tools: ["bash"],
		warnings: [],
	},
	{
		because: "allowWrite gives tools of extensions",
		file: "tools: deploy",
		config: mayWrite,
		tools: ["deploy"],
		warnings: [],
	},
	{
		because: "allowWrite gives no more than the file asks for",
		file: "tools: read",
		config: mayWrite,
		parent: pi087WithDeploy,
		tools: ["read"],
		warnings: [],
	},
	{
		because: "allowWrite brings no tool that is not there",
		file: "tools: bash, frobnicate",
		config: mayWrite,
		tools: ["bash"],
		warnings: [`frobnicate was left out: ${GONE}`],
	},

	// What the user says.
	{
		because: "a user who says yes gives what allowWrite would give",
		file: "tools: read, bash, deploy",
		consent: "given",
		tools: ["read", "bash", "deploy"],
		warnings: [],
	},
	{
		because: "a user who says no is named as the reason",
		file: "tools: read, bash, edit",
		consent: "refused",
		tools: ["read"],
		warnings: [
			"bash, edit were left out: the user did not let custom write in this checkout. subagents.allowWrite in pi-geon.json allows it.",
		],
	},
	{
		because: "in a project that is not trusted the warning says why nobody was asked",
		file: "tools: read, bash",
		consent: "untrusted",
		tools: ["read"],
		warnings: [
			"bash was left out: subagents.allowWrite is false in pi-geon.json, and the user is not asked in a project that is not trusted (/trust).",
		],
	},
	{
		because: "where there is no user to ask, the setting is the reason",
		file: "tools: read, write",
		consent: "not_asked",
		tools: ["read"],
		warnings: [`write was left out: ${NO_WRITE}`],
	},
	{
		because: "the user's yes does not make a readonly agent write",
		file: "readonly: true\ntools: read, write",
		consent: "given",
		tools: ["read"],
		warnings: ["write was left out: custom is read-only. `readonly` in its file changes that."],
	},
	{
		because: "the user's yes does not make a built-in agent write",
		file: "tools: read, edit",
		source: "builtin",
		consent: "given",
		tools: ["read"],
		warnings: ["edit was left out: custom is built in, and built-in agents only read."],
	},
	{
		because: "deny wins over the user's yes",
		file: "tools: read, bash, edit",
		consent: "given",
		config: lists({ deny: ["bash"] }),
		tools: ["read", "edit"],
		warnings: ["bash was left out: tools.subagents.tools.deny in pi-geon.json forbids it."],
	},
	{
		because: "allow wins over the user's yes",
		file: "tools: read, bash",
		consent: "given",
		config: lists({ allow: ["read"] }),
		tools: ["read"],
		warnings: ["bash was left out: tools.subagents.tools.allow in pi-geon.json does not name it."],
	},
	{
		because: "the user's no takes nothing from an agent that allowWrite lets write",
		file: "tools: bash",
		consent: "refused",
		config: mayWrite,
		tools: ["bash"],
		warnings: [],
	},

	// allow and deny.
	{
		because: "deny takes what reads, too",
		file: "tools: read, web_search",
		config: lists({ deny: ["web_search"] }),
		tools: ["read"],
		warnings: ["web_search was left out: tools.subagents.tools.deny in pi-geon.json forbids it."],
	},
	{
		because: "deny wins over allow",
		file: "tools: read, grep",
		config: lists({ allow: ["read", "grep"], deny: ["grep"] }),
		tools: ["read"],
		warnings: ["grep was left out: tools.subagents.tools.deny in pi-geon.json forbids it."],
	},
	{
		because: "deny wins over allowWrite, and is the reason that is told",
		file: "tools: read, bash",
		config: { ...mayWrite, ...lists({ deny: ["Bash(git push:*)"] }) },
		tools: ["read"],
		warnings: ["bash was left out: tools.subagents.tools.deny in pi-geon.json forbids it."],
	},
	{
		because: "where deny and allowWrite both stand in the way, deny is told: allowWrite alone would not help",
		file: "tools: read, bash, edit",
		config: lists({ deny: ["bash"] }),
		tools: ["read"],
		warnings: [
			"bash was left out: tools.subagents.tools.deny in pi-geon.json forbids it.",
			`edit was left out: ${NO_WRITE}`,
		],
	},
	{
		because: "what allow does not name is left out",
		file: "tools: read, grep, find",
		config: lists({ allow: ["read"] }),
		tools: ["read"],
		warnings: ["grep, find were left out: tools.subagents.tools.allow in pi-geon.json does not name them."],
	},
	{
		because: "allow grants nothing that would not be granted without it",
		file: "tools: read, bash",
		config: lists({ allow: ["read", "bash"] }),
		tools: ["read"],
		warnings: [`bash was left out: ${NO_WRITE}`],
	},
	{
		because: "an empty allow refuses everybody",
		file: "tools: read",
		config: lists({ allow: [] }),
		tools: [],
		warnings: ["read was left out: tools.subagents.tools.allow in pi-geon.json does not name it."],
	},

	// lsp.
	{
		because: "lsp is left out if it is switched off",
		file: "tools: read, lsp",
		config: subagents({ allowLspTools: false }),
		tools: ["read"],
		warnings: ["lsp was left out: subagents.allowLspTools is false in pi-geon.json."],
	},
	{
		because: "lsp is left out if no action is allowed",
		file: "tools: read, lsp",
		config: subagents({ allowedLspActions: [] }),
		tools: ["read"],
		warnings: ["lsp was left out: subagents.allowedLspActions is empty in pi-geon.json."],
	},
	{
		because: "allowWrite does not bring back an lsp that is switched off",
		file: "tools: bash, lsp",
		config: subagents({ allowWrite: true, allowLspTools: false }),
		tools: ["bash"],
		warnings: ["lsp was left out: subagents.allowLspTools is false in pi-geon.json."],
	},

	// What an agent inherits.
	{
		because: "a file without tools is told once what it does not inherit",
		file: "model: inherit",
		tools: ["read"],
		warnings: [`bash, edit, write were left out: ${NO_WRITE}`],
	},
	{
		because: "what denied_tools names is not asked for, and not told",
		file: "denied_tools: edit, write",
		tools: ["read"],
		warnings: [`bash was left out: ${NO_WRITE}`],
	},
	{
		because: "an agent inherits tools of extensions that the parent has switched on",
		file: "denied_tools: bash, edit, write",
		config: mayWrite,
		parent: pi087WithDeploy,
		tools: ["read", "deploy"],
		warnings: [],
	},
	{
		because: "an agent that inherits is told which tools of extensions it does not get",
		file: "denied_tools: edit, write",
		parent: pi087WithDeploy,
		tools: ["read"],
		warnings: [`bash, deploy were left out: ${NO_WRITE}`],
	},
	{
		because: "an agent inherits no tool that the parent has not switched on",
		file: "denied_tools: bash",
		config: mayWrite,
		parent: readOnlyParent,
		tools: ["read", "grep"],
		warnings: [],
	},
	{
		because: "the user's yes lets an agent inherit what writes",
		file: "denied_tools: write",
		consent: "given",
		tools: ["read", "bash", "edit"],
		warnings: [],
	},
	{
		because: "a parent with nothing but delegation has nothing to inherit",
		file: "denied_tools: bash",
		parent: idleParent,
		tools: [],
		warnings: [],
	},

	// The child without a role. It writes, until it works in a tree of its own.
	{
		because: "a child without a role has what its parent has, and hears nothing of tools that delegate",
		inTree: true,
		parent: pi087WithLsp,
		tools: ["read", "bash", "edit", "write", "lsp"],
		warnings: [],
	},
	{
		because: "a child without a role is told what deny takes from it",
		inTree: true,
		config: lists({ deny: ["bash", "write"] }),
		tools: ["read", "edit"],
		warnings: ["bash, write were left out: tools.subagents.tools.deny in pi-geon.json forbids them."],
	},
	{
		because: "a child without a role is told of an lsp that is switched off",
		config: subagents({ allowLspTools: false }),
		parent: { ...pi087WithLsp, active: ["read", "lsp"] },
		tools: ["read"],
		warnings: ["lsp was left out: subagents.allowLspTools is false in pi-geon.json."],
	},
	{
		because: "a child without a role cannot inherit what no extension file provides",
		parent: { ...embedded, active: ["read", "in_memory"] },
		tools: ["read"],
		warnings: ["in_memory was left out: no extension file provides it, so a subagent cannot load it."],
	},
	{
		because: "a child without a role and without a tree only reads",
		tools: ["read"],
		warnings: [`bash, edit, write were left out: ${NO_WRITE}`],
	},
	{
		because: "allowWrite lets a child without a role write in the checkout",
		config: mayWrite,
		tools: ["read", "bash", "edit", "write"],
		warnings: [],
	},

	// Trees.
	{
		because: "an agent that asks for a tree writes in it, whatever allowWrite says",
		file: "isolation: worktree\ntools: read, bash, edit",
		inTree: true,
		tools: ["read", "bash", "edit"],
		warnings: [],
	},
	{
		because: "without a tree such an agent only reads, although allowWrite would let it write in the checkout",
		file: "isolation: worktree\ntools: read, bash, edit",
		config: mayWrite,
		tools: ["read"],
		warnings: ["bash, edit were left out: custom writes in a tree of its own, and cannot get one here."],
	},
	{
		because: "nor does the user's yes let it write in the checkout",
		file: "isolation: worktree\ntools: read, write",
		consent: "given",
		tools: ["read"],
		warnings: ["write was left out: custom writes in a tree of its own, and cannot get one here."],
	},
	{
		because: "a tree does not make a readonly agent write",
		file: "isolation: worktree\nreadonly: true\ntools: read, bash",
		inTree: true,
		tools: ["read"],
		warnings: ["bash was left out: custom is read-only. `readonly` in its file changes that."],
	},
	{
		because: "in a tree an agent gets MCP tools that may write",
		file: "isolation: worktree\ntools: read, mcp__github__create_issue",
		parent: pi15,
		inTree: true,
		tools: ["read", "mcp__github__create_issue"],
		warnings: [],
	},
	{
		because: "without a tree the setting that grants an MCP tool is named",
		file: "isolation: worktree\ntools: read, bash, mcp__github__create_issue",
		parent: pi15,
		tools: ["read"],
		warnings: [
			"bash was left out: custom writes in a tree of its own, and cannot get one here.",
			"mcp__github__create_issue was left out: custom writes in a tree of its own, and cannot get one here, and an MCP tool may write. Name it in subagents.readonlyTools in pi-geon.json.",
		],
	},
	{
		because: "a built-in agent writes in a tree if its file says so",
		file: "isolation: worktree\ntools: read, edit",
		source: "builtin",
		inTree: true,
		tools: ["read", "edit"],
		warnings: [],
	},

	// MCP, codemode and tool_search.
	{
		because: "on a pi without MCP a tool of a server is told with where servers are configured",
		file: "tools: read, mcp__github__search",
		tools: ["read"],
		warnings: ["mcp__github__search was left out: this pi has no such MCP tool. Check its mcp.json."],
	},
	{
		because: "a server that this pi does not have is told by its name",
		file: "tools: read, mcp__nowhere__*",
		parent: pi15,
		tools: ["read"],
		warnings: ["mcp__nowhere__* was left out: this pi has no such MCP tool. Check its mcp.json."],
	},
	{
		because: "an MCP tool may write, so a role does not get it by default",
		file: "tools: read, mcp__github__search",
		parent: pi15,
		tools: ["read"],
		warnings: [`mcp__github__search was left out: ${MCP_WRITES}`],
	},
	{
		because: "a readonly agent is told of readonlyTools alone: allowWrite would not help",
		file: "readonly: true\ntools: read, mcp__github__search",
		parent: pi15,
		tools: ["read"],
		warnings: [
			"mcp__github__search was left out: custom is read-only, and an MCP tool may write. Name it in subagents.readonlyTools in pi-geon.json.",
		],
	},
	{
		because: "readonlyTools gives one MCP tool of a server to a role, and not its neighbour",
		file: "tools: mcp__github__search, mcp__github__create_issue",
		config: subagents({ readonlyTools: ["mcp__github__search"] }),
		parent: pi15,
		tools: ["mcp__github__search"],
		warnings: [`mcp__github__create_issue was left out: ${MCP_WRITES}`],
	},
	{
		because: "readonlyTools gives all tools of a server that it names",
		file: "tools: mcp__github__search, mcp__github__create_issue",
		config: subagents({ readonlyTools: ["mcp__github"] }),
		parent: pi15,
		tools: GITHUB,
		warnings: [],
	},
	{
		because: "readonlyTools gives an MCP tool to a readonly agent",
		file: "readonly: true\ntools: mcp__docs__read",
		config: subagents({ readonlyTools: ["mcp__docs__*"] }),
		parent: pi15,
		tools: ["mcp__docs__read"],
		warnings: [],
	},
	{
		because: "readonlyTools declares neither pi's tools nor an extension's to be reading",
		file: "tools: read, bash, deploy",
		config: subagents({ readonlyTools: ["bash", "deploy"] }),
		tools: ["read"],
		warnings: [`bash, deploy were left out: ${NO_WRITE}`],
	},
	{
		because: "readonlyTools of one server says nothing about a server whose name begins the same",
		file: "tools: read, mcp__github__search",
		config: subagents({ readonlyTools: ["mcp__git"] }),
		parent: pi15,
		tools: ["read"],
		warnings: [`mcp__github__search was left out: ${MCP_WRITES}`],
	},
	{
		because: "allowWrite gives an MCP tool to a role",
		file: "tools: mcp__github__create_issue",
		config: mayWrite,
		parent: pi15,
		tools: ["mcp__github__create_issue"],
		warnings: [],
	},
	{
		because: "a server's name with a star stands for all of its tools",
		file: "tools: mcp__github__*",
		config: mayWrite,
		parent: pi15,
		tools: GITHUB,
		warnings: [],
	},
	{
		because: "a server's name alone stands for all of its tools",
		file: "tools: mcp__github",
		config: mayWrite,
		parent: pi15,
		tools: GITHUB,
		warnings: [],
	},
	{
		because: "disallowedTools takes one tool out of those of a server",
		file: "tools: mcp__github\ndisallowedTools: mcp__github__create_issue",
		config: mayWrite,
		parent: pi15,
		tools: ["mcp__github__search"],
		warnings: [],
	},
	{
		because: "disallowedTools of a server takes the tools that the list names one by one",
		file: "tools: mcp__github__search, mcp__docs__read\ndisallowedTools: mcp__github",
		config: mayWrite,
		parent: pi15,
		tools: ["mcp__docs__read"],
		warnings: [],
	},
	{
		because: "denied_tools of a server takes its tools out of what is inherited",
		file: "denied_tools: mcp__github__*",
		config: mayWrite,
		parent: pi15,
		tools: ["read", "bash", "edit", "write"],
		warnings: [],
	},
	{
		because: "a server that has not said yet which tools it has is given as a whole",
		file: "tools: mcp__slow__*",
		config: mayWrite,
		parent: pi15Connecting,
		tools: ["mcp__slow"],
		warnings: [],
	},
	{
		because: "one tool of a server that has not said yet which tools it has is given on the file's word",
		file: "tools: mcp__slow__search",
		config: subagents({ readonlyTools: ["mcp__slow__*"] }),
		parent: pi15Connecting,
		tools: ["mcp__slow__search"],
		warnings: [],
	},
	{
		because: "a server that has not said yet which tools it has is not given where some of them are denied",
		file: "tools: read, mcp__slow",
		config: { ...mayWrite, ...lists({ deny: ["mcp__slow__drop"] }) },
		parent: pi15Connecting,
		tools: ["read"],
		warnings: [
			"mcp__slow was left out: some of its tools are denied, and it has not said yet which tools it has. Try again when it is connected.",
		],
	},
	{
		because: "a tool that the file denies does not come with a server that has not said yet which tools it has",
		file: "denied_tools: mcp__slow__drop",
		config: mayWrite,
		parent: pi15Connecting,
		tools: ["read", "bash", "edit", "write"],
		warnings: [
			"mcp__slow was left out: some of its tools are denied, and it has not said yet which tools it has. Try again when it is connected.",
		],
	},
	{
		because: "readonlyTools that names one tool does not give a whole server that has not said which tools it has",
		file: "tools: read, mcp__slow",
		config: subagents({ readonlyTools: ["mcp__slow__search"] }),
		parent: pi15Connecting,
		tools: ["read"],
		warnings: [`mcp__slow was left out: ${MCP_WRITES}`],
	},
	{
		because: "tools for the resources of MCP servers are MCP tools",
		file: "tools: read, read_mcp_resource",
		parent: { ...pi15, known: [...pi15.known, ...mcp("read_mcp_resource")] },
		tools: ["read"],
		warnings: [`read_mcp_resource was left out: ${MCP_WRITES}`],
	},
	{
		because: "from four tools of a server on, the server stands for them in the warning",
		file: "tools: read, mcp__jira",
		parent: crowded,
		tools: ["read"],
		warnings: [`mcp__jira__* (5 tools) were left out: ${MCP_WRITES}`],
	},
	{
		because: "deny of a server takes all of its tools",
		file: "tools: mcp__github__search, mcp__docs__read",
		config: { ...mayWrite, ...lists({ deny: ["mcp__github"] }) },
		parent: pi15,
		tools: ["mcp__docs__read"],
		warnings: ["mcp__github__search was left out: tools.subagents.tools.deny in pi-geon.json forbids it."],
	},
	{
		because: "allow of a server allows all of its tools",
		file: "tools: mcp__github__search, mcp__docs__read",
		config: { ...mayWrite, ...lists({ allow: ["mcp__github__*"] }) },
		parent: pi15,
		tools: ["mcp__github__search"],
		warnings: ["mcp__docs__read was left out: tools.subagents.tools.allow in pi-geon.json does not name it."],
	},
	{
		because: "an agent that inherits MCP tools is told of both kinds of tools that write",
		file: "denied_tools: edit, write",
		parent: pi15,
		tools: ["read"],
		warnings: [
			`bash was left out: ${NO_WRITE}`,
			`mcp__github__search, mcp__github__create_issue were left out: ${MCP_WRITES}`,
		],
	},
	{
		because: "the user's yes gives MCP tools along with the others",
		file: "tools: bash, mcp__github__search",
		consent: "given",
		parent: pi15,
		tools: ["bash", "mcp__github__search"],
		warnings: [],
	},
	{
		because: "the user's no to writing leaves the finer choice for MCP tools",
		file: "tools: read, bash, mcp__github__search",
		consent: "refused",
		parent: pi15,
		tools: ["read"],
		warnings: [
			"bash was left out: the user did not let custom write in this checkout. subagents.allowWrite in pi-geon.json allows it.",
			`mcp__github__search was left out: ${MCP_WRITES}`,
		],
	},
	{
		because: "a child without a role inherits MCP tools that the parent has switched on",
		inTree: true,
		parent: pi15,
		tools: ["read", "bash", "edit", "write", ...GITHUB],
		warnings: [],
	},
	{
		because: "codemode is not inherited by a child without a role",
		inTree: true,
		parent: pi15Codemode,
		tools: ["read", "bash", "edit", "write"],
		warnings: ["codemode was left out: a subagent gets it only if the `tools` of its file names it."],
	},
	{
		because: "tool_search is not inherited by an agent without a list",
		file: "denied_tools: bash",
		config: mayWrite,
		parent: pi15Deferred,
		tools: ["read", "edit", "write"],
		warnings: ["tool_search was left out: a subagent gets it only if the `tools` of its file names it."],
	},
	{
		because: "codemode by name is given to an agent that may write",
		file: "tools: read, codemode",
		config: mayWrite,
		parent: pi15Codemode,
		tools: ["read", "codemode"],
		warnings: [],
	},
	{
		because: "codemode by name runs scripts, so that it is held back like other tools that write",
		file: "tools: read, codemode",
		parent: pi15Codemode,
		tools: ["read"],
		warnings: [`codemode was left out: ${NO_WRITE}`],
	},
	{
		because: "tool_search by name on a pi that does not have it is told",
		file: "tools: read, tool_search",
		tools: ["read"],
		warnings: [`tool_search was left out: ${GONE}`],
	},
];

describe("which tools a child gets, and what is said of those it does not get", () => {
	test.each(ROWS.map((row): [string, Row] => [row.because, row]))("%s", (_because, row) => {
		const { tools, warnings } = granted(row);
		expect(tools).toEqual(row.tools);
		if (tools.length > 0) expect(warnings).toEqual(row.warnings);
		// A refusal has all of them in its one message.
		else for (const warning of row.warnings) expect(warnings[0]).toContain(warning);
	});

	test("at least sixty rows, and no two for the same reason", () => {
		expect(ROWS.length).toBeGreaterThanOrEqual(60);
		expect(new Set(ROWS.map(({ because }) => because)).size).toBe(ROWS.length);
		const cases = ROWS.map(({ because: _because, tools: _tools, warnings: _warnings, ...row }) => JSON.stringify(row));
		expect(new Set(cases).size).toBe(ROWS.length);
	});

	test("no line is long", () => {
		const lines = ROWS.flatMap((row) => granted(row).warnings);
		for (const line of lines) expect(line.length, line).toBeLessThan(220);
	});
});

describe("whatever an agent asks for", () => {
	const NAMES = [
		...known087.map(({ name }) => name),
		...GITHUB,
		"mcp__docs__read",
		"mcp__gone__x",
		"codemode",
		"tool_search",
		"TodoWrite",
		"in_memory",
		"powershell",
	];
	const WRITERS = ["bash", "powershell", "edit", "write"];
	const some = fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 8 });
	const everything = fc.record({
		kind: fc.constantFrom("only" as const, "inherit" as const),
		names: some,
		active: some,
		readonly: fc.constantFrom("no" as const, "by its author" as const, "by a restriction" as const),
		source: fc.constantFrom<AgentSource>("builtin", "user", "project"),
		consent: fc.constantFrom<WriteConsent>("given", "refused", "untrusted", "not_asked"),
		parent: fc.constantFrom(pi087, pi15, pi15Codemode, pi15Deferred, withoutLsp),
		subagents: fc.record({
			allowWrite: fc.boolean(),
			allowLspTools: fc.boolean(),
			readonlyTools: fc.constantFrom([], ["mcp__github"], ["mcp__docs__read", "bash"]),
		}),
		allow: fc.option(some, { nil: null }),
		deny: some,
	});
	const defaults = configOf({});

	test("an agent gets each tool it asks for, or a warning names it with a reason; and no agent gets others", () => {
		fc.assert(
			fc.property(everything, ({ kind, names, active, parent, allow, deny, consent, ...rest }) => {
				const config: Config = {
					...defaults,
					subagents: { ...defaults.subagents, ...rest.subagents },
					tools: { subagents: { tools: { allow, deny } } },
				};
				const tools = kind === "only" ? { kind, names } : { kind, except: names };
				const agent = {
					...agentOf("tools: read", rest.source),
					readonly: rest.readonly !== "no",
					...(rest.readonly === "by a restriction" && { unenforced: ["hooks"] }),
					tools,
				};
				const granted = effectiveTools({ agent, config, active, known: parent.known, consent });
				const given = isRefusal(granted) ? [] : granted.tools;
				const told = isRefusal(granted) ? [granted.error.message] : granted.warnings;
				const asked = kind === "only" ? names : active.filter((name) => !NEVER.has(name) && !names.includes(name));
				// An author who writes `readonly: true` and names no tools does not ask for those that everybody knows to write.
				const ruledOut = rest.readonly === "by its author" && kind === "inherit" ? WRITERS : [];
				const missing = asked.filter((name) => !given.includes(name) && !ruledOut.includes(name));
				for (const name of missing) expect(told.join("\n")).toContain(name);
				for (const line of told) expect(line).toMatch(/\.$/);
				for (const name of given) expect(asked).toContain(name);
				for (const name of given) expect(NEVER.has(name)).toBe(false);
				for (const name of given) expect(deny).not.toContain(name);
			}),
			{ numRuns: 2_000 },
		);
	});

	test("a warning is one line within bounds, whatever tools are called", () => {
		const name = fc.string({ unit: "binary", minLength: 1, maxLength: 200 });
		fc.assert(
			fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 40 }), (names) => {
				const agent = { ...agentOf("tools: read", "user"), tools: { kind: "only" as const, names } };
				const { leftOut } = sortTools({ agent, config: defaults, active: [], known: [] });
				const granted = effectiveTools({ agent, config: defaults, active: [], known: [] });
				if (!isRefusal(granted)) return;
				expect(leftOut).toHaveLength(new Set(names).size);
				expect(granted.error.message).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
				expect(granted.error.message.length).toBeLessThan(1_000);
			}),
		);
	});
});

function granted(row: Row): { tools: string[]; warnings: string[] } {
	const { active, known } = row.parent ?? pi087;
	const agent = row.file === undefined ? GENERAL : agentOf(row.file, row.source ?? "user");
	const facts = { ...(row.consent && { consent: row.consent }), ...(row.inTree && { inTree: true }) };
	const answer = effectiveTools({ agent, config: configOf(row.config ?? {}), active, known, ...facts });
	return isRefusal(answer) ? { tools: [], warnings: [answer.error.message] } : answer;
}
