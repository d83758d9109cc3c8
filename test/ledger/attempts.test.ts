import { describe, expect, test } from "vitest";
import { outcomeWithoutHost } from "../../src/collect/outcome.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { attemptsOf } from "../../src/ledger/attempts.ts";
import { hostGone, hostLeft } from "../../src/ledger/hosts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { beginAttempt, endRun, recordHop, recordTurn, requestStop } from "../../src/ledger/progress.ts";
import { findRun, type RunRecord } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { closeUnreadable } from "../../src/ledger/unreadable.ts";
import type { HostId, RunId } from "../../src/run/ids.ts";
import type { EndCause } from "../../src/run/outcome.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import type { RunningRun } from "../../src/run/run.ts";
import { NO_USAGE, type Usage } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext, settleDelivery } from "./one-run.ts";
import { admission, outcomeOf, success, type Wish } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const spent = (turns: number, cost = turns / 4): Usage => ({ ...NO_USAGE, input: turns * 100, cost, turns });
const admit = (ledger: Ledger, wish: Wish = {}): RunId => admitRun(ledger, admission(wish)).run.id;

function claim(ledger: Ledger, at: number, hostId: HostId = readyHost(ledger, { leaseUntil: at })): RunningRun {
	const run = claimNext(ledger, { hostId, profile: "p", at, leaseMs: 100 })?.run;
	return run?.state === "running" ? run : expect.fail("Nothing was claimed.");
}

test("a run that was never claimed had no attempt, however it ended", async () => {
	const ledger = await scratch.ledger();
	const [stopped, refused] = [admit(ledger), admit(ledger)];
	requestStop(ledger, stopped, { at: 1, by: "the user" });
	sweep(ledger, { at: 2, outcomeOf });
	endRun(ledger, { id: refused, fence: 0, outcome: outcomeOf({}, { kind: "crashed", message: "" }), at: 3 });
	expect([attemptsOf(ledger, stopped), attemptsOf(ledger, refused)]).toEqual([[], []]);
});

test("a claim begins an attempt, and the end of the run ends it with its cause, its model and all that was spent", async () => {
	const ledger = await scratch.ledger();
	const id = admit(ledger);
	const { hostId, fence } = claim(ledger, 5);
	expect(attemptsOf(ledger, id)).toEqual([{ number: 1, hostId, startedAt: 5 }]);
	recordTurn(ledger, id, fence, { usage: spent(1), model: "test/first" });
	expect(attemptsOf(ledger, id)).toEqual([{ number: 1, hostId, startedAt: 5, model: "test/first" }]);
	const outcome = { ...success(), usage: spent(2), model: asItIs<Redacted>("test/last") };
	expect(endRun(ledger, { id, fence, outcome, at: 9 })).toBe(true);
	const over = { number: 1, hostId, model: "test/last", startedAt: 5, usage: spent(2) };
	expect(attemptsOf(ledger, id)).toEqual([{ ...over, end: { at: 9, cause: "finalized" } }]);
	// A host that lost the run says nothing of it any more.
	expect(endRun(ledger, { id, fence, outcome, at: 10 })).toBe(false);
	expect(recordTurn(ledger, id, fence, { usage: spent(3), model: "test/late" })).toBe(false);
	expect(attemptsOf(ledger, id)[0]).toMatchObject({ model: "test/last", end: { at: 9 } });
});

test("each attempt has its own host and what it spent itself, whatever ended the one before", async () => {
	const ledger = await scratch.ledger();
	const id = admit(ledger, { maxAttempts: 5 });

	const first = claim(ledger, 0);
	recordTurn(ledger, id, first.fence, { usage: spent(1), model: "test/a" });
	sweep(ledger, { at: 100, outcomeOf });

	const second = claim(ledger, 200);
	recordTurn(ledger, id, second.fence, { usage: spent(3), model: "test/a" });
	expect(beginAttempt(ledger, id, { fence: first.fence, at: 240 })).toBe(false);
	expect(beginAttempt(ledger, id, { fence: second.fence, at: 250 })).toBe(true);
	recordTurn(ledger, id, second.fence, { usage: spent(4), model: "test/b" });
	hostLeft(ledger, second.hostId, 260);
	sweep(ledger, { at: 270, outcomeOf });

	const last = claim(ledger, 300);
	endRun(ledger, { id, fence: last.fence, outcome: { ...success(), usage: spent(8) }, at: 310 });
	expect(attemptsOf(ledger, id)).toEqual([
		{
			number: 1,
			hostId: first.hostId,
			model: "test/a",
			startedAt: 0,
			end: { at: 100, cause: "host_lost" },
			usage: spent(1),
		},
		{
			number: 2,
			hostId: second.hostId,
			model: "test/a",
			startedAt: 200,
			end: { at: 250, cause: "tried_again" },
			usage: spent(2),
		},
		{
			number: 3,
			hostId: second.hostId,
			model: "test/b",
			startedAt: 250,
			end: { at: 260, cause: "released" },
			usage: spent(1),
		},
		{ number: 4, hostId: last.hostId, startedAt: 300, end: { at: 310, cause: "finalized" }, usage: spent(4) },
	]);
});

