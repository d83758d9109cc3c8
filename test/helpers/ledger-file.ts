import { DatabaseSync } from "node:sqlite";

/** Longer than any process of ours writes at a time, on a busy machine too. A lock that is held longer is a finding. */
const LOCK_PATIENCE_MS = 30_000;

/** Opens a ledger's file directly. Like every other process, a test has to wait for its turn to write. */
export const openLedgerFile = (file: string): DatabaseSync => new DatabaseSync(file, { timeout: LOCK_PATIENCE_MS });

/** Another process that has begun to write and then waits until it may continue. */
export function lockLedgerFile(file: string): { release(): void } {
	const database = openLedgerFile(file);
	database.exec("BEGIN EXCLUSIVE");
	return {
		release() {
			database.exec("ROLLBACK");
			database.close();
		},
	};
}
