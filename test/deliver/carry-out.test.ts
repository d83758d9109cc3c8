import { expect, test } from "vitest";
import { type Carrying, carryOut } from "../../src/deliver/carry-out.ts";
import { CurrentDrain } from "../../src/deliver/current-drain.ts";
import { type DeliveryAction, type DeliveryState, NOTHING_GIVEN } from "../../src/deliver/decide.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { type EndedRecord, findRun, type RunMode } from "../../src/ledger/records.ts";
import { NO_LOG } from "../../src/log/log.ts";
import type { SilentRun } from "../../src/ports/conversation.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { asItIs, NO_REDACTOR } from "../helpers/as-it-is.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { CHANGES } from "./reported-changes.ts";

const scratch = useScratch();

const BACKGROUND: RunMode = "background";

/** A conversation that is owed outcomes, and everything that is done to it. */
async function scene({ byUser = false, stopped = false, toldBefore = false, changed = false, mode = BACKGROUND } = {}) {
	const ledger = await scratch.ledger();
	const { plan, ...rest } = admission({ mode });
	const { run } = admitRun(ledger, { ...rest, plan: { ...plan, ...(byUser && { byUser }) } });
	const outcome = stopped ? outcomeOf(undefined, { kind: "stopped", by: "the user" }) : success();
	const changes = changed ? { changes: asItIs<Outcome["changes"]>(CHANGES) } : {};
	endRun(ledger, { id: run.id, fence: 0, outcome: { ...outcome, ...changes } as Outcome, at: 1 });
	const done: string[] = [];
	const entries = toldBefore
		? [{ type: "custom_message", customType: "pi-geon:announce", details: { announceId: run.id } }]
		: [];
	let state: DeliveryState = { ...NOTHING_GIVEN, drain: { deadline: 500, sayAt: 0 } };
	const draining = new CurrentDrain();
	const handed = draining.begin({
		deadline: 500,
		sayAwaited: (open, forMs) => done.push(`awaits ${open.length} for ${forMs}`),
		sayLeft: (open) => done.push(`leaves ${open.length}`),
	});
	const given = () => [...state.inFlight.keys()];
	const delivery = () => ledger.get<{ delivery: string }>("SELECT delivery FROM runs")?.delivery;
	const talk = {
		sessionId: "parent",
		file: undefined,
		entries: () => entries,
		send: (messages: readonly { content: string }[]) =>
			done.push(`send ${messages.length}, remembered ${given().length}`),
		add: () => done.push(`add, remembered ${given().length}`),
		countUsage: () => {},
		countUsageOf: ({ runId, model, usage }: SilentRun) =>
			done.push(`count ${runId === run.id} ${model} ${usage.cost} while ${delivery()}`),
		notify: (text: string) => done.push(`notify ${text.replace(run.id, "#")}`),
	};
	const record = findRun(ledger, run.id);
	if (record?.run.state !== "ended") return expect.fail("not ended");
	const carrying: Carrying = {
		telling: {
			talk: talk as never,
			ledger,
			redactor: NO_REDACTOR,
			events: { announced: () => done.push("announced") },
			clock: { now: () => 77, elapsed: () => 77 } as never,
			log: NO_LOG,
		},
		remember: (change) => {
			state = change(state);
		},
		owed: new Map<RunId, EndedRecord>([[run.id, { ...record, run: record.run }]]),
		open: [],
		draining,
		lookAgain: () => done.push("look again"),
	};
	return {
		id: run.id,
		done,
		handed,
		carryOut: (action: DeliveryAction) => carryOut(action, carrying),
		given,
		drain: () => state.drain,
		delivery,
	};
}

test("an announce is remembered as given before pi gets it, and starts a turn", async () => {
	const { id, carryOut, done, given, delivery } = await scene();
	carryOut({ do: "announce", ids: [id], maxBytes: 10_000 });
	expect([done, given(), delivery()]).toEqual([["send 1, remembered 1"], [id], "owed"]);
});

