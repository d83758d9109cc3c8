import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterEach, describe, expect, test } from "vitest";
import { placesIn } from "../../src/ledger/places.ts";
import { newHostId } from "../../src/run/ids.ts";
import { inHostRing, type StartCommand } from "../../src/supervise/host-ring.ts";
import { longTest } from "../helpers/long-test.ts";
import { repositoryRoot, toolFolders } from "../helpers/repository.ts";
import { isShare } from "../helpers/share.ts";
import { ATTEMPTS, type Attempt, type Call, MUST_WORK, SEARCHES } from "./attempts.ts";
import { newScratch, startRunner, type Trial, tenOf, tryAll, useUsers } from "./trials.ts";
import { giveTo, makeWorld, SECRET, type TestUser, type World } from "./world.ts";

const isRoot = process.getuid?.() === 0;
const USERS = useUsers();

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

async function openWorld(user: TestUser | undefined): Promise<World> {
	const scratch = newScratch();
	closers.push(() => rmSync(scratch, { recursive: true, force: true }));
	const home = join(scratch, "home");
	const places = { scratch, home, agentDir: join(home, ".pi", "agent"), project: join(scratch, "project") };
	for (const folder of [...Object.values(places), join(scratch, "tmp"), treeIn({ home })]) {
		mkdirSync(folder, { recursive: true });
	}
	chmodSync(scratch, 0o755);
	const world = await makeWorld({ id: randomBytes(6).toString("hex"), ...places }, user);
	closers.push(world.close);
	return world;
}

/** Where trees are: hosts can write there. */
const treeIn = ({ home }: Pick<World, "home">): string => join(home, ".pi", "subagent-worktrees", "tree");

type Scope = "off" | "none" | "worktree";

interface RunnerSetup {
	scope: Scope;
	user: TestUser | undefined;
	/** Also in the ring that hosts have. */
	asHost?: boolean;
}

async function runnerIn(world: World, { scope, user, asHost = false }: RunnerSetup) {
	const tree = treeIn(world);
	const ring = {
		cwd: world.project,
		writable: scope === "worktree" ? [tree] : [],
		readable: [
			world.project,
			join(world.agentDir, "bin"),
			placesIn(world.agentDir).ringed.ownPrograms,
			// A checkout of this project below /tmp is not there in a ring, and this is to be read there.
			...(world.outside.startsWith("/tmp/") ? [world.outside] : []),
		],
		hidden: [world.agentDir, world.private],
		scratch: join(world.agentDir, "pi-geon", "scratch", "own-session"),
		network: "off" as const,
		sockets: false,
		env: [],
	};
	const env = {
		PATH: [programsElsewhere(), ...toolFolders, process.env.PATH ?? ""].join(delimiter),
		HOME: world.home,
		TMPDIR: join(world.scratch, "tmp"),
		WORLD_API_KEY: SECRET,
		PI_CODING_AGENT_DIR: world.agentDir,
	};
	// Of the two programs that search, one is where pi keeps its own, and one on the PATH.
	mkdirSync(join(world.agentDir, "bin"), { recursive: true });
	cpSync(join(repositoryRoot, "test", "children", "fd.sh"), join(world.agentDir, "bin", "fd"));
	const around = (start: StartCommand): StartCommand => {
		const ringed = asHost ? asTheirHost(world, start, user) : start;
		if (user) giveTo(user, world.scratch);
		return ringed;
	};
	const runner = await startRunner({ cwd: world.project, ...(scope !== "off" && { ring }) }, { user, env, around });
	closers.push(runner.stop);
	return runner;
}

/** A folder with ripgrep outside of this repository: worlds are inside it, and no program of a project searches. */
function programsElsewhere(): string {
	const folder = mkdtempSync(join(tmpdir(), "pi-geon-programs-"));
	closers.push(() => rmSync(folder, { recursive: true, force: true }));
	chmodSync(folder, 0o755);
	cpSync(rgPath, join(folder, "rg"));
	return folder;
}

