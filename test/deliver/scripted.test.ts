import { expect, test } from "vitest";
import { callOfScript, scriptedAmong, scriptedRuns } from "../../src/deliver/scripted.ts";
import { newRunId } from "../../src/run/ids.ts";

test.each([
	["call/1", "call"],
	["call/1/2", "call"],
	["a/b/3", "a/b"],
	["two\nlines/1", "two\nlines"],
	["call", undefined],
	["call/", undefined],
	["call/x", undefined],
	[undefined, undefined],
])("the script of call %j is %j", (toolCall, script) => {
	expect(callOfScript(toolCall)).toBe(script);
});

test("runs are gathered by the call that ran their script", () => {
	const [one, two, three, alone] = [newRunId(), newRunId(), newRunId(), newRunId()];
	const calls = [
		[one, "a/1"],
		[two, "a/2"],
		[three, "b/1"],
		[alone, "c"],
	] as const;
	expect(scriptedRuns(calls)).toEqual(
		new Map([
			["a", [one, two]],
			["b", [three]],
		]),
	);
});

test("a script has the outcomes of its foreground runs, and receipts of the others", () => {
	const [waited, sent] = [newRunId(), newRunId()];
	const records = [
		{ run: { id: waited }, toolCall: "a/1", mode: "foreground" },
		{ run: { id: sent }, toolCall: "a/2", mode: "background" },
	];
	expect(scriptedAmong(records as never)).toEqual(new Map([["a", [waited]]]));
});
