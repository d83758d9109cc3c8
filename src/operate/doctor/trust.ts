import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectFolders } from "../../agents/project-folders.ts";
import { type Check, pass } from "./check.ts";
import { namesIn } from "./names-in.ts";

/** Whether the files that a project brings are used. */
export const checkTrust: Check = {
	name: "trust",
	*run({ sources: { cwd, homeDir, isTrusted } }) {
		const folders = projectFolders(cwd, homeDir).filter(({ path }) => hasAgents(path));
		const config = join(cwd, ".pi", "pi-geon.json");
		const brought = [...folders.map(({ path }) => path), ...(existsSync(config) ? [config] : [])];
		if (brought.length === 0) yield pass("This project brings no agents and no settings of its own");
		else if (isTrusted) yield pass("This project is trusted", brought.join(", "));
		else {
			yield {
				level: "warn",
				what: "This project is not trusted: pi asks you before its agents run, and does not use its settings",
				detail: brought.join(", "),
				remedy: "Read them, then trust the project with /trust in pi.",
			};
		}
	},
};

/** False for a file of that name, which is not a mistake either. */
const hasAgents = (folder: string): boolean => namesIn(folder).some((name) => name.endsWith(".md"));
