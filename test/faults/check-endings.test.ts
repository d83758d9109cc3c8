import { expect, test } from "vitest";
import type { Outcome } from "../../src/run/outcome.ts";
import { isCutByDisk, isUsedUp } from "./check-endings.ts";
import type { Entry, Evidence, RunRow } from "./evidence.ts";

const entry = (id: string, parentId: string | null): Entry => ({ type: "message", id, parentId, timestamp: "" });

/** A run that was refused its session, whose second entry is missing. */
function scene() {
	const error = {
		code: "SUBAGENT_FAILED",
		reason: "setup",
		message: "/a.jsonl is damaged, the entry before c is missing.",
	};
	return {
		cause: "refused",
		error,
		entries: [entry("a", null), entry("c", "b")],
		diskWasFull: true,
	};
}

function isExcused({ cause, error, entries, diskWasFull }: ReturnType<typeof scene>): boolean {
	const outcome = { status: "error", cause, error } as Outcome;
	const transcripts = [{ file: "/a.jsonl", sessionId: "a", whose: "child", entries }];
	return isCutByDisk({ outcome, sessionFile: "/a.jsonl" } as RunRow, { diskWasFull, transcripts } as Evidence);
}

test("a session that lacks the entry that its refusal names was cut by a full disk", () => {
	expect(isExcused(scene())).toBe(true);
});

test.each<[string, Partial<ReturnType<typeof scene>>]>([
	["the disk was never full", { diskWasFull: false }],
	["the run ended by something else", { cause: "crashed" }],
	["it could not be set up for another reason", { error: { ...scene().error, message: "The model is unknown." } }],
	["no entry is missing", { entries: [entry("a", null), entry("b", "a"), entry("c", "b")] }],
	["another entry is missing", { entries: [entry("c", null), entry("e", "d")] }],
])("that is no excuse if %s", (_name, other) => {
	expect(isExcused({ ...scene(), ...other })).toBe(false);
});

test.each<[string, boolean, Partial<RunRow>, number]>([
	["each of three hosts died in the only turn of the task", true, { attempt: 4 }, 3],
	["the model was asked less often than that", false, { attempt: 4 }, 2],
	["no host died in some of the turns", false, { attempt: 2 }, 3],
	["there is no budget", false, { attempt: 4, maxTurns: null }, 3],
])("whether the interruptions of a short task used its budget up: %s", (_name, expected, facts, asked) => {
	const request = { pid: 1, task: "p0-1", startedAt: 0, endedAt: 1 };
	const requests = [...Array.from({ length: asked }, () => request), { ...request, task: "p0-2" }];
	const run = { task: "task p0-1 turns=0 ms=20", maxTurns: 3, ...facts } as RunRow;
	expect(isUsedUp(run, { requests })).toBe(expected);
});
