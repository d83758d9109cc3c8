import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { type EndedRecord, findRun } from "../../src/ledger/records.ts";
import { markedReply, replyOf } from "../../src/operate/reply.ts";
import type { Outcome } from "../../src/run/outcome.ts";
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
