import type { Diagnostic } from "../run/diagnostic.ts";
import { builtinAgents } from "./builtin.ts";
import type { AgentDefinition } from "./definition.ts";
import { type FolderContent, readFolder, type UnusableAgent } from "./folder.ts";
import { projectFolders } from "./project-folders.ts";

export interface AgentCatalog {
	/** One for each name: the built-in names first, in the order of the contract, then the others by name. */
	agents: AgentDefinition[];
	/** Agents that another of the same name takes precedence over. */
	overridden: AgentDefinition[];
	unusable: UnusableAgent[];
	diagnostics: Diagnostic[];
}

export interface AgentPlaces {
	cwd: string;
	/** Inside the package, so that a repository with an `agents/` folder of its own changes nothing. */
	builtinDir: string;
	userDir: string;
	homeDir: string;
	includeProject: boolean;
}

const BUILTIN_ORDER = ["explorer", "researcher", "reviewer", "implementer", "tester"];

export function discoverAgents(where: AgentPlaces): AgentCatalog {
	const contents = readInOrderOfPrecedence(where);
	const winners = new Map<string, AgentDefinition>();
	const overridden: AgentDefinition[] = [];
	for (const agent of contents.flatMap(({ agents }) => agents)) {
		if (winners.has(agent.name)) overridden.push(agent);
		else winners.set(agent.name, agent);
	}
	return {
		agents: [...winners.values()].sort(inListOrder),
		overridden: overridden.sort(inListOrder),
		unusable: contents.flatMap(({ unusable }) => unusable),
		diagnostics: contents.flatMap(({ diagnostics }) => diagnostics),
	};
}

function readInOrderOfPrecedence({ cwd, builtinDir, userDir, homeDir, includeProject }: AgentPlaces): FolderContent[] {
	const project = includeProject ? projectFolders(cwd, homeDir) : [];
	return [
		...project.map((folder) => readFolder(folder, "project")),
		readFolder({ path: userDir, shared: false }, "user"),
		builtinAgents(builtinDir),
	];
}

function inListOrder(a: AgentDefinition, b: AgentDefinition): number {
	return rank(a) - rank(b) || (a.name < b.name ? -1 : Number(a.name > b.name));
}

function rank({ name }: AgentDefinition): number {
	const index = BUILTIN_ORDER.indexOf(name);
	return index === -1 ? BUILTIN_ORDER.length : index;
}
