import { expect, test } from "vitest";
import { newRunId } from "../../src/run/ids.ts";
import { Calls } from "../../src/supervise/calls.ts";

const ENDED = { run: { state: "ended" } } as never;

function scene() {
	const calls = new Calls();
	let changes = 0;
	const onChange = () => {
		changes++;
	};
	return { calls, id: newRunId(), onChange, changes: () => changes };
}

test("a call is answered once, and no longer counts then", async () => {
	const { calls, id, onChange, changes } = scene();
	const answer = calls.add(id, {}, onChange);
	expect([calls.isEmpty, calls.awaited, changes()]).toEqual([false, [id], 1]);
	const [caller] = calls.callers;
	calls.answer(caller?.id ?? 0, ENDED);
	calls.answer(caller?.id ?? 0, undefined);
	expect(await answer).toBe(ENDED);
	expect([calls.isEmpty, calls.awaited, calls.callers, calls.of(id)]).toEqual([true, [], [], []]);
});

test("of two calls for one run each has its own answer", async () => {
	const { calls, id, onChange } = scene();
	const [first, second] = [calls.add(id, {}, onChange), calls.add(id, {}, onChange)];
	const [one, two] = calls.callers;
	calls.fail(one?.id ?? 0, new Error("gone"));
	await expect(first).rejects.toThrow("gone");
	expect([calls.of(id).length, calls.awaited]).toEqual([1, [id]]);
	calls.answer(two?.id ?? 0, ENDED);
	expect(await second).toBe(ENDED);
});

test.each(["before the call", "during the call"])(
	"a stop that is asked for %s is kept until it is written down",
	(when) => {
		const { calls, id, onChange, changes } = scene();
		const stop = new AbortController();
		if (when === "before the call") stop.abort();
		void calls.add(id, { signal: stop.signal, stopper: () => "the user" }, onChange);
		if (when === "during the call") stop.abort();
		expect(calls.toStop.map(({ runId, stopBy }) => ({ runId, stopBy }))).toEqual([{ runId: id, stopBy: "the user" }]);
		expect(changes()).toBe(2);
		for (const call of calls.toStop) call.stopBy = undefined;
		expect(calls.toStop).toEqual([]);
	},
);

test.each(["before the call", "during the call"])(
	"a caller that leaves %s is marked, and the others are not",
	(when) => {
		const { calls, id, onChange } = scene();
		const leave = new AbortController();
		void calls.add(id, {}, onChange);
		if (when === "before the call") leave.abort();
		void calls.add(id, { leave: leave.signal }, onChange);
		if (when === "during the call") leave.abort();
		expect(calls.callers.map(({ hasLeft }) => hasLeft)).toEqual([false, true]);
	},
);

test("once a call has its answer, its signals do nothing any more", async () => {
	const { calls, id, onChange, changes } = scene();
	const [stop, leave] = [new AbortController(), new AbortController()];
	const answer = calls.add(id, { signal: stop.signal, leave: leave.signal }, onChange);
	calls.answer(calls.callers[0]?.id ?? 0, ENDED);
	await answer;
	stop.abort();
	leave.abort();
	expect([changes(), calls.toStop]).toEqual([1, []]);
});

test("each call is told of each connection once", () => {
	const { calls, id, onChange } = scene();
	const heard: unknown[] = [];
	void calls.add(id, { onReached: (connection) => heard.push(connection) }, onChange);
	const [one, two] = [{} as never, {} as never];
	for (const connection of [one, one, two, one]) calls.reached(id, connection);
	expect(heard).toEqual([one, two, one]);
});
