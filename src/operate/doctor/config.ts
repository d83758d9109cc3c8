import { existsSync } from "node:fs";
import { join } from "node:path";
import { principalDirs } from "../../config/principal-dirs.ts";
import { type Check, pass } from "./check.ts";
import { problemOf } from "./problem.ts";

export const checkConfig: Check = {
	name: "configuration",
	*run({ sources: { config, agentDir } }) {
		const { files, diagnostics } = config;
		yield* diagnostics.map(problemOf);
		if (diagnostics.length === 0) {
			const where = files.length === 0 ? `none; it would be ${join(agentDir, "pi-geon.json")}` : files.join(", ");
			yield pass("The configuration is fine", where);
		}
		if (!config.config.subagents.enabled) {
			yield { level: "warn", what: "subagents.enabled is false", remedy: "Set it to true if you want subagents." };
		}
		for (const dir of principalDirs(config.config).filter((dir) => !existsSync(dir))) {
			yield {
				level: "warn",
				what: `The directory of an agentId does not exist: ${dir}`,
				remedy: "Correct agentDir in agents.list of pi-geon.json, or create the directory.",
			};
		}
	},
};
