import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ChildEvents } from "../../src/child/child-events.ts";
import { watchIdleness } from "../../src/child/endings/idle-limit.ts";
import { EndingRace } from "../../src/child/endings/race.ts";
import { watchTools } from "../../src/child/endings/tool-limit.ts";

/** A child whose model gives all its tool calls the same id. */
function child() {
	const race = new EndingRace();
	let ended: unknown;
	void race.first.then((cause) => {
		ended = cause;
	});
	let hear: (event: AgentSessionEvent) => void = () => {};
	const events: ChildEvents = {
		subscribe: (listener) => {
			hear = listener;
			return () => {};
		},
	};
	const call = { toolCallId: "call_0", toolName: "read" };
	return {
		race,
		events,
		starts: () => hear({ type: "tool_execution_start", args: {}, ...call }),
		returns: () => hear({ type: "tool_execution_end", result: {}, isError: false, ...call }),
		within: async (ms: number) => {
			await vi.advanceTimersByTimeAsync(ms);
			return ended;
		},
	};
}

describe("two tool calls with the same id", () => {
	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	test("each have the whole time that a call may take, and no more", async () => {
		const { race, events, starts, returns, within } = child();
		watchTools(race, events, 100);
		starts();
		expect(await within(50)).toBeUndefined();
		starts();
		expect(await within(40)).toBeUndefined();
		returns();
		expect(await within(50)).toBeUndefined();
		expect(await within(20)).toMatchObject({ kind: "timeout", limit: "tool" });
	});

	test("are both no idleness, and after the second the clock runs again", async () => {
		const { race, events, starts, returns, within } = child();
		watchIdleness(race, events, 100);
		starts();
		starts();
		returns();
		expect(await within(500)).toBeUndefined();
		returns();
		expect(await within(90)).toBeUndefined();
		expect(await within(200)).toMatchObject({ kind: "timeout", limit: "idle" });
	});
});
