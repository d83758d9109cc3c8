import { expect, test } from "vitest";
import type { Call, Fault } from "./plan.ts";
import { runWorkload } from "./workload.ts";

/** What the attack has found, each as small as it can be: one parent, one call, one fault. */
const FOUND: [name: string, call: Call, role: string, fault: Fault][] = [
	[
		"an announce of which half was written is told again",
		{ tool: "sessions_spawn", args: { agent: "explorer", task: "task p0-1 turns=0 ms=5" } },
		"p0",
		{ kind: "torn", place: "append parent announce", when: "before", nth: 1 },
	],
	[
		"a child whose session file was begun by half goes on in another host",
		{ tool: "subagent", args: { agent: "explorer", task: "task p0-1 turns=0 ms=5" } },
		"host",
		{ kind: "torn", place: "append child session", when: "before", nth: 1 },
	],
];

test.each(FOUND)(
	"%s",
	async (_name, call, role, fault) => {
		const { violations, evidence } = await runWorkload({
			seed: 0,
			maxAttempts: 3,
			laneLimit: 2,
			ledgerPatienceMs: 10_000,
			parents: { p0: [{ do: "prompt", calls: [call] }] },
			// For whichever of its processes comes there first: a host that was started ahead may have left again.
			faults: { atMost: 1, processes: { [role]: Array.from({ length: 5 }, () => [fault]) } },
		});
		expect(violations).toEqual([]);
		expect(evidence.faults).toMatchObject([{ kind: fault.kind, role }]);
		expect(evidence.runs).toMatchObject([{ outcome: { status: "success" }, delivery: "delivered" }]);
	},
	120_000,
);
