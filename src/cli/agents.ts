import { agentsReport } from "../operate/report/agents.ts";
import { WriteConsents } from "../operate/write-consents.ts";
import type { Command, ExitCode } from "./command.ts";
import type { Output } from "./output.ts";
import { isInsideSubagent, ONLY_LOOKS, places } from "./surroundings.ts";

export const agents: Command = {
	name: "agents",
	takes: "[forget <name>]",
	does: "list the agents available in this folder, the tools each one gets, and problems in their files; with forget, withdraw an agent's permission to write",
	words: [0, 2],
	options: {},
	checksConfig: true,
	async run({ words, out }) {
		const [word, name] = words;
		if (word === undefined) return showAgents(out);
		if (word !== "forget" || name === undefined) return out.misused("Usage: pi-geon agents [forget <name>]");
		return forget(name, out);
	},
};

async function showAgents(out: Output): Promise<ExitCode> {
	const { agentsHere } = await import("./agents-here.ts");
	const { catalog, untrusted, ...options } = await agentsHere(process.cwd());
	if (out.isJson) {
		const { toolsHere, modelHere } = options;
		const listed = catalog.agents.map((agent) => ({
			...agent,
			here: { ...toolsHere(agent), model: modelHere(agent) },
		}));
		out.document({ ...catalog, agents: listed, untrusted });
	} else {
		out.lines(agentsReport(catalog, { width: out.width, ...options }));
		if (untrusted > 0)
			out.lines([
				"",
				`Not shown: ${untrusted} of this project, because the project is not trusted. Trust it with /trust in pi.`,
			]);
	}
	return catalog.diagnostics.some(({ severity }) => severity === "error") ? 1 : 0;
}

/** Removes the recorded answer only: open sessions keep theirs. */
function forget(name: string, out: Output): ExitCode {
	if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
	const forgotten = new WriteConsents(places().writeConsents).forget(name);
	if (forgotten === 0) return out.failed(`You have not decided whether ${name} may write.`);
	if (out.isJson) out.document({ status: "ok", forgotten });
	else out.lines([`Forgotten. pi will ask again whether ${name} may write.`]);
	return 0;
}
