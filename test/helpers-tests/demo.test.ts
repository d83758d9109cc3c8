import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

/** On a machine where pi was never set up: no agent directory, no key. */
function startDemo(home: Home, ...args: string[]): ChildProcess {
	return spawn(process.execPath, [join(repositoryRoot, "demo", "delegate.ts"), ...args], {
		cwd: home.project,
		env: { ...home.env, PI_CODING_AGENT_DIR: undefined, HOME: join(home.scratch, "nobody"), NO_COLOR: "1" },
		stdio: ["ignore", "pipe", "inherit"],
	});
}

test("the demo delegates, quotes what is really in the source, and leaves nothing", async () => {
	const home = await openHome({ extension: false });
	const demo = startDemo(home);
	const [story, [code]] = await Promise.all([demo.stdout ? text(demo.stdout) : "", once(demo, "exit")]);
	expect(story).toContain("grep pattern=registerTool path=src");
	const quoted = /Registered in (\S+), line (\d+) of/.exec(story.replaceAll(/\s+/g, " "));
	const line = readFileSync(join(repositoryRoot, quoted?.[1] ?? ""), "utf8").split("\n")[Number(quoted?.[2]) - 1];
	expect(line).toMatch(/registerTool\(.*subagent/i);
	expect(story).toContain("**Status:** SUCCESS");
	expect(story).toMatch(/host +(process \d+, ended by itself|already gone)/);
	expect(story).not.toContain("\x1b");
	expect(code).toBe(0);
	expect(readdirSync(home.temp).filter((name) => name.startsWith("pgd-"))).toEqual([]);
	expect(readdirSync(home.scratch)).not.toContain("nobody");
});

longTest("an interrupted demo takes the child with it, which would otherwise live on", async () => {
	const home = await openHome({ extension: false });
	const demo = startDemo(home, "--offline");
	const childWorks = new Promise<boolean>((resolve) => {
		demo.stdout?.on("data", (bytes) => String(bytes).includes("│ ls") && resolve(true));
		demo.once("exit", () => resolve(false));
	});
	expect(await childWorks).toBe(true);
	demo.kill("SIGINT");
	expect(await once(demo, "exit")).toEqual([130, null]);
	expect(readdirSync(home.temp).filter((name) => name.startsWith("pgd-"))).toEqual([]);
});
