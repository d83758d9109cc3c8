import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Nobody waits for these runs any longer: their outcomes are announced. Written down before their calls are answered, so
 * that a parent that dies in between announces them too. Answers those that had not ended yet.
 */
export function sendToBackground(ledger: Ledger, ids: readonly RunId[]): Set<RunId> {
	const sql = "UPDATE runs SET mode = 'background' WHERE id = ? AND state <> 'ended' RETURNING id";
	return ledger.transaction("full", () => new Set(ids.filter((id) => ledger.get(sql, id) !== undefined)));
}
