import type { AgentDefinition } from "../agents/definition.ts";
import type { AgentCatalog } from "../agents/discover.ts";
import { modelInShell } from "../operate/model-here.ts";
import type { AgentsOptions } from "../operate/report/agents.ts";
import { toolsHere, withKernel } from "../operate/tools-here.ts";
import { agentsIn } from "./catalog.ts";
import { agentDir } from "./surroundings.ts";
import { toolsOnFile } from "./tool-surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

export interface AgentsOfFolder extends Omit<AgentsOptions, "width"> {
	catalog: AgentCatalog;
	isTrusted: boolean;
	/** How many agents of the project are left out because it is not trusted. */
	untrusted: number;
}

/** The agents of a folder, and what is known about each outside pi. */
export async function agentsHere(cwd: string): Promise<AgentsOfFolder> {
	const isTrusted = trustOnFile(agentDir(), cwd) === true;
	const catalog = agentsIn(cwd, { includeProject: isTrusted });
	const all = isTrusted ? catalog : agentsIn(cwd, { includeProject: true });
	const ofProject = [...all.agents, ...all.overridden].filter(({ source }) => source === "project");
	const surroundings = await withKernel(toolsOnFile(cwd));
	return {
		catalog,
		isTrusted,
		untrusted: isTrusted ? 0 : ofProject.length,
		toolsHere: (agent: AgentDefinition) => toolsHere(agent, surroundings),
		modelHere: (agent: AgentDefinition) => modelInShell(agent, surroundings.config),
		howToForget: ({ name }) => `pi-geon agents forget ${name}`,
	};
}
