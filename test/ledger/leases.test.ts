import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { findHost, hostGone, renewLeases } from "../../src/ledger/hosts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun, heldRuns, recordTurn, requestStop } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import type { HostId, RunId } from "../../src/run/ids.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import type { RunningRun } from "../../src/run/run.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext } from "./one-run.ts";
import { admission, outcomeOf, success, type Wish } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

/** A running run, leased from 0 to 100. */
function atWork(ledger: Ledger, { hostId, ...wish }: Wish & { hostId: HostId }): RunningRun {
	admitRun(ledger, admission(wish));
	const run = claimNext(ledger, { hostId, profile: "p", at: 0, leaseMs: 100 })?.run;
	if (run?.state !== "running") throw new Error("The run was not claimed.");
	return run;
}

const runOf = (ledger: Ledger, id: RunId) => findRun(ledger, id)?.run;
const nothing = { requeued: [], ended: [] };

/** What a sweep did, in ids and reasons. */
function swept(ledger: Ledger, at: number): { requeued: RunId[]; ended: (string | undefined)[][] } {
	const { requeued, ended } = sweep(ledger, { at, outcomeOf });
	return {
		requeued: requeued.map(({ run }) => run.id),
		ended: ended.map(({ run }) => [run.id, reasonOf(ledger, run.id)]),
	};
}

function reasonOf(ledger: Ledger, id: RunId): string | undefined {
	const run = runOf(ledger, id);
	return run?.state === "ended" && run.outcome.status !== "success" ? run.outcome.error.reason : undefined;
}

async function oneHost() {
	const ledger = await scratch.ledger();
	return { ledger, hostId: readyHost(ledger, { leaseUntil: 100 }) };
}

describe("a lease", () => {
	test("holds until its last moment", async () => {
		const { ledger, hostId } = await oneHost();
		const run = atWork(ledger, { hostId });
		expect(swept(ledger, 99)).toEqual(nothing);
		expect(swept(ledger, 100).requeued).toEqual([run.id]);
	});

	test("is renewed with those of all the host's runs at once, and of no other's", async () => {
		const { ledger, hostId } = await oneHost();
		const other = readyHost(ledger, { leaseUntil: 100 });
		const mine = [atWork(ledger, { hostId }), atWork(ledger, { hostId })];
		const theirs = atWork(ledger, { hostId: other });
		expect(renewLeases(ledger, hostId, 500)).toBe(true);
		for (const { id } of mine) expect(runOf(ledger, id)).toMatchObject({ state: "running", leaseUntil: 500, fence: 1 });
		expect(runOf(ledger, theirs.id)).toMatchObject({ leaseUntil: 100 });
		expect(findHost(ledger, hostId)).toMatchObject({ state: "ready", leaseUntil: 500 });
		expect(swept(ledger, 400).requeued).toEqual([theirs.id]);
	});

	test("is renewed by a host that is merely late", async () => {
		const { ledger, hostId } = await oneHost();
		const run = atWork(ledger, { hostId });
		expect(renewLeases(ledger, hostId, 900)).toBe(true);
		expect(swept(ledger, 800)).toEqual(nothing);
		expect(runOf(ledger, run.id)).toMatchObject({ state: "running" });
	});

	test("is not waited out when the host is known to be dead", async () => {
		const { ledger, hostId } = await oneHost();
		const other = readyHost(ledger, { leaseUntil: 100 });
		const [run, theirs] = [atWork(ledger, { hostId }), atWork(ledger, { hostId: other })];
		hostGone(ledger, hostId, 10);
		expect(findHost(ledger, hostId)).toMatchObject({ state: "gone", leaseUntil: 10 });
		expect(swept(ledger, 10)).toEqual({ requeued: [run.id], ended: [] });
		expect(runOf(ledger, theirs.id)).toMatchObject({ state: "running" });
	});

	test("cannot be renewed by a host that was given up on, not even before its runs are taken from it", async () => {
		const { ledger, hostId } = await oneHost();
		const run = atWork(ledger, { hostId });
		hostGone(ledger, hostId, 10);
		expect(renewLeases(ledger, hostId, 500)).toBe(false);
		expect(runOf(ledger, run.id)).toMatchObject({ leaseUntil: 10 });
		expect(swept(ledger, 11).requeued).toEqual([run.id]);
	});

	test("of a host and of all its runs is renewed by a claim: it was heard of", async () => {
		const { ledger, hostId } = await oneHost();
		atWork(ledger, { hostId });
		admitRun(ledger, admission());
		claimNext(ledger, { hostId, profile: "p", at: 90, leaseMs: 100 });
		expect(swept(ledger, 189)).toEqual(nothing);
		expect(renewLeases(ledger, hostId, 200)).toBe(true);
		expect(swept(ledger, 200).requeued).toHaveLength(2);
	});
});

