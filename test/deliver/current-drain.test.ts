import { expect, test } from "vitest";
import { CurrentDrain, type Drain } from "../../src/deliver/current-drain.ts";
import { newRunId } from "../../src/run/ids.ts";

const drain: Drain = { deadline: 100, sayAwaited: () => {}, sayLeft: () => {} };

test("a drain ends once, with the first messages that it gets", async () => {
	const draining = new CurrentDrain();
	const handed = draining.begin(drain);
	const message = { customType: "pi-geon:stopped", content: "" } as never;
	draining.endWith([message]);
	draining.endWith([]);
	expect(await handed).toEqual([message]);
	expect(draining.stateUntil(5)).toBeUndefined();
});

test("it is overdue from its deadline on, and only while it lasts", () => {
	const draining = new CurrentDrain();
	expect([draining.isOverdue(1000), draining.stateUntil(5)]).toEqual([false, undefined]);
	void draining.begin(drain);
	expect([draining.isOverdue(99), draining.isOverdue(100)]).toEqual([false, true]);
	expect(draining.stateUntil(5)).toEqual({ deadline: 100, sayAt: 5 });
	draining.endWith([]);
	expect(draining.isOverdue(100)).toBe(false);
});

test("the user is told only while it lasts", () => {
	const said: unknown[] = [];
	const open = [newRunId()];
	const draining = new CurrentDrain();
	draining.sayLeft(open);
	void draining.begin({
		...drain,
		sayAwaited: (...facts) => said.push(["awaited", ...facts]),
		sayLeft: (...facts) => said.push(["left", ...facts]),
	});
	draining.sayAwaited(open, 7);
	draining.sayLeft(open);
	draining.endWith([]);
	draining.sayAwaited(open, 8);
	expect(said).toEqual([
		["awaited", open, 7],
		["left", open],
	]);
});
