import { expect, test } from "vitest";
import { UnsettledTurns } from "../../src/deliver/unsettled-turns.ts";
import { NO_LOG } from "../../src/log/log.ts";
import type { Clock } from "../../src/ports/clock.ts";

/** A clock whose timers fire when the test says so. */
function scene() {
	const timers: (() => void)[] = [];
	const after: Clock["after"] = (_ms, work) => {
		timers.push(work);
		return () => {};
	};
	const clock = { after } as Clock;
	return { timers, turns: new UnsettledTurns(clock, NO_LOG) };
}

test("turns are settled together, each once, when their time has come", async () => {
	const { timers, turns } = scene();
	const settled: string[] = [];
	for (const turn of ["one", "two"]) turns.add(async () => void settled.push(turn));
	expect([timers.length, settled]).toEqual([1, []]);
	timers[0]?.();
	await turns.settleNow();
	expect(settled).toEqual(["one", "two"]);
});

test("a turn that cannot be settled does not keep the next one from it", async () => {
	const { turns } = scene();
	const settled: string[] = [];
	turns.add(() => Promise.reject(new Error("The disk is full.")));
	turns.add(async () => void settled.push("two"));
	await turns.settleNow();
	expect(settled).toEqual(["two"]);
});
