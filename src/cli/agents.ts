import { agentsReport } from "../operate/report/agents.ts";
import type { Command } from "./command.ts";
import { agentDir } from "./surroundings.ts";
import { trustOnFile } from "./trust-on-file.ts";

export const agents: Command = {
	name: "agents",
	takes: "",
	does: "the agents there are here, where they come from, and what is wrong with their files",
	words: [0, 0],
	options: {},
	seesToConfig: true,
	async run({ out }) {
		const { catalogFor } = await import("./catalog.ts");
		const cwd = process.cwd();
		const isTrusted = trustOnFile(agentDir(), cwd) === true;
		const catalog = catalogFor(cwd, { includeProject: isTrusted });
		const all = isTrusted ? catalog : catalogFor(cwd, { includeProject: true });
		const ofProject = [...all.agents, ...all.overridden].filter(({ source }) => source === "project");
		const hidden = isTrusted ? 0 : ofProject.length;
		if (out.isJson) out.document({ ...catalog, untrusted: hidden });
		else {
			out.lines(agentsReport(catalog, { width: out.width }));
			if (hidden > 0)
				out.lines(["", `Not shown: ${hidden} of this project, which nobody decided to trust (/trust in pi).`]);
		}
		return catalog.diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
	},
};
