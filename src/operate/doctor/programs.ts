import { join } from "node:path";
import { type Check, type Examination, pass } from "./check.ts";
import { onPath } from "./on-path.ts";
import { whyToolFails } from "./try-program.ts";

/** The programs that pi's own tools start. If one is missing, pi downloads it; if it may not, the tool does not work. */
const PROGRAMS_OF_PI = [
	{ tool: "grep", names: ["rg"], package: "ripgrep" },
	{ tool: "find", names: ["fd", "fdfind"], package: "fd (fd-find)" },
] as const;

export const checkPrograms: Check = {
	name: "programs",
	async *run({ sources, signal }) {
		for (const { tool, names, package: provider } of PROGRAMS_OF_PI) {
			// The folder where pi keeps its downloads.
			const found = onPath(names, sources.env, [join(sources.agentDir, "bin")]);
			if (found !== undefined) {
				const why = await whyToolFails(tool, found, { env: sources.env, signal });
				if (why === undefined) yield pass(`${tool} works with ${names[0]}`, found);
				else
					yield {
						level: "fail",
						what: `pi's ${tool} tool does not work with the ${names[0]} that is installed`,
						detail: `${found}: ${why}\n${usedBy(tool, sources)}`,
						remedy: `Install a newer ${provider}, or remove it and let pi download its own.`,
					};
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