describe("a sweep", () => {
	test("queues again the runs that have attempts left, with their usage, and marks the host as gone", async () => {
		const { ledger, hostId } = await oneHost();
		const run = atWork(ledger, { hostId });
		const usage = { ...NO_USAGE, input: 12, turns: 1 };
		recordTurn(ledger, run.id, run.fence, { usage, said: asItIs<Redacted>("So far.") });
		expect(swept(ledger, 100)).toEqual({ requeued: [run.id], ended: [] });
		expect(findRun(ledger, run.id)).toMatchObject({
			run: { state: "queued", attempt: 1, fence: 2, startedAt: 0 },
			usage,
		});
		expect(findHost(ledger, hostId)?.state).toBe("gone");
		const again = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 200, leaseMs: 100 });
		expect(again).toMatchObject({ run: { attempt: 2, fence: 3, startedAt: 0 }, usage });
	});

	test("ends runs with a stop request as stopped, running or queued", async () => {
		const { ledger, hostId } = await oneHost();
		const run = atWork(ledger, { hostId });
		const waiting = admitRun(ledger, admission()).run;
		for (const { id } of [run, waiting]) requestStop(ledger, id, { at: 5, by: "the user" });
		// What is running is its host's to stop while the lease holds.
		expect(swept(ledger, 50).ended).toEqual([[waiting.id, "stopped"]]);
		expect(swept(ledger, 100)).toEqual({ requeued: [], ended: [[run.id, "stopped"]] });
		expect(runOf(ledger, run.id)).toMatchObject({
			state: "ended",
			delivery: { state: "owed" },
			stop: { by: "the user" },
		});
	});

	test("ends runs without attempts left as lost", async () => {
		const { ledger, hostId } = await oneHost();
		const run = atWork(ledger, { hostId, maxAttempts: 1 });
		expect(swept(ledger, 100)).toEqual({ requeued: [], ended: [[run.id, "lost"]] });
	});

	test("does nothing the second time", async () => {
		const { ledger, hostId } = await oneHost();
		atWork(ledger, { hostId });
		atWork(ledger, { hostId, maxAttempts: 1 });
		sweep(ledger, { at: 100, outcomeOf });
		const before = ledger.all("SELECT * FROM runs");
		expect(swept(ledger, 100)).toEqual(nothing);
		expect(swept(ledger, 100_000)).toEqual(nothing);
		expect(ledger.all("SELECT * FROM runs")).toEqual(before);
	});

	test("by two processes at once ends a run once", async () => {
		const ledger = await scratch.ledger();
		const peers = await Promise.all([scratch.peer(), scratch.peer()]);
		for (let round = 0; round < 10; round++) {
			const hostId = readyHost(ledger, { leaseUntil: 100 });
			const expired = [1, 2, 1, 2].map((maxAttempts) => atWork(ledger, { hostId, maxAttempts }).id);
			const at = Date.now() + 15;
			const answers = await Promise.all(
				peers.map((peer) => peer.call("sweepAt", { file: ledger.file, at, leasesAt: 100 })),
			);
			expect(answers.flat().sort()).toEqual([...expired].sort());
			for (const [index, id] of expired.entries()) {
				expect(runOf(ledger, id)).toMatchObject(index % 2 === 0 ? { state: "ended" } : { state: "queued", fence: 2 });
				requestStop(ledger, id, { at: 0, by: "the test" });
			}
			sweep(ledger, { at: 100, outcomeOf });
		}
	});
});

describe("a host that comes back after its run was taken", () => {
	test("can neither end it nor add to its usage, whichever host has it now", async () => {
		const { ledger, hostId } = await oneHost();
		const stale = atWork(ledger, { hostId });
		const usage = { ...NO_USAGE, input: 999 };
		const refused = () => {
			expect(recordTurn(ledger, stale.id, stale.fence, { usage })).toBe(false);
			expect(endRun(ledger, { id: stale.id, fence: stale.fence, outcome: success("stale"), at: 300 })).toBe(false);
		};
		sweep(ledger, { at: 100, outcomeOf });
		refused();
		const again = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 200, leaseMs: 100 })?.run;
		if (!again) throw new Error("The run was not claimed again.");
		refused();
		expect(endRun(ledger, { id: again.id, fence: again.fence, outcome: success("fresh"), at: 250 })).toBe(true);
		refused();
		expect(findRun(ledger, stale.id)).toMatchObject({
			run: { state: "ended", endedAt: 250, outcome: { output: "fresh" } },
			usage: NO_USAGE,
		});
	});

	test("sees in its own list what it still holds and what it is to stop", async () => {
		const { ledger, hostId } = await oneHost();
		const [kept, stopped] = [atWork(ledger, { hostId }), atWork(ledger, { hostId })];
		requestStop(ledger, stopped.id, { at: 5, by: "the user" });
		requestStop(ledger, stopped.id, { at: 6, by: "somebody later" });
		expect(heldRuns(ledger, hostId)).toEqual(
			new Map([
				[kept.id, { fence: 1 }],
				[stopped.id, { fence: 1, stopBy: "the user" }],
			]),
		);
		sweep(ledger, { at: 100, outcomeOf });
		expect(heldRuns(ledger, hostId)).toEqual(new Map());
	});
});

test("a stop comes too late for an ended run, and a run that is not there has none", async () => {
	const { ledger, hostId } = await oneHost();
	const run = atWork(ledger, { hostId });
	endRun(ledger, { id: run.id, fence: run.fence, outcome: success(), at: 5 });
	expect(requestStop(ledger, run.id, { at: 6, by: "the user" })).toBe(false);
	expect(requestStop(ledger, "00000000" as RunId, { at: 6, by: "the user" })).toBe(false);
});
