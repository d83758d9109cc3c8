import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { adoptRun } from "../../src/ledger/adopt.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { expireImpossibleStarts, findOrReserveHost, hostGone } from "../../src/ledger/hosts.ts";
import { sendToRun } from "../../src/ledger/inbox.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openRunsOf } from "../../src/ledger/open-runs.ts";
import { mayHaveOwnHost } from "../../src/ledger/own-host.ts";
import type { ProfileKey } from "../../src/ledger/profile-key.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { findRun, selectRuns } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { newSessionId, type RunId } from "../../src/run/ids.ts";
import { claimNext } from "./one-run.ts";
import { admission, outcomeOf, success, type Wish } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const admit = (ledger: Ledger, wish: Wish = {}): RunId => admitRun(ledger, admission(wish)).run.id;
const isolated = (ledger: Ledger, wish: Wish = {}): RunId => admit(ledger, { isolation: "process", ...wish });
const ofItsOwn = (ownRun: RunId, digest = "p"): ProfileKey => ({ digest, ownRun });
const profileOf = (ledger: Ledger, id: RunId) => findRun(ledger, id)?.profile;

describe("a run that asks for its own process", () => {
	test("names the hosts that can work on it: those of its profile, and of these its own", async () => {
		const ledger = await scratch.ledger();
		const [own, shared] = [isolated(ledger), admit(ledger)];
		expect(profileOf(ledger, own)).toEqual(ofItsOwn(own));
		expect(profileOf(ledger, shared)).toEqual({ digest: "p" });
		expect(openRunsOf(ledger, "parent", 0).map(({ profile }) => profile)).toEqual([ofItsOwn(own), { digest: "p" }]);
	});

	test("is claimed by its own host and by no other, and that host claims nothing else", async () => {
		const ledger = await scratch.ledger();
		const [own, shared] = [isolated(ledger), admit(ledger)];
		const claim = (profile: ProfileKey) =>
			claimRuns(ledger, { hostId: readyHost(ledger, { profile }), profile, at: 0, leaseMs: 10, atMost: 50 }).map(
				({ run }) => run.id,
			);
		expect(claim({ digest: "p" })).toEqual([shared]);
		expect(claim(ofItsOwn(own))).toEqual([own]);
	});

	test("may have another host if the clock was set back since the right to start one was given", async () => {
		const ledger = await scratch.ledger();
		const own = isolated(ledger, { laneLimit: 1 });
		const right = { profile: ofItsOwn(own), at: 3_600_000, startWithinMs: 100, socketOf: () => "socket" };
		findOrReserveHost(ledger, right);
		expect(mayHaveOwnHost(ledger, own, 1000)).toBe(false);
		expireImpossibleStarts(ledger, 1000, 100);
		expect(mayHaveOwnHost(ledger, own, 1000)).toBe(true);
	});

	test("keeps that when a parent of another profile takes it over, and hands it on to a follow-up run", async () => {
		const ledger = await scratch.ledger();
		const own = isolated(ledger);
		expect(adoptRun(ledger, { id: own, from: ofItsOwn(own), to: "q", at: 0 })).toBe(true);
		expect(profileOf(ledger, own)).toEqual(ofItsOwn(own, "q"));
		const hostId = readyHost(ledger, { profile: ofItsOwn(own, "q") });
		const run = claimNext(ledger, { hostId, profile: ofItsOwn(own, "q"), at: 0, leaseMs: 10 })?.run;
		sendToRun(ledger, own, { body: "One more thing.", at: 1 });
		endRun(ledger, { id: own, fence: run?.fence ?? 0, outcome: success(), at: 2 });
		const [next] = selectRuns(ledger, "state = 'queued'");
		expect(next?.profile).toEqual({ digest: "q", ownRun: next?.run.id });
		expect(next?.run.id).not.toBe(own);
	});
});

