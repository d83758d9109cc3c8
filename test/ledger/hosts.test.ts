import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import {
	closeHost,
	expireImpossibleStarts,
	findHost,
	findOrReserveHost,
	hostGone,
	hostReady,
	leaveIfIdle,
	listHosts,
} from "../../src/ledger/hosts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import type { HostId } from "../../src/run/ids.ts";
import { claimNext } from "./one-run.ts";
import { admission, success } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const ask = (ledger: Ledger, at: number, profile = "p") =>
	findOrReserveHost(ledger, {
		profile: { digest: profile },
		at,
		startWithinMs: 100,
		socketOf: (id) => `/sockets/${id}`,
	});
const ready = (ledger: Ledger, id: HostId) => hostReady(ledger, { id, pid: 42, pidStarted: "then", leaseUntil: 1000 });

describe("the right to start a host", () => {
	test("is given to the first process that asks; the others get the host that is starting", async () => {
		const ledger = await scratch.ledger();
		const { host, startIt } = ask(ledger, 0);
		expect(startIt).toBe(true);
		expect(host).toEqual({
			id: host.id,
			profile: { digest: "p" },
			state: "starting",
			socket: `/sockets/${host.id}`,
			leaseUntil: 100,
		});
		expect(ask(ledger, 50)).toEqual({ host, startIt: false });
		expect(ready(ledger, host.id)).toBe(true);
		const known = { ...host, state: "ready", pid: 42, pidStarted: "then", leaseUntil: 1000 };
		expect(ask(ledger, 500)).toEqual({ host: known, startIt: false });
		expect(findHost(ledger, host.id)).toEqual(known);
	});

	test("is given once for each profile", async () => {
		const ledger = await scratch.ledger();
		expect([ask(ledger, 0, "p").startIt, ask(ledger, 0, "q").startIt, ask(ledger, 0, "q").startIt]).toEqual([
			true,
			true,
			false,
		]);
	});

	test("expires, and then the next process that asks gets it; the late process learns that it is not expected", async () => {
		const ledger = await scratch.ledger();
		const late = ask(ledger, 0).host;
		expect(ask(ledger, 99).startIt).toBe(false);
		const next = ask(ledger, 100);
		expect(next.startIt).toBe(true);
		expect(next.host.id).not.toBe(late.id);
		expect(ready(ledger, late.id)).toBe(false);
		expect(ready(ledger, next.host.id)).toBe(true);
		// Whoever sweeps next takes away what the late one may have left.
		expect(listHosts(ledger).map(({ id, state }) => [id, state])).toEqual(
			expect.arrayContaining([
				[late.id, "closing"],
				[next.host.id, "ready"],
			]),
		);
	});

	test("does not outlast a clock that is set back: the next process that asks gets it", async () => {
		const ledger = await scratch.ledger();
		const before = ask(ledger, 3_600_000).host;
		expireImpossibleStarts(ledger, 1000, 100);
		const next = ask(ledger, 1000);
		expect([next.startIt, next.host.id === before.id]).toEqual([true, false]);
		expect(ready(ledger, before.id)).toBe(false);
		expect(findHost(ledger, before.id)).toMatchObject({ state: "closing", leaseUntil: 1000 });
		expect(ask(ledger, 1001)).toEqual({ host: next.host, startIt: false });
	});

	test("is not taken back by a process that read the clock a little earlier, and waited for the lock", async () => {
		const ledger = await scratch.ledger();
		const { host } = ask(ledger, 140);
		expireImpossibleStarts(ledger, 50, 100);
		expect(ask(ledger, 50)).toEqual({ host, startIt: false });
	});

	test("is still good for a late process that was not replaced", async () => {
		const ledger = await scratch.ledger();
		expect(ready(ledger, ask(ledger, 0).host.id)).toBe(true);
	});

	test("is given again when the host is gone, closing, or silent for too long", async () => {
		const ledger = await scratch.ledger();
		const gone = readyHost(ledger, { profile: "gone" });
		const closing = readyHost(ledger, { profile: "closing" });
		readyHost(ledger, { profile: "silent", leaseUntil: 10 });
		hostGone(ledger, gone, 5);
		closeHost(ledger, closing);
		for (const profile of ["gone", "closing", "silent"]) expect(ask(ledger, 10, profile).startIt).toBe(true);
	});

	test("goes to exactly one of two processes that ask at the same instant", async () => {
		const { file } = await scratch.ledger();
		const peers = await Promise.all([scratch.peer(), scratch.peer()]);
		const start = Date.now() + 100;
		const moments = Array.from({ length: 40 }, (_, round) => start + round * 5);
		const [ours = [], theirs = []] = await Promise.all(peers.map((peer) => peer.call("reserveAt", { file, moments })));
		for (const round of moments.keys()) {
			expect(Number(ours[round]?.startIt) + Number(theirs[round]?.startIt)).toBe(1);
			expect(ours[round]?.id).toBe(theirs[round]?.id);
		}
	});
});

