import { expect, test } from "vitest";
import type { ClaimedRun } from "../../src/child/work.ts";
import { PendingOutcomes } from "../../src/host/pending-outcomes.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

function claimed(ledger: Ledger): ClaimedRun {
	admitRun(ledger, admission());
	const record = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
	return record?.run.state === "running" ? { ...record, run: record.run } : expect.fail("not claimed");
}

const pendingIn = (ledger: Ledger) =>
	new PendingOutcomes({ ledger, log: NO_LOG, ports: { clock: { now: () => 50 } } as never });

function written(pending: PendingOutcomes): [string, boolean][] {
	const all: [string, boolean][] = [];
	pending.write((id, { counted }) => all.push([id, counted]));
	return all;
}

const outcomes = (ledger: Ledger) =>
	ledger.all("SELECT state, outcome ->> '$.output' AS output, ended_at AS at FROM runs ORDER BY seq");

test("of two endings of one attempt the first is recorded", async () => {
	const ledger = await scratch.ledger();
	const [pending, record] = [pendingIn(ledger), claimed(ledger)];
	pending.add(record, success("first"));
	pending.add(record, success("second"));
	expect(written(pending)).toEqual([[record.run.id, true]]);
	expect(outcomes(ledger)).toEqual([{ state: "ended", output: "first", at: 50 }]);
	expect(pending.size).toBe(0);
});

test("what an earlier attempt left behind gives way to the ending of a later one", async () => {
	const ledger = await scratch.ledger();
	const [pending, record] = [pendingIn(ledger), claimed(ledger)];
	const earlier = { ...record, run: { ...record.run, fence: record.run.fence - 1 } };
	pending.add(earlier, success("stale"));
	pending.add(record, success("current"));
	pending.add(earlier, success("stale again"));
	expect(written(pending)).toEqual([[record.run.id, true]]);
	expect(outcomes(ledger)).toEqual([{ state: "ended", output: "current", at: 50 }]);
});

test("an ending does not count, and is not recorded, once another host has the run", async () => {
	const ledger = await scratch.ledger();
	const [pending, record] = [pendingIn(ledger), claimed(ledger)];
	pending.add({ ...record, run: { ...record.run, fence: record.run.fence - 1 } }, success());
	expect(written(pending)).toEqual([[record.run.id, false]]);
	expect([outcomes(ledger), pending.size]).toEqual([[{ state: "running", output: null, at: null }], 0]);
});

test("what cannot be written is kept, and written once that works", async () => {
	const ledger = await scratch.ledger();
	const [pending, record] = [pendingIn(ledger), claimed(ledger)];
	pending.add(record, success("kept"));
	ledger.run("CREATE TRIGGER full BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'no space'); END");
	expect(() => written(pending)).toThrow("no space");
	expect(pending.size).toBe(1);
	ledger.run("DROP TRIGGER full");
	expect(written(pending)).toEqual([[record.run.id, true]]);
	expect(outcomes(ledger)).toEqual([{ state: "ended", output: "kept", at: 50 }]);
});

test("more endings than fit into one transaction are all written", async () => {
	const ledger = await scratch.ledger();
	const pending = pendingIn(ledger);
	const ids = Array.from({ length: 120 }, () => {
		const record = claimed(ledger);
		pending.add(record, success());
		return record.run.id;
	});
	expect(written(pending).map(([id]) => id)).toEqual(ids);
	expect(ledger.get("SELECT count(*) AS open FROM runs WHERE state <> 'ended'")).toEqual({ open: 0 });
});
