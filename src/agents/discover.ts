import { type Diagnostic, whereAndWhat } from "../run/diagnostic.ts";
import { ReadingBudget } from "./budget.ts";
import { builtinAgents } from "./builtin.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import { type FolderContent, readFolder, type UnusableAgent } from "./folder.ts";
import { type AgentFolder, projectFolders, userFolders } from "./project-folders.ts";

export interface AgentCatalog {
	/** One for each name: the built-in names first, in the order of the contract, then the others by name. */
	agents: AgentDefinition[];
	/** Agents that are overridden by another of the same name. */
	overridden: AgentDefinition[];
	unusable: UnusableAgent[];
	diagnostics: Diagnostic[];
	/** The catalog with the project's agents of this name, if those are read only on demand. */
	lookUp?: (name: string) => AgentCatalog;
}

export interface AgentPlaces {
	cwd: string;
	/** Inside the package, so that an `agents/` folder in a repository has no effect. */
	builtinDir: string;
	userDir: string;
	homeDir: string;
	/** `when asked`: only the files that may define a requested name. For a project that is not trusted. */
	includeProject: boolean | "when asked";
}

/** The catalog that includes the agents of this name. */
export const catalogFor = (catalog: AgentCatalog, name: string): AgentCatalog => catalog.lookUp?.(name) ?? catalog;

const BUILTIN_ORDER = ["explorer", "researcher", "reviewer", "implementer", "tester", "worker"];

export function discoverAgents({ cwd, builtinDir, userDir, homeDir, includeProject }: AgentPlaces): AgentCatalog {
	const ours = [readFolders(userFolders(userDir, homeDir), "user"), builtinAgents(builtinDir)];
	const project = (named?: string) => readFolders(projectFolders(cwd, homeDir), "project", named);
	if (includeProject !== "when asked") return merge([...(includeProject ? [project()] : []), ...ours]);
	return {
		...merge(ours),
		lookUp: onceForEach((name) => {
			const asked = project(name);
			return merge([asked, ...ours].map((content) => withWarnings(content, name, asked.incomplete)));
		}),
	};
}

function onceForEach<Value>(find: (name: string) => Value): (name: string) => Value {
	const found = new Map<string, Value>();
	return (name) => {
		const known = found.get(name) ?? find(name);
		found.set(name, known);
		return known;
	};
}

/** Adds warnings to the agents: the diagnostics of such a project are not shown, and a file may have been missed. */
const withWarnings = (
	content: FolderContent,
	asked: string,
	incomplete: readonly Diagnostic[] = [],
): FolderContent => ({
	...content,
	agents: content.agents.map((agent) =>
		agent.name === asked ? { ...agent, warnings: [...agent.warnings, ...incomplete.map(whereAndWhat)] } : agent,
	),
});

/** Each source has its own budget, so that none uses up another's. */
function readFolders(folders: readonly AgentFolder[], source: AgentSource, named?: string): SourceContent {
	const budget = new ReadingBudget();
	const reading = { source, budget, ...(named !== undefined && { named }) };
	const contents = folders.map((folder) => readFolder(folder, reading));
	return {
		agents: contents.flatMap(({ agents }) => agents),
		unusable: contents.flatMap(({ unusable }) => unusable),
		diagnostics: [...contents.flatMap(({ diagnostics }) => diagnostics), ...budget.diagnostics],
		incomplete: budget.diagnostics,
	};
}

interface SourceContent extends FolderContent {
	/** The limits that kept files from being read. */
	incomplete: Diagnostic[];
}

/** Merges contents. Earlier ones take precedence. */
function merge(contents: readonly FolderContent[]): AgentCatalog {
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

function inListOrder(a: AgentDefinition, b: AgentDefinition): number {
	return rank(a) - rank(b) || (a.name < b.name ? -1 : Number(a.name > b.name));
}

function rank({ name }: AgentDefinition): number {
	const index = BUILTIN_ORDER.indexOf(name);
	return index === -1 ? BUILTIN_ORDER.length : index;
}
