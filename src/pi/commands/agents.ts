import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../../collect/plain.ts";
import { configFor } from "../../config/config-for.ts";
import { isTrustedByDecision } from "../../config/project-trust.ts";
import { agentsReport } from "../../operate/report/agents.ts";
import { type ToolSurroundings, toolsHere } from "../../operate/tools-here.ts";
import { activeTools, knownTools } from "../parent-facts.ts";
import { agentsFor } from "../session-services.ts";
import type { WriteQuestions } from "../write-consent.ts";
import { type Answer, type Subcommand, usage } from "./command.ts";
import { widthFor } from "./show.ts";
import { firstWord } from "./words.ts";

export interface AgentsSetup {
	pi: ExtensionAPI;
	writeQuestions: WriteQuestions;
}

/** `/toolkit agents`, and `/toolkit agents forget <name>`. */
export function agentsCommand({ pi, writeQuestions }: AgentsSetup): Subcommand {
	const agents: Subcommand = {
		name: "agents",
		takes: "[forget <name>]",
		does: "the agents, where they come from, what they get and what not; forget: ask again whether one may write",
		async run(args, ctx) {
			if (args === "") return report(ctx);
			const { word, rest: name } = firstWord(args);
			if (word === "forget" && name !== "") return forget(name);
			return { problem: `Nothing was done. Usage: ${usage("toolkit", agents)}` };
		},
	};
	return agents;

	function report(ctx: ExtensionContext): string[] {
		const here = toolSurroundings(pi, ctx, writeQuestions);
		const trusted = isTrustedByDecision(ctx);
		return agentsReport(agentsFor(ctx, { includeProject: true }), {
			width: widthFor(ctx),
			toolsHere: (agent) => toolsHere(agent, here),
			noteOn: ({ source }) =>
				source === "project" && !trusted ? "the project is not trusted: you are asked before it runs" : undefined,
			howToForget: ({ name }) => `/toolkit agents forget ${name}`,
		});
	}

	function forget(name: string): Answer {
		const forgotten = writeQuestions.forget(name);
		const shown = inOneLine(name);
		if (forgotten === 0) return { problem: `You have said nothing about whether ${shown} may write.` };
		return [`Forgotten. You are asked again whether ${shown} may write.`];
	}
}

/** What this session knows about the tools that its agents would get. */
export function toolSurroundings(pi: ExtensionAPI, ctx: ExtensionContext, questions: WriteQuestions): ToolSurroundings {
	return {
		config: configFor(ctx).config,
		pi: { active: activeTools(pi, ctx), known: knownTools(pi, ctx) },
		consent: (agent) => questions.consent(ctx, agent),
		writing: (agent) => questions.writing(agent),
	};
}
