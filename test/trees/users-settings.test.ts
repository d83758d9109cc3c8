import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { repositoryIn, textsIn, useGround, write } from "./repos.ts";

const ground = useGround();
afterEach(() => {
	vi.unstubAllEnvs();
});

test("an ignore file that the user's own settings name counts even if subagents may not see it", async () => {
	const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
	const settings = ground.folder();
	write(settings, { ignore: "*.tmp\n", config: `[core]\n\texcludesFile = ${join(settings, "ignore")}\n` });
	vi.stubEnv("GIT_CONFIG_GLOBAL", join(settings, "config"));
	write(main, { "x.tmp": "x" });
	const { path } = await ground.tree(main, { hidden: [settings] });
	expect(textsIn(path)).toEqual({ a: "a\n" });
});

test.each(["--global", "--local"])(
	"a user whose %s settings name /dev/null gets a tree without those rules",
	async (scope) => {
		const main = repositoryIn(join(ground.folder(), "p"), { a: "a\n" });
		vi.stubEnv("GIT_CONFIG_GLOBAL", join(ground.folder(), "config"));
		for (const name of ["core.excludesFile", "core.attributesFile"]) {
			execFileSync("git", ["config", scope, name, "/dev/null"], { cwd: main });
		}
		write(main, { "x.tmp": "x" });
		const { path } = await ground.tree(main);
		expect(textsIn(path)).toEqual({ a: "a\n", "x.tmp": "x" });
	},
);
