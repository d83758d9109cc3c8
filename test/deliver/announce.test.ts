import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { announceOf } from "../../src/deliver/announce.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import type { EndedRecord } from "../../src/ledger/records.ts";
import { findRun } from "../../src/ledger/records.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const redactor = createRedactor({ secrets: [], homeDir: "/home/al" });

/** A background run that has finished, and cost so much. */
async function endedRun(cost: number, more: Pick<Outcome, "sandbox"> = {}): Promise<EndedRecord> {
	const ledger = await scratch.ledger();
	const { run } = admitRun(ledger, admission({ mode: "background" }));
	endRun(ledger, { id: run.id, fence: 0, outcome: { ...success(), ...more, usage: { ...NO_USAGE, cost } }, at: 5 });
	const record = findRun(ledger, run.id);
	if (record?.run.state !== "ended") throw new Error("It has not ended.");
	return { ...record, run: record.run };
}

test.each([
	[0.004, "est $0.0040"],
	[0.0312, "est $0.031"],
	[0.12, "est $0.12"],
	[0.00001, "est <$0.0001"],
])("a cost of %d is announced as elsewhere, and never as nothing", async (cost, shown) => {
	expect(announceOf(await endedRun(cost), { redactor, transcript: "/t.jsonl" }).content).toContain(` • ${shown} • `);
});

test("a run that cost nothing announces no cost", async () => {
	expect(announceOf(await endedRun(0), { redactor, transcript: "/t.jsonl" }).content).not.toContain("est ");
});

test("an announce says whether the kernel enforced the limits, as data", async () => {
	const sandbox = asItIs<Outcome["sandbox"] & object>({
		...{ enforced: "policy", why: "bwrap is missing", write: "none", network: "off" },
	});
	const { details } = announceOf(await endedRun(0, { sandbox }), { redactor, transcript: "/t.jsonl" });
	expect(details.sandbox).toEqual(sandbox);
	const before = announceOf(await endedRun(0), { redactor, transcript: "/t.jsonl" });
	expect(before.details).not.toHaveProperty("sandbox");
	expect(details.version).toBe(before.details.version);
});
