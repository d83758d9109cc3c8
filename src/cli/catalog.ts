import { homedir } from "node:os";
import { join } from "node:path";
import { type AgentCatalog, type AgentPlaces, discoverAgents } from "../agents/discover.ts";
import { packageRoot } from "../config/package-root.ts";
import { agentDir } from "./surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

/** The agents of a directory. Load this on demand: the code that reads agents is larger than all the rest. */
export const agentsIn = (cwd: string, { includeProject }: Pick<AgentPlaces, "includeProject">): AgentCatalog =>
	discoverAgents({
		cwd,
		builtinDir: join(packageRoot(), "agents"),
		userDir: join(agentDir(), "agents"),
		homeDir: homedir(),
		includeProject,
	});

/** The names of agents that may be used here, without those of a project that the user has not decided to trust. */
export function agentNamesHere(): string[] {
	const cwd = process.cwd();
	const includeProject = trustOnFile(agentDir(), cwd) === true;
	return agentsIn(cwd, { includeProject }).agents.map(({ name }) => name);
}
