import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { applyEvent } from "./progress.ts";
import { type RunRecord, selectRuns } from "./records.ts";

/** The outcomes a session has not been told yet, oldest first. */
export function owedTo(ledger: Ledger, parentSession: string): RunRecord[] {
	return selectRuns(ledger, "parent_session = ? AND delivery = 'owed' ORDER BY seq", parentSession);
}

/** The debt is paid: the transcript of the session that asked holds the outcome. */
export function settleDelivery(ledger: Ledger, id: RunId, at: number): boolean {
	return applyEvent(ledger, id, { type: "delivered", at }, "full") !== undefined;
}