function asTheirHost(world: World, start: StartCommand, user: TestUser | undefined): StartCommand {
	const places = placesIn(world.agentDir);
	const id = newHostId();
	const host = { id, profile: { digest: "" }, state: "starting", socket: places.socket(id), leaseUntil: 0 } as const;
	const profile = {
		digest: "",
		command: [],
		env: {},
		agentDir: world.agentDir,
		hostEntry: "",
		ring: { principals: [] },
	};
	const { command, env } = inHostRing(host, start, { places, profile });
	// It was made by root, but is for somebody who keeps their own number.
	const own = (word: string) => (user ? word.replaceAll("'--uid' '1000' '--gid' '1000' ", "") : word);
	return { command: command.map(own), env };
}

/** What the tools that search do not find, in a ring that shows it. */
async function searches(world: World, make: (call: Call) => Promise<string>): Promise<string[]> {
	const wanted: [Call, RegExp][] = [
		[{ tool: "grep", args: { pattern: "anybody", path: world.outside } }, /read-me:1:/],
		[{ tool: "find", args: { pattern: "edit.txt" } }, /edit\.txt/],
		// Of the user's own, whatever stands in for them.
		[{ tool: "bash", args: { command: "rg --version" } }, /ripgrep/],
		[{ tool: "bash", args: { command: `${join(world.agentDir, "bin", "fd")} edit.txt .` } }, /edit\.txt/],
	];
	const answers: [string, RegExp][] = [];
	for (const [call, found] of wanted) answers.push([await make(call), found]);
	return answers.filter(([said, found]) => !found.test(said)).map(([said]) => said);
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

describe.each(USERS)("tools in a ring, as %s", (name, userOf) => {
	const isOther = isRoot && name !== "root";
	// In `npm test` each user tries one of the ways to be kept in.
	const scopes = (["none", "worktree"] as const).filter((scope) => !isShare || (scope === "none") === isOther);
	test.each(scopes)("reach nothing outside; where they may write: %s", async (scope) => {
		const user = userOf();
		const world = await openWorld(user);
		const { make } = await runnerIn(world, { scope, user });
		const trials = await tryAll(world, ATTEMPTS, make);
		expect(named(trials.filter(({ held }) => !held))).toEqual([]);
	});

	(isRoot && !isOther ? longTest : test)("in the ring of a host, searches reach nothing either", async () => {
		const user = userOf();
		const world = await openWorld(user);
		const { make } = await runnerIn(world, { scope: "none", user, asHost: true });
		const trials = await tryAll(world, [...ATTEMPTS, ...SEARCHES], make);
		expect(named(trials.filter(({ held }) => !held))).toEqual([]);
	});

	test.each([false, true])("can still do their work; in the ring of a host: %s", async (asHost) => {
		const user = userOf();
		const world = await openWorld(user);
		const { make } = await runnerIn(world, { scope: "worktree", user, asHost });
		const failed: string[] = [];
		for (const { name, call, worked } of MUST_WORK) {
			const said = await make(call(world));
			if (!worked(world, said)) failed.push(`${name}: ${said.slice(0, 300)}`);
		}
		const inTree = join(treeIn(world), "made", "here");
		const wrote = await make({ tool: "write", args: { path: inTree, content: "x" } });
		expect(wrote).toContain("Success");
		expect(await make({ tool: "bash", args: { command: `cat ${inTree}` } })).toContain("x");
		if (asHost) expect(await searches(world, make)).toEqual([]);
		expect(failed).toEqual([]);
	});

	test("without a ring most of them get through", async () => {
		const user = userOf();
		const world = await openWorld(user);
		const { make } = await runnerIn(world, { scope: "off", user });
		const attempts = [...possible(user), ...SEARCHES].filter(({ onlyInRing }) => !onlyInRing);
		const trials = await tryAll(world, isShare ? tenOf(attempts) : attempts, make);
		const through = trials.filter(({ held }) => !held);
		expect(through.length / trials.length).toBeGreaterThan(0.75);
	});
});
