import { join } from "node:path";
import { ReadingBudget } from "./budget.ts";
import type { AgentDefinition } from "./definition.ts";
import { type FolderContent, readFolder } from "./folder.ts";

/** The build replaces this name with the content of `agents/` as JSON, so that no start of pi has to read it. */
declare const BUILTIN_AGENTS: string | undefined;

const built = typeof BUILTIN_AGENTS === "undefined" ? undefined : (JSON.parse(BUILTIN_AGENTS) as AgentDefinition[]);

export function builtinAgents(dir: string): FolderContent {
	if (built === undefined) return readBuiltinFolder(dir);
	return { agents: built.map((agent) => ({ ...agent, file: join(dir, agent.file) })), unusable: [], diagnostics: [] };
}

export const readBuiltinFolder = (dir: string): FolderContent =>
	readFolder({ path: dir, subfolders: false }, { source: "builtin", budget: new ReadingBudget() });
