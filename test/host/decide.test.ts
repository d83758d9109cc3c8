import { describe, expect, test } from "vitest";
import { decideHost, type HostMemory, type HostSnapshot } from "../../src/host/decide.ts";
import { HEARTBEAT_MS } from "../../src/processes/lease.ts";
import { newRunId, type RunId } from "../../src/run/ids.ts";

const RUN = newRunId();
const NOW = 100_000;
const IDLE_MS = 60_000;
const BUSY: HostMemory = { beatAt: NOW + 500, idleSince: NOW - 1 };
const IDLE: HostMemory = { beatAt: NOW + 500, idleSince: NOW - IDLE_MS };
const NOBODY: HostSnapshot = { active: [], held: new Map(), pendingOutcomes: 0, isWatched: false };
const WORKS: HostSnapshot = { ...NOBODY, active: [{ id: RUN, fence: 2 }], held: held({ fence: 2 }) };

function held(mine: { fence: number; stopBy?: string }): Map<RunId, { fence: number; stopBy?: string }> {
	return new Map([[RUN, mine]]);
}

const decide = (state: HostMemory, seen: HostSnapshot, forOneRun = false) =>
	decideHost(state, seen, { idleMs: IDLE_MS, forOneRun, now: NOW });
const does = (state: HostMemory, seen: HostSnapshot, forOneRun = false): string[] =>
	decide(state, seen, forOneRun).actions.map((action) => action.do);

describe("a host", () => {
	test.each<[string, HostMemory, HostSnapshot, boolean, string[]]>([
		["works on what is its own", BUSY, WORKS, false, ["recover", "claim"]],
		[
			"lets go of what was given to another",
			BUSY,
			{ ...WORKS, held: new Map() },
			false,
			["let go", "recover", "claim"],
		],
		[
			"lets go of what came back to it meanwhile",
			BUSY,
			{ ...WORKS, held: held({ fence: 4 }) },
			false,
			["let go", "recover", "claim"],
		],
		[
			"stops what is to be stopped",
			BUSY,
			{ ...WORKS, held: held({ fence: 2, stopBy: "the user" }) },
			false,
			["stop", "recover", "claim"],
		],
		[
			"does not stop what is another's",
			BUSY,
			{ ...WORKS, held: held({ fence: 3, stopBy: "the user" }) },
			false,
			["let go", "recover", "claim"],
		],
		["stays while it has not been idle for long", BUSY, NOBODY, false, ["recover", "claim"]],
		["leaves when nobody has needed it for a while", IDLE, NOBODY, false, ["recover", "claim", "leave if idle"]],
		["stays while it works", IDLE, WORKS, false, ["recover", "claim"]],
		["stays while an outcome is not written", IDLE, { ...NOBODY, pendingOutcomes: 1 }, false, ["recover", "claim"]],
		["stays while somebody watches", IDLE, { ...NOBODY, isWatched: true }, false, ["recover", "claim"]],
		[
			"of one run leaves at once, watched or not",
			BUSY,
			{ ...NOBODY, isWatched: true },
			true,
			["recover", "claim", "leave if idle"],
		],
		["of one run stays while it works", IDLE, WORKS, true, ["recover", "claim"]],
		[
			"that closes claims nothing, and leaves at once",
			{ ...BUSY, closingBecause: "x" },
			NOBODY,
			false,
			["recover", "leave if idle"],
		],
		["that closes works on what it has", { ...BUSY, closingBecause: "x" }, WORKS, false, ["recover"]],
	])("%s", (_what, state, seen, forOneRun, expected) => {
		expect(does(state, seen, forOneRun)).toEqual(expected);
	});

	test("counts the time since it was last needed", () => {
		expect(decide(IDLE, WORKS).state.idleSince).toBe(NOW);
		expect(decide(IDLE, { ...NOBODY, isWatched: true }).state.idleSince).toBe(NOW);
		expect(decide(BUSY, NOBODY).state.idleSince).toBe(BUSY.idleSince);
	});

	test("looks again when its next beat is due, and has one beat at a time", () => {
		expect(decide(BUSY, WORKS)).toMatchObject({ state: { beatAt: NOW + 500 }, againInMs: 500 });
		const due = decide({ ...BUSY, beatAt: NOW }, WORKS);
		expect(due).toMatchObject({ state: { beatAt: NOW + HEARTBEAT_MS }, againInMs: HEARTBEAT_MS });
		const impatient = decideHost({ ...BUSY, beatAt: NOW }, NOBODY, { idleMs: 100, forOneRun: false, now: NOW });
		expect(impatient.againInMs).toBe(100);
	});
});