test("a hop ends one attempt and begins another, each with its own model and what it spent, in the same host", async () => {
	const ledger = await scratch.ledger();
	const id = admit(ledger, { maxAttempts: 1 });
	const { hostId, fence } = claim(ledger, 0);
	recordTurn(ledger, id, fence, { usage: spent(2), model: "test/a" });
	const hop = { from: "test/a", to: "test/b", why: 429, said: asItIs<Redacted>("No quota.") };
	expect(recordHop(ledger, id, { fence: fence + 1, at: 9, hop })).toBe(false);
	expect(recordHop(ledger, id, { fence, at: 10, hop })).toBe(true);
	expect(findRun(ledger, id)?.run).toMatchObject({ attempt: 2, maxAttempts: 2, hops: [hop] });
	endRun(ledger, { id, fence, outcome: { ...success(), usage: spent(5) }, at: 20 });
	expect(attemptsOf(ledger, id)).toEqual([
		{ number: 1, hostId, model: "test/a", startedAt: 0, end: { at: 10, cause: "hopped" }, usage: spent(2) },
		{ number: 2, hostId, model: "test/b", startedAt: 10, end: { at: 20, cause: "finalized" }, usage: spent(3) },
	]);
});

test("a run that hopped and lost its host is tried as often as one that did not, and says both models", async () => {
	const ledger = await scratch.ledger();
	const id = admit(ledger, { maxAttempts: 2 });
	const first = claim(ledger, 0);
	recordHop(ledger, id, { fence: first.fence, at: 5, hop: { from: "test/a", to: "test/b", why: "no_answer" } });
	hostGone(ledger, first.hostId, 10);
	expect(sweep(ledger, { at: 20, outcomeOf }).requeued).toHaveLength(1);
	const second = claim(ledger, 30);
	hostGone(ledger, second.hostId, 40);
	const outcomes = (record: RunRecord, cause: EndCause) =>
		outcomeWithoutHost(record, cause, (text) => asItIs<Redacted>(text));
	expect(sweep(ledger, { at: 50, outcomeOf: outcomes }).ended).toMatchObject([
		{
			run: {
				outcome: { cause: "lost", attempts: 3, warnings: [expect.stringMatching(/test\/a could not .*test\/b/)] },
			},
		},
	]);
});

describe("an attempt", () => {
	test("of a host that is found dead is over when the run is taken from it, and stays so when the run is lost", async () => {
		const ledger = await scratch.ledger();
		const id = admit(ledger, { maxAttempts: 1 });
		const { hostId } = claim(ledger, 0);
		hostGone(ledger, hostId, 10);
		expect(attemptsOf(ledger, id)[0]?.end).toBeUndefined();
		expect(sweep(ledger, { at: 20, outcomeOf }).ended).toHaveLength(1);
		expect(attemptsOf(ledger, id)).toMatchObject([{ number: 1, end: { at: 20, cause: "host_lost" }, usage: NO_USAGE }]);
	});

	test("of another host's run is not touched by one that leaves", async () => {
		const ledger = await scratch.ledger();
		const id = admit(ledger);
		claim(ledger, 0);
		hostLeft(ledger, readyHost(ledger), 10);
		expect(attemptsOf(ledger, id)[0]?.end).toBeUndefined();
	});

	test("after one that is not on record does not guess what it spent itself", async () => {
		const ledger = await scratch.ledger();
		const id = admit(ledger, { maxAttempts: 3 });
		claim(ledger, 0);
		sweep(ledger, { at: 100, outcomeOf });
		ledger.run("DELETE FROM attempts");
		const { fence, hostId } = claim(ledger, 200);
		endRun(ledger, { id, fence, outcome: { ...success(), usage: spent(3) }, at: 300 });
		expect(attemptsOf(ledger, id)).toEqual([
			{ number: 2, hostId, startedAt: 200, end: { at: 300, cause: "finalized" } },
		]);
	});

	test("with a number that is taken takes its place: a miscount must not hold up the queue", async () => {
		const ledger = await scratch.ledger();
		const id = admit(ledger);
		claim(ledger, 0);
		sweep(ledger, { at: 100, outcomeOf });
		ledger.run("UPDATE runs SET attempt = 0");
		const { hostId } = claim(ledger, 200);
		expect(attemptsOf(ledger, id)).toEqual([{ number: 1, hostId, startedAt: 200 }]);
	});

	test("of a run whose row cannot be read ends when that run is closed", async () => {
		const ledger = await scratch.ledger();
		const id = admit(ledger);
		claim(ledger, 0);
		ledger.run("UPDATE runs SET plan = 'nonsense'");
		closeUnreadable(ledger, id, 50);
		expect(attemptsOf(ledger, id)).toMatchObject([{ number: 1, end: { at: 50, cause: "unreadable" } }]);
	});

	test("says what can be read of it, if a newer pi-geon or a damage wrote the rest", async () => {
		const ledger = await scratch.ledger();
		const id = admit(ledger);
		const { hostId } = claim(ledger, 0);
		ledger.run("UPDATE attempts SET ended_at = 7, cause = 'abducted', usage = '{'");
		expect(attemptsOf(ledger, id)).toEqual([{ number: 1, hostId, startedAt: 0, end: { at: 7, cause: "unknown" } }]);
	});

	test("goes with its run", async () => {
		const ledger = await scratch.ledger();
		const [gone, kept] = [admit(ledger), admit(ledger)];
		const { fence } = claim(ledger, 0);
		claim(ledger, 0);
		endRun(ledger, { id: gone, fence, outcome: success(), at: 1 });
		settleDelivery(ledger, gone, 2);
		ledger.run("DELETE FROM runs WHERE id = ?", gone);
		expect([attemptsOf(ledger, gone).length, attemptsOf(ledger, kept).length]).toEqual([0, 1]);
	});
});
