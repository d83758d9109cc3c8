import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { AgentDefinition } from "../../agents/definition.ts";
import { inOneLine } from "../../collect/plain.ts";
import type { Config } from "../../config/config.ts";
import { configFor } from "../../config/config-for.ts";
import { MAIN } from "../../config/principals.ts";
import { isTrustedByDecision } from "../../config/project-trust.ts";
import { type ModelHere, modelInPi, modelOfOff } from "../../operate/model-here.ts";
import { type AgentsOptions, agentsReport } from "../../operate/report/agents.ts";
import { type ToolSurroundings, toolsHere, whyOff, withKernel } from "../../operate/tools-here.ts";
import type { ModelQuestion } from "../../plan/model-for.ts";
import { choosePrincipal } from "../../plan/principal.ts";
import { isRefusal } from "../../run/errors.ts";
import { activeTools, knownSkills, knownTools, modelFacts } from "../parent-facts.ts";
import { agentsFor } from "../session-services.ts";
import type { WriteQuestions } from "../write-consent.ts";
import { type AgentsLook, browseAgents } from "./agents-screen.ts";
import { type CommandAnswer, type Subcommand, usage } from "./command.ts";
import { widthFor } from "./show.ts";
import { firstWord } from "./words.ts";

export interface AgentsSetup {
	pi: ExtensionAPI;
	writeQuestions: WriteQuestions;
}

/** `/subagents agents`, and `/subagents agents forget <name>`. */
export function agentsCommand({ pi, writeQuestions }: AgentsSetup): Subcommand {
	const agents: Subcommand = {
		name: "agents",
		takes: "[forget <name>]",
		does: "list the agents, where they come from and which tools they get; with forget, withdraw an agent's permission to write",
		async run(args, ctx, command) {
			if (args === "" && command === "subagents" && ctx.mode === "tui")
				return browseAgents(ctx, () => look(ctx, command));
			if (args === "") return report(ctx, command);
			const { word, rest: name } = firstWord(args);
			if (word === "forget" && name !== "") return forget(name);
			return { problem: `Nothing was done. Usage: ${usage(command, agents)}` };
		},
	};
	return agents;

	async function report(ctx: ExtensionContext, command: string): Promise<string[]> {
		const { catalog, options } = await look(ctx, command);
		return agentsReport(catalog, options);
	}

	async function look(ctx: ExtensionContext, command: string): Promise<AgentsLook> {
		const here = await withKernel(toolSurroundings(pi, ctx, writeQuestions));
		const trusted = isTrustedByDecision(ctx);
		const catalog = agentsFor(ctx, { includeProject: true });
		const modelHere = await modelsHere(catalog.agents, here.config, ctx);
		const options: AgentsOptions = {
			width: widthFor(ctx),
			toolsHere: (agent) => toolsHere(agent, here),
			modelHere,
			noteOn: ({ source }) =>
				source === "project" && !trusted ? "the project is not trusted: you are asked before it runs" : undefined,
			howToForget: ({ name }) => `/${command} agents forget ${name}`,
		};
		return { catalog, options };
	}

	function forget(name: string): CommandAnswer {
		const forgotten = writeQuestions.forget(name);
		const shown = inOneLine(name);
		if (forgotten === 0) return { problem: `You have not decided whether ${shown} may write.` };
		return [`Forgotten. pi will ask again whether ${shown} may write.`];
	}
}

/** The models that planning would choose. Does not ask about disabled agents, since that may load an extension. */
async function modelsHere(
	agents: readonly AgentDefinition[],
	config: Config,
	ctx: ExtensionContext,
): Promise<(agent: AgentDefinition) => ModelHere> {
	const known = new Map<AgentDefinition, ModelHere>();
	// One after the other: the second agent that needs an extension reuses the result of the first.
	for (const agent of agents) {
		if (whyOff(agent, config) === undefined) known.set(agent, await modelInPi(modelQuestion(agent, config, ctx)));
	}
	return (agent) => known.get(agent) ?? modelOfOff(agent, config);
}

/** The question that planning would ask about the model of an agent, if this session started it. */
export function modelQuestion(agent: AgentDefinition, config: Config, ctx: ExtensionContext): ModelQuestion {
	const chosen = choosePrincipal(undefined, { config, agentDir: getAgentDir() });
	const principal = isRefusal(chosen) ? { id: MAIN.id } : chosen;
	return { agent, principal, config, parent: modelFacts(ctx) };
}

/** What this session knows about the tools that its agents would get. */
export function toolSurroundings(pi: ExtensionAPI, ctx: ExtensionContext, questions: WriteQuestions): ToolSurroundings {
	return {
		config: configFor(ctx).config,
		pi: { active: activeTools(pi, ctx), known: knownTools(pi, ctx), skills: knownSkills(pi, ctx) },
		consent: (agent) => questions.consent(ctx, agent),
		writing: (agent) => questions.writing(agent),
	};
}
