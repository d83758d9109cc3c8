import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { queuePositions } from "../../src/ledger/claim.ts";
import { closeHost, findHost, hostGone } from "../../src/ledger/hosts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { type HostId, newHostId, newSessionId, type RunId } from "../../src/run/ids.ts";
import { lockLedgerFile } from "../helpers/ledger-file.ts";
import { claimNext } from "./one-run.ts";
import { admission, outcomeOf, success, type Wish } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

interface Desk {
	ledger: Ledger;
	host: HostId;
	admit(wish?: Wish): RunId;
	claim(profile?: string): RunId | undefined;
	end(id: RunId | undefined): void;
}

async function desk(): Promise<Desk> {
	const ledger = await scratch.ledger();
	const host = readyHost(ledger);
	const fences = new Map<RunId, number>();
	return {
		ledger,
		host,
		admit: (wish) => admitRun(ledger, admission(wish)).run.id,
		claim(profile = "p") {
			const run = claimNext(ledger, { hostId: host, profile, at: 10, leaseMs: 100 })?.run;
			if (run) fences.set(run.id, run.fence);
			return run?.id;
		},
		end(id) {
			if (id === undefined) throw new Error("There is no run to end.");
			expect(endRun(ledger, { id, fence: fences.get(id) ?? -1, outcome: success(), at: 20 })).toBe(true);
		},
	};
}

test("a claimed run is the host's, with a lease, a fence and a start", async () => {
	const { ledger, host, admit } = await desk();
	const id = admit();
	const record = claimNext(ledger, { hostId: host, profile: "p", at: 10, leaseMs: 100 });
	expect(record?.run).toEqual({
		id,
		state: "running",
		hostId: host,
		leaseUntil: 110,
		startedAt: 10,
		attempt: 1,
		maxAttempts: 2,
		fence: 1,
	});
});

describe("who is next", () => {
	test("the foreground before the background, each in the order of admission", async () => {
		const { admit, claim } = await desk();
		const wishes = ["background", "foreground", "background", "foreground"] as const;
		const [b1, f1, b2, f2] = wishes.map((mode) => admit({ mode, parentSession: mode }));
		// One parent a mode, so that fairness between parents decides nothing here.
		expect([claim(), claim(), claim(), claim(), claim()]).toEqual([f1, f2, b1, b2, undefined]);
	});

	test("the parent with the fewest running runs", async () => {
		const { admit, claim, end } = await desk();
		const [a1, a2, a3] = [1, 2, 3].map(() => admit({ parentSession: "a" }));
		const [b1, b2] = [1, 2].map(() => admit({ parentSession: "b" }));
		expect([claim(), claim(), claim()]).toEqual([a1, b1, a2]);
		end(a1);
		end(a2);
		expect([claim(), claim(), claim()]).toEqual([a3, b2, undefined]);
	});

	test("only runs of the host's profile", async () => {
		const { admit, claim } = await desk();
		admit({ profile: "another" });
		const mine = admit({ profile: "p" });
		expect([claim("p"), claim("p")]).toEqual([mine, undefined]);
	});

	test("no run that is to be stopped", async () => {
		const { ledger, admit, claim } = await desk();
		const [stopped, other] = [admit(), admit()];
		requestStop(ledger, stopped, { at: 5, by: "the user" });
		expect([claim(), claim()]).toEqual([other, undefined]);
	});

	test("no run whose attempts are used up, even before it is swept", async () => {
		const { ledger, admit, claim } = await desk();
		const id = admit({ maxAttempts: 1 });
		ledger.run("UPDATE runs SET attempt = 1 WHERE id = ?", id);
		expect(claim()).toBeUndefined();
	});
});