describe("a process for one run is started", () => {
	test("if the lane has a place for it, and else for one that then waits", async () => {
		const ledger = await scratch.ledger();
		const [first, second, third] = [1, 2, 3].map(() => isolated(ledger, { laneLimit: 2 })) as [RunId, RunId, RunId];
		expect(mayHaveOwnHost(ledger, first, 0)).toBe(true);
		const host = readyHost(ledger, { profile: ofItsOwn(first) });
		// One place is as good as taken.
		expect(mayHaveOwnHost(ledger, second, 0)).toBe(true);
		readyHost(ledger, { profile: ofItsOwn(second) });
		expect(mayHaveOwnHost(ledger, third, 0)).toBe(false);
		claimNext(ledger, { hostId: host, profile: ofItsOwn(first), at: 0, leaseMs: 10 });
		expect(mayHaveOwnHost(ledger, third, 0)).toBe(false);
		admit(ledger, { laneLimit: 1000 });
		claimNext(ledger, { hostId: readyHost(ledger, { profile: "p" }), profile: "p", at: 0, leaseMs: 10 });
		hostGone(ledger, host, 0);
		expect(ledger.run("UPDATE hosts SET state = 'gone' WHERE own_run = ?", second)).toBe(1);
		// The lane is full, and nobody waits yet.
		expect(mayHaveOwnHost(ledger, third, 0)).toBe(true);
	});

	test("not for a run that is to be stopped, or whose session has one before it, or that has finished", async () => {
		const ledger = await scratch.ledger();
		const session = newSessionId();
		const [before, after, stopped] = [
			isolated(ledger, { session }),
			isolated(ledger, { session }),
			isolated(ledger),
		] as const;
		requestStop(ledger, stopped, { at: 0, by: "the user" });
		expect([before, after, stopped].map((id) => mayHaveOwnHost(ledger, id, 0))).toEqual([true, false, false]);
		endRun(ledger, { id: before, fence: 0, outcome: success(), at: 1 });
		expect([before, after].map((id) => mayHaveOwnHost(ledger, id, 0))).toEqual([false, true]);
	});
});

test("a place is kept for a run whose own host waits, before those that came later and not before the earlier ones", async () => {
	const ledger = await scratch.ledger();
	const laneLimit = 1;
	const shared = readyHost(ledger, { profile: "p" });
	const claim = () => claimNext(ledger, { hostId: shared, profile: "p", at: 0, leaseMs: 10 })?.run;
	const earlier = admit(ledger, { laneLimit });
	const own = isolated(ledger, { laneLimit });
	const later = admit(ledger, { laneLimit });
	const ownHost = readyHost(ledger, { profile: ofItsOwn(own), leaseUntil: 100 });
	const first = claim();
	expect(first?.id).toBe(earlier);
	endRun(ledger, { id: earlier, fence: first?.fence ?? 0, outcome: success(), at: 1 });
	expect(claim()).toBeUndefined();
	expect(claimNext(ledger, { hostId: ownHost, profile: ofItsOwn(own), at: 0, leaseMs: 10 })?.run.id).toBe(own);
	const run = findRun(ledger, own)?.run;
	endRun(ledger, { id: own, fence: run?.fence ?? 0, outcome: success(), at: 1 });
	expect(claim()?.id).toBe(later);
});

test("a place is not kept for a host that is not heard of any more", async () => {
	const ledger = await scratch.ledger();
	const own = isolated(ledger, { laneLimit: 1 });
	const later = admit(ledger, { laneLimit: 1 });
	readyHost(ledger, { profile: ofItsOwn(own), leaseUntil: 100 });
	const hostId = readyHost(ledger, { profile: "p" });
	expect(claimNext(ledger, { hostId, profile: "p", at: 99, leaseMs: 10 })).toBeUndefined();
	expect(claimNext(ledger, { hostId, profile: "p", at: 100, leaseMs: 10 })?.run.id).toBe(later);
});

describe("runs that lost a host together", () => {
	/** Two runs in one host, which dies as often as there are attempts. */
	async function twoRuns(maxAttempts: number) {
		const ledger = await scratch.ledger();
		const ids = [admit(ledger, { maxAttempts }), admit(ledger, { maxAttempts })];
		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const hostId = readyHost(ledger, { leaseUntil: attempt * 100 });
			const claimed = claimRuns(ledger, {
				hostId,
				profile: { digest: "p" },
				at: attempt * 100,
				leaseMs: 100,
				atMost: 5,
			});
			expect(claimed).toHaveLength(2);
			sweep(ledger, { at: attempt * 100 + 100, outcomeOf });
		}
		return { ledger, ids };
	}

	test("share one again while attempts are left, and have one each for the attempt after the last", async () => {
		const { ledger, ids } = await twoRuns(2);
		for (const id of ids) {
			expect(findRun(ledger, id)).toMatchObject({
				run: { state: "queued", attempt: 2, maxAttempts: 3 },
				profile: ofItsOwn(id),
			});
		}
	});

	test("are lost if they were to be tried once only", async () => {
		const { ledger, ids } = await twoRuns(1);
		for (const id of ids) expect(findRun(ledger, id)?.run.state).toBe("ended");
	});

	test("are lost if their own host dies too", async () => {
		const { ledger, ids } = await twoRuns(2);
		const [id] = ids as [RunId];
		const hostId = readyHost(ledger, { profile: ofItsOwn(id), leaseUntil: 500 });
		claimNext(ledger, { hostId, profile: ofItsOwn(id), at: 400, leaseMs: 100 });
		expect(sweep(ledger, { at: 500, outcomeOf }).ended.map(({ run }) => run.id)).toEqual([id]);
	});
});
