import { describe, expect, test } from "vitest";
import { success } from "../../ledger/samples.ts";
import { checkPoolEvidence } from "./check.ts";
import type { PoolEvidence, RunEvidence } from "./evidence.ts";

const step = (n: number) => ({ type: "message", message: { role: "assistant", content: `t step ${n}` } });
const run = (wish: Partial<RunEvidence> = {}): RunEvidence => ({
	id: "r",
	job: "j",
	task: JSON.stringify({ name: "t", steps: 2, ms: 1 }),
	state: "ended",
	delivery: "delivered",
	outcome: success(),
	ended: 1,
	changes: 0,
	announced: 1,
	tookMs: 1,
	entries: [step(1), step(2)],
	...wish,
});
const evidence = (
	wish: Partial<PoolEvidence> = {},
	database: Partial<PoolEvidence["database"]> = {},
): PoolEvidence => ({
	runs: [run()],
	database: { jobs: [], writes: [], claims: [], stops: [], serving: [], open: [], ...database },
	calls: [],
	messages: [],
	stopped: new Set(),
	laneLimit: 1,
	left: [],
	...wish,
});
const stopped = { ...success(), status: "error", cause: "stopped", error: { code: "x", message: "x" } } as never;
const lost = { ...success(), status: "error", cause: "lost", error: { code: "x", message: "x" } } as never;
const write = { at: 5, job: "j", what: "step", n: 0 };

describe("the checker of the attack on a pool", () => {
	test("finds nothing where nothing is wrong", () => {
		expect(checkPoolEvidence(evidence())).toEqual([]);
	});

	test.each<[promise: string, PoolEvidence]>([
		["a run ends once", evidence({ runs: [run({ ended: 2 })] })],
		["a run ends once", evidence({ runs: [run({ state: "running" })] })],
		["a run is announced once", evidence({ runs: [run({ announced: 2 })] })],
		["no run is lost", evidence({ runs: [run({ outcome: lost })] })],
		[
			"lines of a transcript come once and in order",
			evidence({ runs: [run({ entries: [step(1), step(1), step(2)] })] }),
		],
		["lines of a transcript come once and in order", evidence({ runs: [run({ entries: [step(1)] })] })],
		[
			"an old attempt writes nothing after a newer one",
			evidence({}, { writes: [{ ...write, attempt: 0, current: 1 }] }),
		],
		[
			"a takeover continues from the last line",
			evidence(
				{ calls: [{ what: "begin", name: "t", step: 0, by: "pool:host:7:j", at: 20 }] },
				{
					writes: [{ ...write, attempt: 0, current: 0 }],
					claims: [{ at: 10, job: "j", worker: "host:7", attempt: 1 }],
				},
			),
		],
		["nothing stops without a request", evidence({ runs: [run({ outcome: stopped })] })],
		[
			"a stop waits for the worker's own word",
			evidence(
				{},
				{
					jobs: [
						{ at: 1, job: "j", state: "active", attempt: 0 },
						{ at: 900, job: "j", state: "cancelled", attempt: 0 },
					],
					stops: [{ at: 800, job: "j" }],
				},
			),
		],
		["a message arrives once", evidence({ messages: [{ body: "m", runId: "r" }] })],
		[
			"the lane is never wider than its limits",
			evidence({}, { jobs: ["j", "k"].map((job) => ({ at: 1, job, state: "active", attempt: 0 })) }),
		],
		["changes come home once", evidence({ runs: [run({ changes: 2 })] })],
		["nothing is left behind", evidence({}, { open: ["j"] })],
	])("finds what breaks: %s", (promise, broken) => {
		expect(new Set(checkPoolEvidence(broken).map((violation) => violation.promise))).toEqual(new Set([promise]));
	});
});
