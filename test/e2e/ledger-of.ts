import { join } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Home } from "../helpers/home.ts";
import { openLedgerFile } from "../helpers/ledger-file.ts";
import { PATIENCE_MS } from "../helpers/patience.ts";

/** Reads or changes a home's ledger behind everybody's back: what a test cannot wait for, or wants to see. */
export function inLedger<Row>(home: Home, sql: string, ...values: SQLInputValue[]): Row[] {
	const database = openLedgerFile(join(home.agentDir, "pi-geon", "ledger.sqlite"));
	try {
		return database.prepare(sql).all(...values) as Row[];
	} finally {
		database.close();
	}
}

/** Looks again and again, for what nobody reports. */
export async function eventually(check: () => void, withinMs = PATIENCE_MS): Promise<void> {
	const deadline = performance.now() + withinMs;
	for (;;) {
		try {
			return check();
		} catch (error) {
			if (performance.now() > deadline) throw error;
			await sleep(50);
		}
	}
}
