import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { attemptsOf } from "../../src/ledger/attempts.ts";
import { findChanges } from "../../src/ledger/changes.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { findHost } from "../../src/ledger/hosts.ts";
import { sendToRun, waitingMessages } from "../../src/ledger/inbox.ts";
import { openQuestionsOf } from "../../src/ledger/open-questions.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { askQuestion } from "../../src/ledger/questions.ts";
import { findRun } from "../../src/ledger/records.ts";
import { MIGRATIONS } from "../../src/ledger/schema.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { findTree, reserveTree, treesLeft } from "../../src/ledger/trees.ts";
import { newHostId, newRunId, type RunId } from "../../src/run/ids.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { addRun, oldLedgerAt } from "./old-ledger.ts";
import { outcomeOf, success } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const oldLedger = (version: number) => oldLedgerAt(join(scratch.folder(), "ledger.sqlite"), version);

function addHost(database: DatabaseSync, profile: string) {
	const id = newHostId();
	database
		.prepare(
			"INSERT INTO hosts (id, profile, state, socket, lease_until, created_at) VALUES (?, ?, 'starting', ?, 1000, 0)",
		)
		.run(id, profile, `/sockets/${id}`);
	return id;
}

describe("a ledger of the first version", () => {
	test("has the run that needs a host of its own in a column of its own, and the other runs as they were", async () => {
		const { file, database } = oldLedger(1);
		const [own, shared] = [newRunId(), newRunId()];
		addRun(database, own, `digest:${own}`);
		addRun(database, shared, "digest");
		const [ownHost, sharedHost] = [addHost(database, `digest:${own}`), addHost(database, "digest")];
		database.close();

		const ledger = await scratch.ledger(file);
		expect(ledger.get("PRAGMA user_version")).toEqual({ user_version: MIGRATIONS.length });
		expect(findRun(ledger, own)?.profile).toEqual({ digest: "digest", ownRun: own });
		expect(findRun(ledger, shared)?.profile).toEqual({ digest: "digest" });
		expect(findHost(ledger, ownHost)?.profile).toEqual({ digest: "digest", ownRun: own });
		expect(findHost(ledger, sharedHost)?.profile).toEqual({ digest: "digest" });

		const claim = (hostId: typeof ownHost, profile: { digest: string; ownRun?: RunId }) =>
			claimRuns(ledger, { hostId, profile, at: 1, leaseMs: 10, atMost: 9 }).map(({ run }) => run.id);
		expect(claim(readyHost(ledger), { digest: "digest" })).toEqual([shared]);
		expect(claim(readyHost(ledger), { digest: "digest", ownRun: own })).toEqual([own]);
	});

	test("has no attempts of the runs that were begun then, and those of the runs that continue", async () => {
		const { file, database } = oldLedger(1);
		const [before, after] = [newRunId(), newRunId()];
		for (const id of [before, after]) addRun(database, id, "digest");
		const running =
			"UPDATE runs SET state = 'running', attempt = 1, fence = 1, host_id = ?, lease_until = 10, started_at = 1";
		database.prepare(`${running} WHERE id = ?`).run(newHostId(), before);
		database.prepare(`${running} WHERE id = ?`).run(newHostId(), after);
		database.close();

		const ledger = await scratch.ledger(file);
		expect(endRun(ledger, { id: before, fence: 1, outcome: success(), at: 5 })).toBe(true);
		sweep(ledger, { at: 20, outcomeOf });
		expect([attemptsOf(ledger, before), attemptsOf(ledger, after)]).toEqual([[], []]);
		const hostId = readyHost(ledger);
		claimRuns(ledger, { hostId, profile: { digest: "digest" }, at: 30, leaseMs: 10, atMost: 9 });
		expect(attemptsOf(ledger, after)).toEqual([{ number: 2, hostId, startedAt: 30 }]);
	});
});

test("a ledger from before there were questions takes those of the runs that it has", async () => {
	const { file, database } = oldLedger(5);
	const id = newRunId();
	addRun(database, id, "digest");
	database.close();
	const ledger = await scratch.ledger(file);
	const [claimed] = claimRuns(ledger, {
		hostId: readyHost(ledger),
		profile: { digest: "digest" },
		at: 1,
		leaseMs: 10,
		atMost: 1,
	});
	const fence = claimed?.run.fence ?? expect.fail("not claimed");
	const question = asItIs<ChildQuestion>({ question: "Which?" });
	const seq = askQuestion(ledger, id, { question, fence, at: 2 });
	expect(openQuestionsOf(ledger, "parent")).toEqual([seq]);
});

test("a ledger from before there were trees gets their tables, and its runs can have one", async () => {
	const { file, database } = oldLedger(6);
	const id = newRunId();
	addRun(database, id, "digest");
	database.close();
	const ledger = await scratch.ledger(file);
	expect([findTree(ledger, id), treesLeft(ledger)]).toEqual([undefined, []]);
	reserveTree(ledger, { runId: id, folder: "/trees/a", otherwise: "/trees/b", cwd: "/repo", at: 1 });
	expect(findTree(ledger, id)).toMatchObject({ state: "making", folder: "/trees/a", cwd: "/repo", runEnded: false });
	expect(findChanges(ledger, id)).toBeUndefined();
});

test("a ledger from before messages had senders keeps those that wait, and takes the user's", async () => {
	const { file, database } = oldLedger(8);
	const id = newRunId();
	addRun(database, id, "digest");
	database.prepare("INSERT INTO inbox (run_id, body, created_at) VALUES (?, 'Before.', 1)").run(id);
	database.close();
	const ledger = await scratch.ledger(file);
	sendToRun(ledger, id, { body: "Now.", at: 2, sender: "user" });
	expect(waitingMessages(ledger, id)).toMatchObject([
		{ body: "Before.", sender: null },
		{ body: "Now.", sender: "user" },
	]);
});
