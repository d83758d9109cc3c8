import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { useScratch } from "../agents/scratch.ts";

const scratch = useScratch();

/** The configuration with a user's file and that of a project which the user trusts. */
function load(user: string, project: string) {
	const files = scratch();
	files.write("user.json", user);
	files.write("project.json", project);
	return loadConfig({ userFile: files.path("user.json"), projectFile: files.path("project.json") });
}

/** What a project could spend the user's money with. */
const COSTLY: [
	key: string,
	user: string,
	project: string,
	read: (config: ReturnType<typeof load>["config"]) => unknown,
][] = [
	[
		"agents.defaults.subagents.model",
		"{}",
		'{ agents: { defaults: { subagents: { model: "dear/model" } } } }',
		({ agents }) => agents.defaults.subagents.model,
	],
	[
		"agents.defaults.subagents.thinking",
		'{ agents: { defaults: { subagents: { thinking: "low" } } } }',
		'{ agents: { defaults: { subagents: { thinking: "max" } } } }',
		({ agents }) => agents.defaults.subagents.thinking,
	],
	[
		"headless.drainSeconds",
		"{ headless: { drainSeconds: 10 } }",
		"{ headless: { drainSeconds: 3000 } }",
		({ headless }) => headless.drainSeconds,
	],
	[
		"subagents.retry.maxAttempts",
		"{ subagents: { retry: { maxAttempts: 1 } } }",
		"{ subagents: { retry: { maxAttempts: 9 } } }",
		({ subagents }) => subagents.retry.maxAttempts,
	],
];

test.each(COSTLY)("a trusted project cannot raise %s, and the user is told", (key, user, project, read) => {
	const { config, diagnostics } = load(user, project);
	expect(read(config)).toEqual(read(load(user, "{}").config));
	expect(diagnostics.map((diagnostic) => diagnostic.key)).toContain(key);
});
