import { beforeEach, expect, test } from "vitest";
import { NOTHING_GIVEN } from "../../src/deliver/decide.ts";
import { DeliveryClaims } from "../../src/deliver/delivery-claims.ts";
import { type Sight, seeDeliveries } from "../../src/deliver/snapshot.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
let ledger: Ledger;
beforeEach(async () => {
	ledger = await scratch.ledger();
});

const claimsOf = (pid: number) =>
	new DeliveryClaims({
		clock: { now: () => 1000, elapsed: () => 1000 },
		processes: { self: { pid, started: "then" }, isDead: () => false },
	} as never);

const admit = () => admitRun(ledger, admission({ mode: "background" })).run.id;

function ended(outcome: Outcome = success()): RunId {
	const id = admit();
	endRun(ledger, { id, fence: 0, outcome, at: 1 });
	return id;
}

/** A conversation without a file, which remembers these announces. */
function see({ remembers = [], ...sight }: Partial<Sight> & { remembers?: RunId[] } = {}) {
	const entries = remembers.map((announceId) => ({
		type: "custom_message",
		customType: "pi-geon:announce",
		details: { announceId, runId: announceId },
	}));
	const talk = {
		sessionId: "parent",
		file: undefined,
		isInteractive: true,
		isIdle: () => true,
		hasPending: () => false,
		entries: () => entries,
		...(sight.talk as object | undefined),
	};
	const rest = {
		ledger,
		claims: claimsOf(1),
		state: NOTHING_GIVEN,
		known: new Map(),
		open: 2,
		awaited: new Map(),
		isCalling: false,
		at: 5,
	};
	return seeDeliveries({ ...rest, ...sight, talk: talk as never });
}

test("what is owed is seen, less what is on its way and what a call returns", () => {
	const [owed, given, awaited] = [ended(), ended(), ended()];
	const inFlight = new Map([[given, { givenAt: 0, busyAt: 0 }]]);
	const { owed: records, seen } = see({ state: { ...NOTHING_GIVEN, inFlight }, awaited: new Map([[awaited, "call"]]) });
	expect([...records.keys()]).toEqual([owed]);
	expect(seen).toMatchObject({ open: 2, awaited: 1, owed: [{ id: owed, isOurs: true, wantsSilence: false }] });
});

test("what another process has taken upon itself is not ours", () => {
	const id = ended();
	claimsOf(2).take(ledger, [id]);
	expect(see().seen.owed).toEqual([{ id, isOurs: false, wantsSilence: false }]);
});

test("a child that wanted silence is seen to", () => {
	const id = ended(success("ANNOUNCE_SKIP"));
	expect(see().seen.owed).toEqual([{ id, isOurs: true, wantsSilence: true }]);
});

test("a stop is reported once all runs that the same command stopped have finished", () => {
	const [first, second] = [admit(), admit()];
	for (const id of [first, second]) requestStop(ledger, id, { at: 1, by: "the user", command: "stop all" });
	const stopped = outcomeOf(undefined, { kind: "stopped", by: "the user" });
	endRun(ledger, { id: first, fence: 0, outcome: stopped, at: 2 });
	expect(see().seen.owed.map(({ stopped: how }) => how)).toEqual(["underway"]);
	endRun(ledger, { id: second, fence: 0, outcome: stopped, at: 3 });
	expect(see().seen.owed.map(({ stopped: how }) => how)).toEqual(["whole", "whole"]);
});

test("a session that is not kept has its memory only", () => {
	const id = ended();
	const { seen } = see({ remembers: [id] });
	expect([seen.held, seen.onDisk, seen.memoryIsLost]).toEqual([new Set([id]), new Set([id]), false]);
});

test.each([
	[true, true, true],
	[true, false, false],
	[false, true, false],
])("with a file (%j) that has room (%j), what only memory holds is lost: %j", (exists, hasRoom, isLost) => {
	const id = ended();
	const asked: string[] = [];
	const files = {
		exists: () => exists,
		hasRoom: () => hasRoom,
		flush: () => asked.push("flush"),
		read: () => "",
	};
	const { seen } = see({
		remembers: [id],
		talk: { file: "/session.jsonl" } as never,
		...withFiles(files),
	});
	expect([seen.held.has(id), seen.onDisk.has(id), seen.memoryIsLost]).toEqual([true, false, isLost]);
});

test("the disk is not asked about what memory does not hold", () => {
	ended();
	const files = { exists: () => expect.fail("asked"), flush: () => expect.fail("asked") };
	expect(see({ talk: { file: "/session.jsonl" } as never, ...withFiles(files) }).seen.onDisk.size).toBe(0);
});

/** The same ledger over other session files. */
const withFiles = (files: object): { ledger: Ledger } => ({
	ledger: new Proxy(ledger, {
		get: (target, name) => {
			if (name === "files") return files;
			const value = Reflect.get(target, name, target) as unknown;
			return typeof value === "function" ? value.bind(target) : value;
		},
	}),
});
