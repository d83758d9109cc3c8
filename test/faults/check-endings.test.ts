import { expect, test } from "vitest";
import type { Outcome } from "../../src/run/outcome.ts";
import { isCutByDisk } from "./check-endings.ts";
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
