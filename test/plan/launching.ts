import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentDefinition, AgentSource } from "../../src/agents/definition.ts";
import type { UnusableAgent } from "../../src/agents/folder.ts";
import { parseAgent } from "../../src/agents/parse.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { KnownSession } from "../../src/plan/continued.ts";
import { type LaunchRequest, type ParentFacts, planLaunch } from "../../src/plan/launch.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { isRefusal, type Refusal } from "../../src/run/errors.ts";
import { agentNamed } from "../helpers/agent-file.ts";

/** What a test may care about in a launch; the rest is filled in. */
export interface Wish {
	/** Lines of the frontmatter of the agent that is asked for. Absent: a child without a role. */
	agent?: string;
	source?: AgentSource;
	unusable?: UnusableAgent[];
	/** As it stands in pi-geon.json. */
	config?: object;
	request?: Partial<LaunchRequest>;
	parent?: Partial<ParentFacts>;
	/** The agent directory of the parent's pi. */
	agentDir?: string;
	/** What is known of any session that is asked for. */
	session?: KnownSession;
}

export const CWD = "/project";

export const parentOf: ParentFacts = {
	cwd: CWD,
	depth: 0,
	activeTools: ["read", "bash", "edit", "write", "lsp", "deploy", "subagent", "sessions_spawn"],
	knownTools: [
		...["read", "bash", "edit", "write", "grep", "find", "ls"].map((name) => ({ name })),
		{ name: "lsp", extension: "/extensions/lsp.js" },
		{ name: "deploy", extension: "/extensions/deploy.js" },
		{ name: "subagent", extension: "/extensions/extension.js" },
		{ name: "sessions_spawn", extension: "/extensions/extension.js" },
	],
	knownSkills: () => [],
	model: { provider: "test", id: "the parent's" },
	thinking: "off",
	projectTrusted: true,
	sessionKept: true,
	resolveModel: async (name) => {
		const [id = "", thinking] = name.replace("test/", "").split(":");
		if (id.startsWith("gone")) return undefined;
		return { model: { provider: "test", id }, ...(thinking === "high" && { thinking }) };
	},
	modelSource: async () => ({ kind: "pi" }),
	approveProjectAgent: async () => "nobody",
	askToWrite: async () => "not_asked",
};

function launch(wish: Wish): Promise<LaunchPlan | Refusal> {
	const agents = wish.agent === undefined ? [] : [agentOf(wish.agent, wish.source ?? "user")];
	return planLaunch(
		{ task: "Do it.", ...(agents.length > 0 && { agent: "custom" }), ...wish.request },
		{ ...parentOf, ...wish.parent },
		{
			config: configOf(wish.config ?? {}),
			catalog: { agents, overridden: [], unusable: wish.unusable ?? [], diagnostics: [] },
			agentDir: wish.agentDir ?? "/agent",
			sessionsRoot: "/sessions",
			findSession: () => wish.session,
		},
	);
}

export async function planned(wish: Wish): Promise<LaunchPlan> {
	const plan = await launch(wish);
	if (isRefusal(plan)) throw new Error(`It was refused: ${plan.error.message}`);
	return plan;
}

export async function refused(wish: Wish): Promise<Refusal> {
	const refusal = await launch(wish);
	if (!isRefusal(refusal)) throw new Error("It was not refused.");
	return refusal;
}

export const agentsNamed = (names: string[]): AgentDefinition[] =>
	names.map((name) => ({ ...agentOf("tools: read", "user"), name }));

/** A mistake in what a test wrote must not be taken for a default. */
export function agentOf(lines: string, source: AgentSource = "user"): AgentDefinition {
	const { agent, diagnostics } = parseAgent(agentNamed("custom", "You help.", lines), { file: "custom.md", source });
	const told = diagnostics.filter(({ message }) =>
		/cannot be (granted|denied) here|not the name of one tool/.test(message),
	);
	const expected = agent ? agent.warnings.length + told.length : 0;
	if (!agent || diagnostics.length > expected) throw new Error(JSON.stringify(diagnostics));
	return agent;
}

export function configOf(value: object): Config {
	const folder = mkdtempSync(join(tmpdir(), "pi-geon-plan-"));
	const userFile = join(folder, "pi-geon.json");
	writeFileSync(userFile, JSON.stringify(value));
	const { config, diagnostics } = loadConfig({ userFile });
	rmSync(folder, { recursive: true });
	if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
	return config;
}
