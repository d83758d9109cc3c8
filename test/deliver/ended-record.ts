import { expect } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { type EndedRecord, findRun } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { success } from "../ledger/samples.ts";

/** Ends a run, and answers what the ledger then holds of it. */
export function endedRecord(ledger: Ledger, id: RunId, outcome: Outcome = success()): EndedRecord {
	endRun(ledger, { id, fence: findRun(ledger, id)?.run.fence ?? 0, outcome, at: 5 });
	const record = findRun(ledger, id);
	if (record?.run.state !== "ended") return expect.fail("not ended");
	return { ...record, run: record.run };
}
