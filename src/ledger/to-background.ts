import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/**
 * No call waits for these runs any longer: their outcomes are announced. Recorded before their calls are answered, so
 * that they are announced even if the parent dies in between. Returns the runs that had not finished yet.
 */
export function sendToBackground(ledger: Ledger, ids: readonly RunId[]): Set<RunId> {
	const sql = "UPDATE runs SET mode = 'background' WHERE id = ? AND state <> 'ended' RETURNING id";
	return ledger.transaction("full", () => new Set(ids.filter((id) => ledger.get(sql, id) !== undefined)));
}
