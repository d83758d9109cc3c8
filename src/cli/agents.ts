import { agentsReport } from "../operate/report/agents.ts";
import type { Command } from "./command.ts";
import { agentDir, catalogFor } from "./surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

export const agents: Command = {
	name: "agents",
	takes: "",
	does: "the agents there are here, where they come from, and what is wrong with their files",
	words: [0, 0],
	options: {},
	run({ out }) {
		const cwd = process.cwd();
		const isTrusted = trustOnFile(agentDir(), cwd) === true;
		const catalog = catalogFor(cwd, { includeProject: isTrusted });
		const hidden = isTrusted ? 0 : countOfProject(cwd);
		if (out.isJson) out.document({ ...catalog, untrusted: hidden });
		else {
			out.lines(agentsReport(catalog, { width: out.width }));
			if (hidden > 0)
				out.lines(["", `Not shown: ${hidden} of this project, which nobody decided to trust (/trust in pi).`]);
		}
		return catalog.diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
	},
};

const countOfProject = (cwd: string): number =>
	[catalogFor(cwd, { includeProject: true })]
		.flatMap((catalog) => [...catalog.agents, ...catalog.overridden])
		.filter(({ source }) => source === "project").length;
