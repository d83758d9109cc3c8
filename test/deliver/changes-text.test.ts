import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { changesText } from "../../src/deliver/changes-text.ts";
import { toolResult } from "../../src/deliver/tool-result.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import type { EndedRecord } from "../../src/ledger/records.ts";
import type { ReportedChanges, ReportedFile } from "../../src/run/changes.ts";
import type { Isolation } from "../../src/run/isolation.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { endedRecord } from "./ended-record.ts";
import { CHANGES } from "./reported-changes.ts";

const scratch = useScratch({ inMemory: true });

/** A run that changed so much. */
async function changed(
	changes: Partial<ReportedChanges> | undefined,
	isolation: Isolation = "worktree",
	outcome: Outcome = success(),
): Promise<EndedRecord> {
	const total = { files: changes?.files?.length ?? 0, added: 3, removed: 1 };
	const reported = asItIs<ReportedChanges<Redacted>>({ ...CHANGES, total, ...changes });
	const ledger = await scratch.ledger();
	const { run } = admitRun(ledger, admission({ isolation }));
	return endedRecord(ledger, run.id, { ...outcome, ...(changes && { changes: reported }) });
}

const file = (path: string, facts: Partial<ReportedFile> = {}): ReportedFile => ({
	...{ path, status: "M", added: 2, removed: 1 },
	...facts,
});

const linesOf = async (changes: Partial<ReportedChanges>) =>
	changesText(await changed(changes))?.files?.split("\n") ?? expect.fail("no files are told");

test("a run without a tree of its own has nothing to say", async () => {
	expect(changesText(await changed(undefined))).toBeUndefined();
});

test("an agent that is there to change something says when it did not, and others do not", async () => {
	const nothing = { commit: null, files: [] };
	expect(changesText(await changed(nothing))).toEqual({ sentence: "It changed nothing in its copy of the checkout." });
	expect(changesText(await changed(nothing, "shared"))).toBeUndefined();
});

test("where nothing of the child is quoted, nothing announces its words", async () => {
	const { usage, displayItems, attempts, warnings } = success();
	const error = { code: "SUBAGENT_TIMEOUT", message: "It did not finish.", reason: "runtime" } as const;
	const facts = { usage, displayItems, attempts, warnings, error };
	const timeout = asItIs<Outcome>({ ...facts, status: "timeout", cause: "timeout", exitCode: 124 });
	const record = await changed({ commit: null, files: [] }, "worktree", timeout);
	const [said] = toolResult(record, createRedactor({ secrets: [], homeDir: "/home/ada" })).content;
	expect(said).toMatchObject({ text: expect.stringContaining("It changed nothing in its copy of the checkout.") });
	expect(said).toMatchObject({ text: expect.not.stringContaining("report-") });
});

test("the sentence says how much was changed, that none of it is applied, and which commands do so", async () => {
	const record = await changed({ files: [file("a.ts")] });
	const { id } = record.run;
	expect(changesText(record)?.sentence).toBe(
		"It changed 1 file (+3 -1) in its copy of the checkout. None of it is in the working tree yet: " +
			`the user can view it with /subagents diff ${id} and apply it with /subagents apply ${id}.`,
	);
	const more = await changed({ files: [file("a.ts"), file("b.ts")] });
	expect(changesText(more)?.sentence).toMatch(/^It changed 2 files \(\+3 -1\)/);
});

test("each file has a line with its status, its names and its size", async () => {
	const files = [
		file("new.ts", { status: "A", added: 9, removed: 0 }),
		file("gone.ts", { status: "D" }),
		file("after.ts", { status: "R", from: "before.ts" }),
		file("picture.png", { binary: true }),
		file("link", { status: "T" }),
		file("later.ts", { status: "X" as "M" }), // A newer pi-geon may know more of them.
	];
	expect(await linesOf({ files })).toEqual([
		"A new.ts +9 -0",
		"D gone.ts +2 -1",
		"R before.ts → after.ts +2 -1",
		"M picture.png binary",
		"T link +2 -1",
		"M later.ts +2 -1",
	]);
});

test("a name stays in its line, whatever it holds", async () => {
	const name = "a\nM b\u0007\u200b\u202e.ts";
	const files = [file(name), file(name, { from: "c\r\nd", status: "R" })];
	expect(await linesOf({ files })).toEqual(["M a M b.ts +2 -1", "R c d → a M b.ts +2 -1"]);
});

test("seven files are named, and the others counted, even those that the report left out", async () => {
	const files = Array.from({ length: 8 }, (_, n) => file(`${n}.ts`));
	expect(await linesOf({ files: files.slice(0, 7) })).toHaveLength(7);
	const lines = await linesOf({ files, total: { files: 500, added: 1, removed: 1 } });
	expect(lines.slice(6)).toEqual(["M 6.ts +2 -1", "and 493 more"]);
});

test("what to check is said in one line, so that all of it takes ten lines with the sentence", async () => {
	const files = Array.from({ length: 9 }, (_, n) => file(`${n}.ts`));
	const lines = await linesOf({ files, warnings: ["It changed\na hook.", "It added a link."] });
	expect(lines.at(-1)).toBe("Check before applying: It changed a hook.; It added a link.");
	expect(lines).toHaveLength(9);
});
