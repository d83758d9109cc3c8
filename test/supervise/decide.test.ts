import { describe, expect, test } from "vitest";
import { newRunId } from "../../src/run/ids.ts";
import { type Caller, decideRuns, lookAgainIn, type RunsState, type SeenRun } from "../../src/supervise/decide.ts";

const RUN = newRunId();
const WAITS: Caller = { id: 1, runId: RUN, hasLeft: false };
const LEFT: Caller = { ...WAITS, hasLeft: true };
const run = (state: SeenRun["state"], more: Partial<SeenRun> = {}): SeenRun => ({ state, ofSession: false, ...more });

function decided(callers: Caller[], seen: SeenRun | undefined, watched: RunsState["watched"] = new Set()) {
	const { state, actions } = decideRuns({ callers, watched }, new Map(seen && [[RUN, seen]]));
	return {
		does: actions.map((action) => ("place" in action ? `${action.do} ${action.place}` : action.do)),
		waits: state.callers.length,
		watches: state.watched.size,
	};
}

describe("what the parent does about a run", () => {
	test.each<[string, Caller[], SeenRun | undefined, string[]]>([
		["somebody awaits, and it waits for a host", [WAITS], run("queued"), ["reach"]],
		["somebody awaits, and a host has", [WAITS], run("running"), ["reach"]],
		["somebody awaits, and it has ended", [WAITS], run("ended"), ["answer"]],
		["two await, and it has ended", [WAITS, { ...WAITS, id: 2 }], run("ended"), ["answer", "answer"]],
		["somebody awaits, and the ledger does not know", [WAITS], undefined, ["fail"]],
		["somebody has left, and it goes on", [LEFT], run("running"), ["let leave"]],
		["somebody has left, and it has ended", [LEFT], run("ended"), ["answer"]],
		[
			"somebody has left, of the session that is open",
			[LEFT],
			run("running", { ofSession: true }),
			["let leave", "reach"],
		],
		["nobody awaits, of the session that is open", [], run("queued", { ofSession: true }), ["reach"]],
		["one awaits and one has left", [{ ...LEFT, id: 2 }, WAITS], run("running"), ["let leave", "reach"]],
	])("that %s", (_what, callers, seen, does) => {
		expect(decided(callers, seen).does).toEqual(does);
	});

	test("with a caller or without, an open run is reached in the same way", () => {
		const background = decideRuns(
			{ callers: [], watched: new Set() },
			new Map([[RUN, run("queued", { ofSession: true })]]),
		);
		const foreground = decideRuns(
			{ callers: [WAITS], watched: new Set() },
			new Map([[RUN, run("queued", { ofSession: true })]]),
		);
		expect(foreground.actions).toEqual(background.actions);
	});

	test("who awaits it is told its place once, and again when it changes", () => {
		const first = decideRuns({ callers: [WAITS], watched: new Set() }, new Map([[RUN, run("queued", { place: 3 })]]));
		expect(first.actions).toContainEqual({ do: "tell place", caller: WAITS, place: 3 });
		const again = decideRuns(first.state, new Map([[RUN, run("queued", { place: 3 })]]));
		expect(again.actions.map((action) => action.do)).toEqual(["reach"]);
		const next = decideRuns(again.state, new Map([[RUN, run("queued", { place: 0 })]]));
		expect(next.actions.map((action) => action.do)).toEqual(["reach", "tell place"]);
	});

	test("runs that are no longer needed are not listened to", () => {
		expect(decided([], undefined, new Set([RUN]))).toEqual({ does: ["unwatch"], waits: 0, watches: 0 });
		expect(decided([LEFT], run("running"), new Set([RUN])).does).toEqual(["let leave", "unwatch"]);
		expect(decided([WAITS], run("ended"), new Set([RUN])).does).toEqual(["answer", "unwatch"]);
		expect(decided([WAITS], run("running"), new Set([RUN]))).toEqual({ does: ["reach"], waits: 1, watches: 1 });
	});
});

test.each([
	[{ anyCaller: false, isInTrouble: false }, undefined],
	[{ anyCaller: true, isInTrouble: false }, 500],
	[{ anyCaller: true, isInTrouble: false, startingForMs: 0 }, 20],
	[{ anyCaller: false, isInTrouble: false, startingForMs: 300 }, 20],
	[{ anyCaller: true, isInTrouble: false, startingForMs: 2000 }, 100],
	[{ anyCaller: true, isInTrouble: false, startingForMs: 20_000 }, 500],
	[{ anyCaller: true, isInTrouble: true, startingForMs: 0 }, 2000],
	[{ anyCaller: false, isInTrouble: true }, 2000],
])("with %j the parent looks again after %j ms", (now, ms) => {
	expect(lookAgainIn(now)).toBe(ms);
});
