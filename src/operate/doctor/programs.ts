import { join } from "node:path";
import { type Check, type Examination, pass } from "./check.ts";
import { onPath } from "./on-path.ts";

/** What pi's own tools start: where it is missing, pi downloads it if it may, and else the tool answers nothing of use. */
const PROGRAMS_OF_PI = [
	{ tool: "grep", names: ["rg"], package: "ripgrep" },
	{ tool: "find", names: ["fd", "fdfind"], package: "fd (fd-find)" },
] as const;

export const checkPrograms: Check = {
	name: "programs",
	*run({ sources }) {
		for (const { tool, names, package: provider } of PROGRAMS_OF_PI) {
			// The folder where pi keeps what it downloaded.
			const found = onPath(names, sources.env, [join(sources.agentDir, "bin")]);
			if (found !== undefined) {
				yield pass(`${tool} has ${names[0]}`, found);
				continue;
			}
			yield {
				level: "warn",
				what: `${names[0]} is missing, which pi's ${tool} tool needs`,
				detail: `${usedBy(tool, sources)} ${download(sources.env)}`,
				remedy: `Install ${provider}.`,
			};
		}
	},
};

function usedBy(tool: string, { catalog }: Examination["sources"]): string {
	const agents = catalog.agents.filter(({ tools }) => tools.kind === "only" && tools.names.includes(tool));
	return agents.length === 0 ? "No agent names it." : `Used by ${agents.map(({ name }) => name).join(", ")}.`;
}

const download = ({ PI_OFFLINE }: NodeJS.ProcessEnv): string =>
	PI_OFFLINE ? "PI_OFFLINE is set, so pi does not download it." : "pi tries to download it at the first use.";