describe("an idle host", () => {
	test("leaves, and is gone for later requests", async () => {
		const ledger = await scratch.ledger();
		const id = readyHost(ledger, { profile: "p" });
		expect(leaveIfIdle(ledger, id)).toBe(true);
		expect(findHost(ledger, id)?.state).toBe("closing");
		expect(ask(ledger, 0).startIt).toBe(true);
	});

	test("stays for a run that waits for its profile or that it works on, and for no other", async () => {
		const ledger = await scratch.ledger();
		const hostId = readyHost(ledger, { profile: "p" });
		admitRun(ledger, admission({ profile: "another" }));
		const { id } = admitRun(ledger, admission({ profile: "p" })).run;
		expect(leaveIfIdle(ledger, hostId)).toBe(false);
		const claimed = claimNext(ledger, { hostId, profile: "p", at: 0, leaseMs: 10 })?.run;
		expect(leaveIfIdle(ledger, hostId)).toBe(false);
		endRun(ledger, { id, fence: claimed?.fence ?? 0, outcome: success(), at: 1 });
		expect(leaveIfIdle(ledger, hostId)).toBe(true);
	});

	test("leaves when it is closing, whatever waits, once its own runs are over", async () => {
		const ledger = await scratch.ledger();
		const hostId = readyHost(ledger, { profile: "p" });
		admitRun(ledger, admission());
		const claimed = claimNext(ledger, { hostId, profile: "p", at: 0, leaseMs: 10 })?.run;
		if (!claimed) throw new Error("The run was not claimed.");
		admitRun(ledger, admission());
		closeHost(ledger, hostId);
		expect(leaveIfIdle(ledger, hostId)).toBe(false);
		endRun(ledger, { id: claimed.id, fence: claimed.fence, outcome: success(), at: 1 });
		expect(leaveIfIdle(ledger, hostId)).toBe(true);
	});

	test("never leaves while a process that has admitted a run relies on it", async () => {
		const RUNS = 150;
		const { file } = await scratch.ledger();
		const [parent, hosts] = await Promise.all([scratch.peer(), scratch.peer()]);
		const leaving = hosts.says("leaving");
		const left = hosts.call("leaveWhenIdle", { file, runs: RUNS });
		await leaving;
		const { started, stranded } = await parent.call("admitAndFindHost", { file, runs: RUNS });
		expect(stranded).toEqual([]);
		await left;
		// Both ways of the race were taken.
		expect(started).toBeGreaterThan(RUNS / 20);
		expect(started).toBeLessThan(RUNS);
		const ledger = await scratch.ledger(file);
		expect(ledger.get("SELECT count(*) AS n FROM runs WHERE state = 'ended'")).toEqual({ n: RUNS });
	});
});

test("a host that is gone stays gone", async () => {
	const ledger = await scratch.ledger();
	const id = readyHost(ledger);
	hostGone(ledger, id, 5);
	closeHost(ledger, id);
	expect(ready(ledger, id)).toBe(false);
	expect(findHost(ledger, id)?.state).toBe("gone");
	expect(listHosts(ledger)).toEqual([]);
});
