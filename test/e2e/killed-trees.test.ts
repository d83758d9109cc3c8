import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { treesRoot } from "../../src/plan/session-place.ts";
import { piGeon } from "../cli/pi-geon.ts";
import type { Home } from "../helpers/home.ts";
import { killHosts, killHostsAtWork } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, promptPi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { repositoryIn, textsIn } from "../trees/repos.ts";
import { delegateTo } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();

/** A worker that writes a file and never ends. */
const script = dispatch({
	parent: [delegateTo("worker", "Write."), text("Done.")],
	child: [toolCall("write", { path: "left.txt", content: "left\n" }), [text("Now"), hang()]],
});
const LEASE = { PI_GEON_LEASE_MS: "3000" };

const rows = (home: Home) =>
	inLedger<{ run: string; tree: string; lease: number | null }>(
		home,
		"SELECT runs.state AS run, trees.state AS tree, runs.lease_until AS lease FROM runs JOIN trees ON trees.run_id = runs.id",
	);

const isSilent = (home: Home) => eventually(() => expect(rows(home)[0]?.lease ?? 0).toBeLessThan(Date.now()));

/** Kills the worker's host and its parent together, once the worker has written its file. */
async function bothKilled(home: Home): Promise<void> {
	const parent = new AbortController();
	const running = promptPi(home, "Go.", { version: ANY_PI, signal: parent.signal });
	await eventually(() => expect(home.model.requests.some(({ isChild, turn }) => isChild && turn === 1)).toBe(true));
	parent.abort();
	killHostsAtWork(home);
	expect(await running).toMatchObject({ signal: "SIGKILL" });
	// One that pi started ahead.
	killHosts(home);
}

test("host and parent killed with a tree that is ready, and no attempts left: gc keeps it, and apply brings it home", async () => {
	const home = await openHome({ script, env: LEASE, config: { subagents: { retry: { enabled: false } } } });
	const project = repositoryIn(home.project, { a: "a\n" });
	await bothKilled(home);
	await isSilent(home);
	expect(rows(home)).toMatchObject([{ run: "running", tree: "ready" }]);
	expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
	expect(rows(home)).toMatchObject([{ run: "ended", tree: "ready" }]);
	expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({ code: 0 });
	expect(textsIn(project)).toEqual({ a: "a\n", "left.txt": "left\n" });
	expect(readdirSync(treesRoot(home.agentDir, home.home))).toEqual([]);
});

test("host and parent killed with a tree that is ready, and attempts left: apply says how to continue, and stop ends it", async () => {
	const home = await openHome({ script, env: LEASE });
	const project = repositoryIn(home.project, { a: "a\n" });
	await bothKilled(home);
	await isSilent(home);
	expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
	expect(rows(home)).toMatchObject([{ run: "queued", tree: "ready" }]);
	expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({
		code: 1,
		stderr: expect.stringMatching(/its host died, .* Open its session in pi .* `pi-geon stop \w{8}`/),
	});
	expect(await piGeon(home, ["stop", "last"])).toMatchObject({ code: 0 });
	expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({ code: 0 });
	expect(textsIn(project)).toEqual({ a: "a\n", "left.txt": "left\n" });
});

test("host and parent killed while the tree is created: nothing was written, apply says so, and gc removes the rest", async () => {
	const home = await openHome({ script, env: LEASE, config: { subagents: { retry: { enabled: false } } } });
	repositoryIn(home.project, { a: "a\n" });
	const bin = join(home.home, "bin");
	mkdirSync(bin);
	const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
	// It kills the host that called it.
	const killer = `#!/bin/sh\nfor word in "$@"; do [ "$word" = checkout-index ] && kill -9 $PPID; done\nexec ${real} "$@"\n`;
	writeFileSync(join(bin, "git"), killer);
	chmodSync(join(bin, "git"), 0o755);
	const parent = new AbortController();
	const running = promptPi(home, "Go.", {
		version: ANY_PI,
		signal: parent.signal,
		env: { PATH: `${bin}:${home.env.PATH}` },
	});
	await eventually(() => expect(rows(home)).toMatchObject([{ tree: "making" }]));
	parent.abort();
	await running;
	await isSilent(home);
	killHosts(home);
	expect(await piGeon(home, ["gc"])).toMatchObject({ code: 0 });
	expect(rows(home)).toMatchObject([{ run: "ended", tree: "removed" }]);
	expect(readdirSync(treesRoot(home.agentDir, home.home))).toEqual([]);
	expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({
		code: 1,
		stderr: expect.stringContaining("changed nothing"),
	});
});
