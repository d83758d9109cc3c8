import { findMessage } from "../ledger/inbox.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";

/** A message on its way: in the inbox of an open run, or as the task of a new one. */
export interface Posted {
	record: RunRecord;
	/** Its number in the inbox. */
	seq?: number;
}

/**
 * The run that has the message now, and whether it received it. A run that finishes first leaves the message to its follow-up
 * run.
 */
export function holderOf(ledger: Ledger, { record, seq }: Posted): { record: RunRecord; taken: boolean } {
	const message = seq === undefined ? { runId: record.run.id, takenAt: 0 } : findMessage(ledger, seq);
	const holder = message && findRun(ledger, message.runId);
	return { record: holder ?? record, taken: message?.takenAt !== undefined };
}