describe("who is next where two shells have hosts of their own", () => {
	/** Another host, whose profile is its own. */
	const other = async () => {
		const { ledger, host, ...rest } = await desk();
		for (const profile of ["p", "q"]) readyHost(ledger, { profile });
		return rest;
	};

	test("a foreground run, in whichever of them", async () => {
		const { admit, claim, end } = await other();
		const [b1, b2] = [1, 2].map(() => admit({ profile: "p", mode: "background", laneLimit: 1, parentSession: "a" }));
		expect(claim("p")).toBe(b1);
		const f1 = admit({ profile: "q", laneLimit: 1, parentSession: "b" });
		end(b1);
		expect(claim("p")).toBeUndefined();
		expect(claim("q")).toBe(f1);
		end(f1);
		expect(claim("p")).toBe(b2);
	});

	test("the parent with the fewest running runs, in whichever of them", async () => {
		const { admit, claim, end } = await other();
		const wish = { mode: "background", laneLimit: 2 } as const;
		const [a1, a2, a3] = [1, 2, 3].map(() => admit({ profile: "p", parentSession: "a", ...wish }));
		const [b1] = [admit({ profile: "q", parentSession: "b", ...wish })];
		expect([claim("p"), claim("p")]).toEqual([a1, undefined]);
		expect(claim("q")).toBe(b1);
		end(b1);
		expect(claim("p")).toBe(a2);
		end(a1);
		expect(claim("p")).toBe(a3);
	});

	test("a run whose host is not ready holds up no other", async () => {
		const { admit, claim } = await other();
		admit({ profile: "of a host that left", laneLimit: 1 });
		const mine = admit({ profile: "p", laneLimit: 1, mode: "background" });
		expect(claim("p")).toBe(mine);
	});
});

test("background runs let one in the foreground pass that wants a narrower lane", async () => {
	const { admit, claim, end } = await desk();
	const [b1, b2, b3] = [1, 2, 3].map(() => admit({ mode: "background", laneLimit: 2 }));
	expect([claim(), claim()]).toEqual([b1, b2]);
	const narrow = admit({ laneLimit: 1, parentSession: "another" });
	end(b1);
	expect(claim()).toBeUndefined();
	end(b2);
	expect([claim(), claim()]).toEqual([narrow, b3]);
});

describe("who waits", () => {
	test("all while the lane is full, whatever their profile", async () => {
		const { admit, claim, end } = await desk();
		const first = admit({ laneLimit: 2 });
		admit({ laneLimit: 2, profile: "another" });
		const third = admit({ laneLimit: 2 });
		expect(claim("p")).toBe(first);
		expect(claim("another")).toBeDefined();
		expect(claim("p")).toBeUndefined();
		end(first);
		expect(claim("p")).toBe(third);
	});

	test("one of two hosts that looked at the last free place at the same time", async () => {
		const { ledger, admit } = await desk();
		for (const profile of ["p", "q"]) admit({ profile, laneLimit: 1 });
		const hosts = { p: readyHost(ledger), q: readyHost(ledger) };
		const [first, second] = await Promise.all([scratch.peer(), scratch.peer()]);
		const asking = Promise.all([first.says("claiming"), second.says("claiming")]);
		// While somebody writes, both can look, and must wait before they may take what they saw.
		const writer = lockLedgerFile(ledger.file);
		const claims = [
			first.call("claimAs", { file: ledger.file, hostId: hosts.p, profile: "p" }),
			second.call("claimAs", { file: ledger.file, hostId: hosts.q, profile: "q" }),
		];
		await asking;
		await sleep(50);
		writer.release();
		expect((await Promise.all(claims)).filter((id) => id !== undefined)).toHaveLength(1);
	});

	test("a run by the lane its own requester configured", async () => {
		const { admit, claim } = await desk();
		const narrow = { laneLimit: 1 };
		expect(claim()).toBeUndefined();
		const [first, , wide] = [admit(narrow), admit(narrow), admit({ laneLimit: 2 })];
		expect([claim(), claim(), claim()]).toEqual([first, wide, undefined]);
	});

	test("a run whose session is busy: a session has one writer", async () => {
		const { admit, claim, end } = await desk();
		const session = newSessionId();
		const [first, second, other] = [admit({ session }), admit({ session }), admit()];
		expect([claim(), claim(), claim()]).toEqual([first, other, undefined]);
		end(first);
		expect(claim()).toBe(second);
	});

	test("a run whose session has an earlier one waiting, even if its own turn came first", async () => {
		const { admit, claim } = await desk();
		const session = newSessionId();
		const earlier = admit({ session, mode: "background" });
		admit({ session, mode: "foreground" });
		expect([claim(), claim()]).toEqual([earlier, undefined]);
	});

	test("a run whose session has an earlier one in another profile", async () => {
		const { admit, claim, end } = await desk();
		const session = newSessionId();
		const elsewhere = admit({ session, profile: "another" });
		const here = admit({ session });
		expect(claim("p")).toBeUndefined();
		expect(claim("another")).toBe(elsewhere);
		end(elsewhere);
		expect(claim("p")).toBe(here);
	});

	test("a run whose session has an earlier one that is to be stopped, until that has finished", async () => {
		const { ledger, admit, claim } = await desk();
		const session = newSessionId();
		const [earlier, later] = [admit({ session }), admit({ session })];
		requestStop(ledger, earlier, { at: 5, by: "the user" });
		expect(claim()).toBeUndefined();
		sweep(ledger, { at: 6, outcomeOf });
		expect(claim()).toBe(later);
	});
});

