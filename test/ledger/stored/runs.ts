import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { APPLICATION_ID, MIGRATIONS } from "../../../src/ledger/schema.ts";
import type { RunId } from "../../../src/run/ids.ts";
import type { Cause } from "../../../src/run/outcome.ts";

type StoredRow = Record<string, SQLInputValue> & { id: RunId; session_id: string; plan: string };

/** A row of `runs`, as the build before version 1 wrote it, and which ending it has. */
export interface StoredRun {
	name: string;
	row: StoredRow & { outcome: string | null };
}

/** Files of one JSON value a line, each written by the build of its version and not touched since. */
export const linesOf = <T>(file: string): T[] =>
	readFileSync(file, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as T);

export const storedRuns = linesOf<StoredRun>(join(import.meta.dirname, "version-0", "runs.jsonl"));

/** What each of them ended with. */
export const CAUSES: Readonly<Record<string, Cause>> = {
	success: "finalized",
	"success with a value": "finalized",
	"success, too long for the model": "finalized",
	"reported error": "reported_error",
	"not finalized": "not_finalized",
	uncheckable: "uncheckable",
	"timeout: runtime": "timeout",
	"timeout: idle": "timeout",
	"timeout: tool": "timeout",
	stopped: "stopped",
	budget: "budget",
	"output limit": "output_limit",
	provider: "provider",
	"refused: setup": "refused",
	"refused: spawn": "refused",
	crashed: "crashed",
	lost: "lost",
	unreadable: "unreadable",
	"a report that could not be made": "unreadable",
};

/** A ledger as that build left it: its tables, and these rows. */
export function writeOldLedger(file: string, runs: readonly StoredRun[] = storedRuns): void {
	const database = new DatabaseSync(file);
	database.exec(`${MIGRATIONS[0]}; PRAGMA user_version = 1; PRAGMA application_id = ${APPLICATION_ID}`);
	for (const { row } of runs) {
		const session = "INSERT INTO sessions (id, agent, cwd, file, definition, created_at) VALUES (?, '', '', '', '', 0)";
		database.prepare(session).run(row.session_id);
		const columns = Object.keys(row);
		const sql = `INSERT INTO runs (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
		database.prepare(sql).run(...Object.values(row));
	}
	database.close();
}
