import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openLedger } from "../../src/ledger/ledger.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { treesRoot } from "../../src/plan/session-place.ts";
import type { Home } from "../helpers/home.ts";
import { somePi } from "../helpers/pi.ts";
import { runPi } from "../helpers/run-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { contentOf, repositoryIn, textsIn, userGit, write } from "../trees/repos.ts";
import { worked } from "../trees/runs.ts";
import { jsonOf, piGeon } from "./pi-geon.ts";

const openHome = useHome();

/** A project, and a run of this session that changed two of its files in a tree. */
async function withChanges(home: Home, session = "a session"): Promise<{ runId: string; project: string }> {
	const project = repositoryIn(join(home.project, "repo"), { a: "1\n2\n3\n", b: "b\n" });
	const ledger = await openLedger(placesIn(home.agentDir).ledger);
	try {
		const place = { ledger, places: placesIn(home.agentDir), root: treesRoot(home.agentDir, home.home) };
		const work = (tree: string) =>
			write(tree, { a: "1\ntwo\n3\n", key: "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789\n" });
		const { run } = await worked(place, project, work, { parentSession: session, label: "the fix" });
		return { runId: run.id, project };
	} finally {
		ledger.close();
	}
}

describe("pi-geon changes, diff, apply, branch, discard", () => {
	test("shows, applies, undoes, branches and discards, and needs --yes where it cannot ask", async () => {
		const home = await openHome({});
		const { runId, project } = await withChanges(home);
		const before = contentOf(project);
		expect((await piGeon(home, ["changes"])).stdout).toBe(`${runId}  pending     2 files +2 -1  scout\n`);
		expect((await piGeon(home, ["changes", "last"])).stdout).toMatch(
			/^Changes of run \w{8} \(scout\): 2 files \+2 -1, pending\non top of \w{12}\n\n {2}M {2}\+1 -1 {8}a\n {2}A {2}\+1 -0 {8}key\n\nNone of it is in your working tree yet\.\n$/,
		);
		const shown = (await piGeon(home, ["diff", "the fix"])).stdout;
		expect(shown).toContain("-2\n+two\n");
		expect(shown).not.toContain("abcdefghijklmnopqrstuvwxyz");

		expect(await piGeon(home, ["apply", runId])).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("add --yes"),
		});
		expect(contentOf(project)).toEqual(before);
		expect(await piGeon(home, ["apply", "last", "--yes"], { env: { PI_SUBAGENT_DEPTH: "1" } })).toMatchObject({
			code: 1,
		});
		expect(contentOf(project)).toEqual(before);
		expect(await piGeon(home, ["apply", "last", "--yes"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("Applied the changes"),
		});
		expect(textsIn(project).a).toBe("1\ntwo\n3\n");
		expect(await jsonOf(home, ["apply", runId, "--yes"])).toMatchObject({ done: "already", state: "applied" });
		expect(await piGeon(home, ["discard", runId, "--yes"])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("Undo that first"),
		});
		expect(await jsonOf(home, ["apply", runId, "--undo", "--yes"])).toMatchObject({ done: "undone", state: "pending" });
		expect(contentOf(project)).toEqual(before);

		expect(await jsonOf(home, ["branch", runId, "topic"])).toMatchObject({ done: "branched", branch: "topic" });
		expect(userGit(project, "show", "topic:a")).toBe("1\ntwo\n3\n");
		expect(await piGeon(home, ["branch", runId, "a..b"])).toMatchObject({ code: 1 });
		write(project, { a: "conflict\n" });
		const refused = await piGeon(home, ["apply", runId, "--yes"]);
		expect(refused).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("The patch does not apply to these files: a"),
		});
		expect(await jsonOf(home, ["discard", "last", "-y"])).toMatchObject({ done: "discarded" });
		expect(await jsonOf(home, ["discard", "last", "-y"])).toMatchObject({ done: "already" });
		expect(await piGeon(home, ["diff", "last"])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("were discarded"),
		});
		const told = await jsonOf<{ events: { what: string; by: string }[] }>(home, ["changes", runId]);
		expect(told.events.map(({ what, by }) => `${what}: ${by}`)).toEqual([
			"applied: the user, with pi-geon apply",
			"undone: the user, with pi-geon apply --undo",
			"branched: the user, with pi-geon branch",
			"discarded: the user, with pi-geon discard",
		]);
	});
});

describe.each(somePi(import.meta.url))("/subagents changes, diff, apply, branch, discard, on pi %s", (version) => {
	test("do the same in the session that the run belongs to", async () => {
		const home = await openHome({});
		const session = randomUUID();
		const { runId, project } = await withChanges(home, session);
		const before = contentOf(project);
		const pi = async (...lines: string[]) =>
			runPi(home, [...home.extensionArgs, "--session-id", session, "-p", ...lines], { version });
		const seen = await pi(
			"/subagents changes",
			"/subagents changes #1",
			"/subagents diff the fix",
			"/subagents apply last",
		);
		expect(seen.code).toBe(0);
		expect(seen.stdout).toContain(`${runId}  pending     2 files +2 -1  scout`);
		expect(seen.stdout).toContain("None of it is in your working tree yet.");
		expect(seen.stdout).toContain("-2\n+two\n");
		expect(textsIn(project).a).toBe("1\ntwo\n3\n");
		expect((await pi("/subagents apply last --undo")).stdout).toContain("Undone");
		expect(contentOf(project)).toEqual(before);
		expect((await pi(`/subagents branch ${runId}`)).stdout).toContain("on the branch pi-geon/the-fix");
		expect((await pi(`/subagents discard ${runId}`)).stdout).toContain("Discarded");
		expect(await pi(`/subagents apply ${runId}`)).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("were discarded"),
		});
	});
});
