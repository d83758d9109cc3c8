import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import type { ScriptedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { type piVersions, promptPi, somePi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { isShare } from "../helpers/share.ts";
import { useHome } from "../helpers/use-home.ts";
import { ATTEMPTS, type Attempt, type Call, SEARCHES } from "./attempts.ts";
import { NEWER_ATTEMPTS } from "./newer-attempts.ts";
import { judged, type Trial, tenOf, useUsers } from "./trials.ts";
import { giveTo, makeWorld, SECRET, type TestUser, type World } from "./world.ts";

const isRoot = process.getuid?.() === 0;
const USERS = useUsers();

// What was unpacked for root alone.
if (isRoot) chmodSync(join(repositoryRoot, ".cache", "pi-1.5.0"), 0o755);

const openHome = useHome();
const worlds: World[] = [];
afterEach(async () => {
	for (const world of worlds.splice(0)) await world.close();
});

const AGENTS = {
	writer: agentNamed("writer", "You write.", "tools: read, write, edit, ls, bash, grep"),
	isolated: agentNamed("isolated", "You write.", "isolation: worktree\ntools: read, write, edit, ls, bash, grep, find"),
	reader: agentNamed("reader", "You read.", "tools: read, ls, grep, find"),
};

interface Play {
	version: (typeof piVersions)[number];
	agent?: keyof typeof AGENTS;
	attempts?: readonly Attempt[];
	sandbox?: object;
	user?: TestUser | undefined;
}

interface Played {
	home: Home;
	world: World;
	trials: Trial[];
	details: ReturnType<typeof delegations>[number] | undefined;
}

/** A child makes all attempts in one run, and each is judged before its model asks for the next. */
async function play({ version, agent = "writer", attempts = ATTEMPTS, sandbox = {}, user }: Play): Promise<Played> {
	const trials: Trial[] = [];
	let world: World | undefined;
	const made = attempts.filter(({ onlyInRing }) => !onlyInRing || !("mode" in sandbox));
	const child = async ({ toolResults }: ScriptedRequest): Promise<Reply> => {
		if (!world) throw new Error("There is no world yet.");
		const last = made[toolResults.length - 1];
		if (last) trials.push(await judged(world, last, toolResults.at(-1)?.text ?? ""));
		const next = made[toolResults.length];
		if (!next) return finalize("Tried everything.");
		const call: Call = next.call(world, next.name);
		return toolCall(call.tool, call.args);
	};
	const home = await openHome({
		pi: version,
		agents: { [`${agent}.md`]: AGENTS[agent] },
		env: { WORLD_API_KEY: SECRET },
		script: dispatch({
			parent: [delegateTo(agent, "Try."), text("Done.")],
			child: (request) => async () => child(request),
		}),
	});
	world = await makeWorld(home, user);
	worlds.push(world);
	// Where pi keeps what it downloads. ripgrep is on the PATH.
	mkdirSync(join(home.agentDir, "bin"), { recursive: true });
	cpSync(join(repositoryRoot, "test", "children", "fd.sh"), join(home.agentDir, "bin", "fd"));
	const config = { subagents: { allowWrite: true, sandbox: { network: "off", hide: [world.private], ...sandbox } } };
	writeFileSync(join(home.agentDir, "pi-geon.json"), JSON.stringify(config));
	if (user) giveTo(user, home.scratch);
	const run = await promptPi(home, "Go.", { version, ...(user && { user }) });
	return { home, world, trials, details: delegations(run)[0] };
}

const NEWER: ReadonlySet<Attempt> = new Set(NEWER_ATTEMPTS);

/** Every attempt makes the conversation longer, so two runs take less time than one. */
const PARTS: readonly [part: string, attempts: readonly Attempt[]][] = [
	["the first", ATTEMPTS.filter((attempt) => !NEWER.has(attempt))],
	["the newer", ATTEMPTS.filter((attempt) => NEWER.has(attempt))],
];

const eachPart = (users: typeof USERS) =>
	users.flatMap(([name, userOf]) => PARTS.map(([part, attempts]) => ({ name, userOf, part, attempts })));

const escaped = (trials: readonly Trial[]): string[] => trials.filter(({ held }) => !held).map(({ name }) => name);

describe.each(somePi(import.meta.url))("a child that only reads, pi %s", (version) => {
	const attempts = [...ATTEMPTS.filter(({ name }) => /^(read|ls)-tool/.test(name)), ...SEARCHES];

	test.each(USERS)("finds no secret with any of its tools, as %s", async (_name, userOf) => {
		const user = userOf();
		const { trials, details, home } = await play({ version, agent: "reader", attempts, user });
		expect(details?.results[0]).toMatchObject({ exitCode: 0, sandbox: { enforced: "kernel", host: "kernel" } });
		expect(details?.results[0]?.sandbox).not.toHaveProperty("policyOnly");
		expect(trials.length).toBeGreaterThan(SEARCHES.length);
		expect(escaped(trials)).toEqual([]);
		expect(readdirSync(join(home.agentDir, "pi-geon", "scratch"))).toEqual(["another-session"]);
	});
});

describe.each(somePi(import.meta.url))("a child that writes in a tree, pi %s", (version) => {
	const trying = eachPart(isShare ? USERS.slice(-1) : USERS);
	test.each(trying)("reaches nothing outside of it with $part attempts, as $name", async ({ userOf, ...tried }) => {
		const attempts = [...tried.attempts, ...(tried.part === "the newer" ? SEARCHES : [])];
		const { trials, details } = await play({ version, agent: "isolated", attempts, user: userOf() });
		expect(details?.results[0]).toMatchObject({
			exitCode: 0,
			sandbox: { enforced: "kernel", host: "kernel", write: "worktree", network: "off" },
		});
		expect(details?.results[0]?.sandbox).not.toHaveProperty("policyOnly");
		expect(trials.length).toBe(attempts.length);
		expect(escaped(trials)).toEqual([]);
	});
});

describe.each(somePi(import.meta.url))("a child that may write in the checkout, pi %s", (version) => {
	test.each(eachPart(isShare ? USERS.slice(0, 1) : USERS))(
		"reaches the checkout and nothing else with $part attempts, as $name",
		async ({ userOf, attempts }) => {
			const { home, trials, details } = await play({ version, attempts, user: userOf() });
			expect(details?.results[0]).toMatchObject({
				exitCode: 0,
				sandbox: {
					enforced: "kernel",
					by: expect.stringMatching(/^bwrap \d/),
					write: "checkout",
					network: "off",
					// Its host may write in the checkout, so it has no ring in which another ripgrep could be put.
					host: "policy",
					policyOnly: ["grep"],
				},
			});
			expect(trials.length).toBe(attempts.length);
			expect(escaped(trials)).toEqual(attempts.filter(({ checkout }) => checkout).map(({ name }) => name));
			expect(readdirSync(join(home.agentDir, "pi-geon", "scratch"))).toEqual(["another-session"]);
		},
	);
});

test.each(PARTS)("with mode off, most of %s attempts get through, and the result says so", async (_part, all) => {
	const harmless = all.filter(({ onlyInRing }) => !onlyInRing);
	const attempts = isShare ? tenOf(harmless) : harmless;
	const { trials, details } = await play({ version: "0.87.1", sandbox: { mode: "off" }, attempts });
	expect(details?.results[0]?.sandbox).toEqual({
		enforced: "policy",
		why: "subagents.sandbox.mode is off",
		write: "checkout",
		network: "on",
	});
	expect(escaped(trials).length / trials.length).toBeGreaterThan(0.75);
});
