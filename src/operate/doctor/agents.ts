import { plural } from "../../run/amounts.ts";
import { type Check, pass } from "./check.ts";
import { problemOf } from "./problem.ts";

export const checkAgents: Check = {
	name: "agents",
	*run({ sources: { catalog } }) {
		yield* catalog.diagnostics.map(problemOf);
		const count = (source: string) => catalog.agents.filter((agent) => agent.source === source).length;
		const from = [`${count("builtin")} built in`, `${count("user")} of yours`, `${count("project")} of this project`];
		if (catalog.agents.length === 0) {
			yield { level: "fail", what: "There is no agent at all", remedy: "Install pi-geon again: its own are missing." };
		} else yield pass(`${plural(catalog.agents.length, "agent")}: ${from.join(", ")}`);
	},
};