test("one of a run that the user started wakes no model", async () => {
	const { id, carryOut, done } = await scene({ byUser: true });
	carryOut({ do: "announce", ids: [id], maxBytes: 10_000 });
	expect(done).toEqual(["add, remembered 1"]);
});

test("one that the session tells already is settled instead", async () => {
	const { id, carryOut, done, given, delivery } = await scene({ toldBefore: true });
	carryOut({ do: "announce", ids: [id], maxBytes: 10_000 });
	expect([done, given(), delivery()]).toEqual([["announced"], [], "delivered"]);
});

test("settling pays the debt, and skipping tells the user alone", async () => {
	const one = await scene();
	one.carryOut({ do: "settle", ids: [one.id] });
	expect([one.done, one.delivery()]).toEqual([["announced"], "delivered"]);
	const other = await scene();
	other.carryOut({ do: "skip", ids: [other.id] });
	expect(other.done).toEqual([
		expect.stringMatching(/^count/),
		expect.stringMatching(/^notify scout # finished without a report/),
	]);
	expect(other.delivery()).toBe("skipped");
});

test("a call whose result the next look settles counts as answered, and is not announced", async () => {
	const { id, carryOut, done, delivery } = await scene({ mode: "foreground" });
	carryOut({ do: "settle", ids: [id] });
	expect([done, delivery()]).toEqual([[], "delivered"]);
});

test("one whose pi died while it waited is announced", async () => {
	const { id, carryOut, done, delivery } = await scene({ mode: "foreground", toldBefore: true });
	carryOut({ do: "settle", ids: [id] });
	expect([done, delivery()]).toEqual([["announced"], "delivered"]);
});

test("the cost of a silent run is counted once, after the ledger has it as skipped", async () => {
	const { id, carryOut, done } = await scene();
	carryOut({ do: "skip", ids: [id] });
	carryOut({ do: "skip", ids: [id] });
	expect(done.filter((what) => what.startsWith("count"))).toEqual(["count true undefined 0 while skipped"]);
});

test("the line about a silent run says that there are changes to look at", async () => {
	const { id, carryOut, done } = await scene({ changed: true });
	carryOut({ do: "skip", ids: [id] });
	const line = done.find((what) => what.startsWith("notify"));
	expect(line).toContain(
		`It changed 1 file +2 -1. Not in your working tree yet: /subagents diff ${id} shows it, /subagents apply ${id} applies it.`,
	);
});

test("what the user stopped is added without a turn", async () => {
	const { id, carryOut, done, given } = await scene({ stopped: true });
	carryOut({ do: "tell what the user stopped", ids: [id] });
	expect([done, given()]).toEqual([["add, remembered 1"], [id]]);
});

test("a draining pi is handed announces and what the user stopped, and its drain is over", async () => {
	const { id, carryOut, handed, drain, given } = await scene({ stopped: true });
	carryOut({ do: "deliver due", ids: [], stopped: [id], maxBytes: 10_000 });
	expect((await handed).map(({ customType }) => customType)).toEqual(["pi-geon:stopped"]);
	expect([drain(), given()]).toEqual([undefined, [id]]);
});

test("it waits on if another process has told them all", async () => {
	const { id, carryOut, done, drain } = await scene({ toldBefore: true });
	carryOut({ do: "deliver due", ids: [id], stopped: [], maxBytes: 10_000 });
	expect([done, drain()]).toEqual([["announced", "look again"], { deadline: 500, sayAt: 77 }]);
});

test("and is handed nothing if there is nothing to wait for", async () => {
	const { carryOut, handed, done } = await scene();
	carryOut({ do: "deliver due", ids: [], stopped: [], maxBytes: 10_000 });
	expect([await handed, done]).toEqual([[], []]);
});

test("the user of a draining pi is told what it waits for", async () => {
	const { carryOut, done } = await scene();
	carryOut({ do: "say what is awaited", forMs: 9 });
	carryOut({ do: "say what is left" });
	expect(done).toEqual(["awaits 0 for 9", "leaves 0"]);
});
