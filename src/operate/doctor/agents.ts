import type { AgentCatalog } from "../../agents/discover.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { plural } from "../../run/amounts.ts";
import { nearest } from "../../run/nearest.ts";
import { type Check, type Finding, pass } from "./check.ts";
import { problemOf } from "./problem.ts";

export const checkAgents: Check = {
	name: "agents",
	*run({ sources: { catalog, config } }) {
		yield* catalog.diagnostics.map(problemOf);
		yield* unknownDisabled(catalog, config);
		const count = (source: string) => catalog.agents.filter((agent) => agent.source === source).length;
		const from = [`${count("builtin")} built in`, `${count("user")} of yours`, `${count("project")} of this project`];
		if (catalog.agents.length === 0) {
			yield {
				level: "fail",
				what: "No agents were found",
				remedy: "Install pi-geon again: its built-in agents are missing.",
			};
		} else yield pass(`${plural(catalog.agents.length, "agent")}: ${from.join(", ")}`);
	},
};

/** An agent that was disabled under a wrong name is still enabled. */
function unknownDisabled({ agents }: AgentCatalog, { config, files }: LoadedConfig): Finding[] {
	const names = agents.map(({ name }) => name);
	return config.subagents.disabled
		.filter((name) => !names.includes(name))
		.map((name) => {
			const meant = nearest(name, names);
			return {
				level: "warn",
				what: `subagents.disabled names an agent that does not exist here: ${name}`,
				detail: files.join(", "),
				remedy:
					meant === undefined
						? "Correct the name, or leave it if another project has that agent."
						: `Did you mean ${meant}?`,
			};
		});
}
