import { isExecutable } from "../../config/is-executable.ts";
import { hookFor } from "../../plan/hooks.ts";
import { type Check, type Finding, pass } from "./check.ts";

/** Whether the programs of the hooks exist. Does not run them, since only the user knows what they do. */
export const checkHooks: Check = {
	name: "hooks",
	*run({ sources: { config, agentDir, cwd, env } }) {
		for (const name of ["start", "stop"] as const) {
			const hook = hookFor(name, { config: config.config, agentDir, cwd, path: env.PATH });
			if (!hook) continue;
			const remedy = `Correct subagents.hooks.${name} in pi-geon.json.`;
			const broken = (why: string): Finding => ({
				level: "fail",
				what: `The ${name} hook cannot be run: ${why}`,
				remedy,
			});
			if ("problem" in hook) {
				yield broken(hook.problem);
				continue;
			}
			const [program = ""] = hook.command;
			if (isExecutable(program)) yield pass(`The program of the ${name} hook exists`, program);
			else yield broken(`${program} is not a program that you may run`);
		}
	},
};
