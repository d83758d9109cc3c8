import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { type EndedRecord, findRun } from "./records.ts";

/** Part of the transaction that ends the run: its stop hook is owed from the moment its outcome is recorded. */
export function oweStopHook(ledger: Ledger, id: RunId): void {
	ledger.run("UPDATE runs SET stop_hook = 'owed' WHERE id = ?", id);
}

/**
 * The finished runs whose stop hook is owed; the caller runs the hooks. The runs are marked before any hook starts, so that
 * no crash makes one run twice.
 */
export function takeStopHooks(ledger: Ledger, atMost: number): EndedRecord[] {
	// Check before locking: there is nearly always none. The LIMIT is fixed since this runs at every look: for a bound one,
	// SQLite plans the query again each time.
	if (atMost < 1 || !ledger.get("SELECT 1 FROM runs WHERE stop_hook = 'owed' LIMIT 1")) return [];
	const owed = "SELECT id FROM runs WHERE stop_hook = 'owed' ORDER BY seq LIMIT ?";
	return ledger.transaction("full", () =>
		ledger.all<{ id: RunId }>(owed, atMost).flatMap(({ id }) => {
			ledger.run("UPDATE runs SET stop_hook = 'begun' WHERE id = ?", id);
			const record = findRun(ledger, id);
			return record?.run.state === "ended" ? [{ ...record, run: record.run }] : [];
		}),
	);
}

export function stopHookDone(ledger: Ledger, id: RunId): void {
	ledger.transaction("normal", () => ledger.run("UPDATE runs SET stop_hook = 'done' WHERE id = ?", id));
}