describe("which hosts may claim", () => {
	test("not one the ledger does not know", async () => {
		const { ledger, admit } = await desk();
		admit();
		expect(claimNext(ledger, { hostId: newHostId(), profile: "p", at: 1, leaseMs: 1 })).toBeUndefined();
	});

	test("not one that others have given up on, nor one that is closing", async () => {
		const { ledger, admit, claim } = await desk();
		const [gone, closing] = [readyHost(ledger), readyHost(ledger)];
		hostGone(ledger, gone, 1);
		closeHost(ledger, closing);
		const id = admit();
		for (const hostId of [gone, closing]) {
			expect(claimNext(ledger, { hostId, profile: "p", at: 1, leaseMs: 1 })).toBeUndefined();
		}
		expect(claim()).toBe(id);
	});

	test("a host's lease is never shorter than that of a run it claimed", async () => {
		const { ledger, admit } = await desk();
		const hostId = readyHost(ledger, { leaseUntil: 50 });
		admit();
		claimNext(ledger, { hostId, profile: "p", at: 40, leaseMs: 100 });
		expect(findHost(ledger, hostId)?.leaseUntil).toBe(140);
	});
});

test("the place in the queue counts those who come before, in every profile, less those who never will", async () => {
	const { ledger, admit, claim } = await desk();
	const [b1, f1, f2, stopped, f3, b2] = [
		admit({ mode: "background" }),
		admit(),
		admit({ profile: "another" }),
		admit(),
		admit(),
		admit({ mode: "background" }),
	];
	requestStop(ledger, stopped, { at: 1, by: "the user" });
	const places = () => [f1, f2, f3, b1, b2].map((id) => queuePositions(ledger).get(id));
	expect(places()).toEqual([0, 1, 2, 3, 4]);
	expect(claim()).toBe(f1);
	expect(places()).toEqual([undefined, 0, 1, 2, 3]);
	expect(queuePositions(ledger).get("00000000" as RunId)).toBeUndefined();
});

test("places in the queue are given in turns: a parent with fewer running runs comes before one that asked for many", async () => {
	const { ledger, admit, claim } = await desk();
	const many = [1, 2, 3, 4].map(() => admit({ parentSession: "a", laneLimit: 3 }));
	const one = admit({ parentSession: "b", laneLimit: 3 });
	const places = () => [...many, one].map((id) => queuePositions(ledger).get(id));
	expect(places()).toEqual([0, 2, 3, 4, 1]);
	expect([claim(), claim(), claim()]).toEqual([many[0], one, many[1]]);
	expect(places()).toEqual([undefined, undefined, 0, 1, undefined]);
});

test("a run that a pool does takes no place, waits for none, and counts for no one's turn", async () => {
	const ledger = await scratch.ledger();
	const local = readyHost(ledger, { profile: "p" });
	const courier = readyHost(ledger, { profile: "pool:team:p" });
	const admit = (profile: string) => admitRun(ledger, admission({ profile, laneLimit: 1 })).run.id;
	const claim = (hostId: HostId, profile: string) =>
		claimNext(ledger, { hostId, profile, at: 10, leaseMs: 100 })?.run.id;
	const near = admit("p");
	const away = [admit("pool:team:p"), admit("pool:team:p")];
	expect([...queuePositions(ledger).keys()]).toEqual([near]);
	expect(away).toContain(claim(courier, "pool:team:p"));
	expect(claim(local, "p")).toBe(near);
	// The lane is full.
	expect(away).toContain(claim(courier, "pool:team:p"));
	admit("p");
	expect(claim(local, "p")).toBeUndefined();
});
