import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Sends runs to the background: no call waits for them any longer, so their outcomes will be announced. Call it before
 * answering their calls, so that they are announced even if the parent dies in between. Returns the unfinished runs.
 */
export function sendToBackground(ledger: Ledger, ids: readonly RunId[]): Set<RunId> {
	const sql = "UPDATE runs SET mode = 'background' WHERE id = ? AND state <> 'ended' RETURNING id";
	return ledger.transaction("full", () => new Set(ids.filter((id) => ledger.get(sql, id) !== undefined)));
}
