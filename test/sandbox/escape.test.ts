import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { ATTEMPTS, type Attempt, MUST_WORK } from "./attempts.ts";
import { makeUser, newScratch, startRunner, type Trial, tryAll } from "./trials.ts";
import { giveTo, makeWorld, SECRET, type TestUser, type World } from "./world.ts";

const isRoot = process.getuid?.() === 0;
const ordinary = isRoot ? makeUser(`pg${randomBytes(3).toString("hex")}`) : undefined;
afterAll(() => ordinary?.remove());

const USERS: [string, TestUser | undefined][] = isRoot
	? [
			["root", undefined],
			["an ordinary user", ordinary?.user],
		]
	: [["an ordinary user", undefined]];

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

async function openWorld(user: TestUser | undefined): Promise<World> {
	const scratch = newScratch();
	closers.push(() => rmSync(scratch, { recursive: true, force: true }));
	const home = join(scratch, "home");
	const places = { scratch, home, agentDir: join(home, ".pi", "agent"), project: join(scratch, "project") };
	for (const folder of [...Object.values(places), join(scratch, "tmp"), join(scratch, "tree")]) {
		mkdirSync(folder, { recursive: true });
	}
	chmodSync(scratch, 0o755);
	const world = await makeWorld({ id: randomBytes(6).toString("hex"), ...places }, user);
	closers.push(world.close);
	return world;
}

type Scope = "off" | "none" | "worktree";

async function runnerIn(world: World, scope: Scope, user: TestUser | undefined) {
	const tree = join(world.scratch, "tree");
	const ring = {
		cwd: world.project,
		writable: scope === "worktree" ? [tree] : [],
		readable: [world.project],
		hidden: [world.agentDir, world.private],
		scratch: join(world.agentDir, "pi-geon", "scratch", "own-session"),
		network: "off" as const,
		sockets: false,
		env: [],
	};
	const env = {
		PATH: process.env.PATH ?? "",
		HOME: world.home,
		TMPDIR: join(world.scratch, "tmp"),
		WORLD_API_KEY: SECRET,
		PI_CODING_AGENT_DIR: world.agentDir,
	};
	if (user) giveTo(user, world.scratch);
	const runner = await startRunner({ cwd: world.project, ...(scope !== "off" && { ring }) }, { user, env });
	closers.push(runner.stop);
	return runner;
}

const named = (trials: readonly Trial[]): string[] =>
	trials.map(({ boundary, name, said }) => `${boundary}: ${name}: ${said.slice(0, 300)}`);

const possible = (user: TestUser | undefined): readonly Attempt[] =>
	ATTEMPTS.filter(({ asRoot }) => !asRoot || (isRoot && user === undefined));

test("there are enough attempts, of every kind, each with a name of its own", () => {
	expect(ATTEMPTS.length).toBeGreaterThan(80);
	expect(new Set(ATTEMPTS.map(({ name }) => name)).size).toBe(ATTEMPTS.length);
	expect([...new Set(ATTEMPTS.map(({ boundary }) => boundary))].sort()).toEqual([
		...["descriptors", "git", "hard links", "mounts and namespaces", "network", "processes", "reads of secrets"],
		...["sockets", "symlinks", "terminal", "writes"],
	]);
});

describe.each(USERS)("tools in a ring, as %s", (_name, user) => {
	test.each(["none", "worktree"] as const)("reach nothing outside; where they may write: %s", async (scope) => {
		const world = await openWorld(user);
		const { make } = await runnerIn(world, scope, user);
		const trials = await tryAll(world, ATTEMPTS, make);
		expect(named(trials.filter(({ held }) => !held))).toEqual([]);
	});

	test("can still do their work", async () => {
		const world = await openWorld(user);
		const { make } = await runnerIn(world, "worktree", user);
		const failed: string[] = [];
		for (const { name, call, worked } of MUST_WORK) {
			const said = await make(call(world));
			if (!worked(world, said)) failed.push(`${name}: ${said.slice(0, 300)}`);
		}
		const inTree = join(world.scratch, "tree", "made", "here");
		const wrote = await make({ tool: "write", args: { path: inTree, content: "x" } });
		expect(wrote).toContain("Success");
		expect(await make({ tool: "bash", args: { command: `cat ${inTree}` } })).toContain("x");
		expect(failed).toEqual([]);
	});

	test("without a ring most of them get through", async () => {
		const world = await openWorld(user);
		const { make } = await runnerIn(world, "off", user);
		const attempts = possible(user).filter(({ onlyInRing }) => !onlyInRing);
		const trials = await tryAll(world, attempts, make);
		const through = trials.filter(({ held }) => !held);
		expect(through.length / trials.length).toBeGreaterThan(0.75);
	});
});
