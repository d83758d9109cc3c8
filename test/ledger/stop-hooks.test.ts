import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { stopHookDone, takeStopHooks } from "../../src/ledger/stop-hooks.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import type { RunId } from "../../src/run/ids.ts";
import { admission, outcomeOf, success } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();
const stopHook = { command: ["/bin/log"], timeoutMs: 1000, cwd: "/agent" };

function admit(ledger: Ledger, hooked = true): RunId {
	const { plan, ...rest } = admission();
	return admitRun(ledger, { ...rest, plan: hooked ? { ...plan, stopHook } : plan }).run.id;
}

const taken = (ledger: Ledger, atMost = 9) => takeStopHooks(ledger, atMost).map(({ run }) => run.id);
const marks = (ledger: Ledger) => ledger.all<{ stop_hook: string | null }>("SELECT stop_hook FROM runs ORDER BY seq");

test("a run owes its stop hook once it has finished, and one without a hook owes none", async () => {
	const ledger = await scratch.ledger();
	const [hooked, other] = [admit(ledger), admit(ledger, false)];
	expect(taken(ledger)).toEqual([]);
	for (const id of [hooked, other]) endRun(ledger, { id, fence: 0, outcome: success(), at: 5 });
	expect(marks(ledger)).toEqual([{ stop_hook: "owed" }, { stop_hook: null }]);
	expect(taken(ledger)).toEqual([hooked]);
});

test("also a run that ended without a host owes it", async () => {
	const ledger = await scratch.ledger();
	const id = admit(ledger);
	requestStop(ledger, id, { at: 1, by: "the user" });
	sweep(ledger, { at: 2, outcomeOf });
	expect(takeStopHooks(ledger, 1)).toMatchObject([{ run: { id, outcome: { cause: "stopped" } }, plan: { stopHook } }]);
});

test("a hook is taken once, by whichever process looks first, and not again if that one dies before it is done", async () => {
	const one = await scratch.ledger();
	const two = await scratch.ledger(one.file);
	const ids = [admit(one), admit(one), admit(one)];
	for (const id of ids) endRun(one, { id, fence: 0, outcome: success(), at: 5 });
	expect(taken(one, 1)).toEqual([ids[0]]);
	expect(taken(two, 1)).toEqual([ids[1]]);
	expect(taken(one)).toEqual([ids[2]]);
	expect([...taken(one), ...taken(two)]).toEqual([]);
	if (ids[0]) stopHookDone(one, ids[0]);
	expect(marks(two).map(({ stop_hook }) => stop_hook)).toEqual(["done", "begun", "begun"]);
});

test("nothing is taken by one that has its hands full", async () => {
	const ledger = await scratch.ledger();
	const id = admit(ledger);
	endRun(ledger, { id, fence: 0, outcome: success(), at: 5 });
	expect(taken(ledger, 0)).toEqual([]);
	expect(taken(ledger, 1)).toEqual([id]);
});
