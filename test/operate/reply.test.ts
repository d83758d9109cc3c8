import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { type EndedRecord, findRun } from "../../src/ledger/records.ts";
import { markedReply, replyOf } from "../../src/operate/reply.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { CHANGES } from "../deliver/reported-changes.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const redactor = createRedactor({ secrets: ["hunter2-hunter2"], homeDir: "/home/al" });

async function ended(outcome: Outcome): Promise<EndedRecord> {
	const ledger = await scratch.ledger();
	const { run } = admitRun(ledger, admission({ mode: "background" }));
	endRun(ledger, { id: run.id, fence: 0, outcome, at: 5 });
	const record = findRun(ledger, run.id);
	if (record?.run.state !== "ended") throw new Error("It has not ended.");
	return { ...record, run: record.run };
}

const warnings = ["bash was left out:\nit writes.", "/home/al/a.md has hunter2-hunter2 in it."];
const warning = "bash was left out: it writes.\n~/a.md has [redacted] in it.";

test.each([
	["a success", success()],
	["a failure", outcomeOf(undefined, { kind: "lost", message: "Gone." })],
])("the reply of %s says what the run went without, one redacted line each", async (_name, outcome) => {
	const record = await ended({ ...outcome, warnings: redactor.redactValue(warnings) });
	const reply = replyOf(record, redactor, { taken: true });
	expect(reply.warning?.replace(/\[redacted[^\]]*\]/i, "[redacted]")).toBe(warning);
	expect(markedReply(record, redactor, { taken: true })).toMatchObject({ warning: reply.warning });
});

test("a run that went without nothing has no warning", async () => {
	expect(replyOf(await ended(success()), redactor, { taken: true })).not.toHaveProperty("warning");
});

const sandbox = asItIs<Outcome["sandbox"] & object>({
	enforced: "kernel",
	by: "bwrap",
	write: "worktree",
	network: "off",
});
const changes = asItIs<Outcome["changes"] & object>(CHANGES);

describe.each([
	["a success", success(), true],
	["a failure", outcomeOf(undefined, { kind: "lost", message: "Gone." }), true],
	["a run that did not receive the message", success(), false],
])("the reply of %s", (_name, outcome, taken) => {
	test("has the changes and what enforced the limits, as data", async () => {
		const record = await ended({ ...outcome, changes, sandbox });
		expect(replyOf(record, redactor, { taken })).toMatchObject({ changes, sandbox });
	});

	test("tells the model what changed and that it is not applied, with the file names marked", async () => {
		const record = await ended({ ...outcome, changes, sandbox });
		const marked = markedReply(record, redactor, { taken });
		expect(marked).toMatchObject({
			changes: expect.stringMatching(/^It changed 1 file \(\+2 -1\) .*None of it is in the working tree yet/),
			changedFiles: expect.stringMatching(/^<report-\w+>\nM a\.ts \+2 -1\n<\/report-\w+>$/),
		});
		expect(JSON.stringify(marked).match(/a\.ts/g)).toHaveLength(1);
	});
});

test("a run without a tree has no changes in its reply", async () => {
	const record = await ended(success());
	for (const reply of [replyOf(record, redactor, { taken: true }), markedReply(record, redactor, { taken: true })]) {
		for (const absent of ["changes", "changedFiles", "sandbox"]) expect(reply).not.toHaveProperty(absent);
	}
});
