import type { DatabaseSync } from "node:sqlite";
import { openLedgerFile } from "../helpers/ledger-file.ts";

/** A change of a run's state or debt, written down by the database itself, in the same transaction. */
export interface Move {
	run: string;
	session: string;
	was: string;
	now: string;
	debtWas: string;
	debt: string;
	fence: number;
	/** How many runs were running once this was done, on the whole machine. */
	atWork: number;
	/** Whether a stop had been asked for. */
	stop: number | null;
	/** The process that has it now. */
	pid: number | null;
	at: number;
}

/** A table in which the database keeps every change of a run: the rows themselves only hold how things ended. */
export const AUDIT = (now: string): string => `
	CREATE TABLE audit (seq INTEGER PRIMARY KEY, run TEXT, session TEXT, was TEXT, now TEXT, debt_was TEXT, debt TEXT,
		fence INTEGER, at_work INTEGER, stop INTEGER, pid INTEGER, at INTEGER);
	CREATE TRIGGER audit_of_runs AFTER UPDATE ON runs WHEN OLD.state <> NEW.state OR OLD.delivery <> NEW.delivery BEGIN
		INSERT INTO audit (run, session, was, now, debt_was, debt, fence, at_work, stop, pid, at) VALUES (
			NEW.id, NEW.session_id, OLD.state, NEW.state, OLD.delivery, NEW.delivery, NEW.fence,
			(SELECT count(*) FROM runs WHERE state = 'running'), OLD.stop_at,
			(SELECT pid FROM hosts WHERE hosts.id = NEW.host_id), ${now});
	END;
	CREATE TABLE audit_of_questions (question INTEGER, at INTEGER);
	CREATE TRIGGER audit_of_ended AFTER UPDATE ON questions WHEN OLD.state <> NEW.state BEGIN
		INSERT INTO audit_of_questions (question, at) VALUES (NEW.seq, ${now});
	END;
`;

/** Adds it to a ledger. */
export function audit(ledgerFile: string): void {
	const database = openLedgerFile(ledgerFile);
	database.exec(AUDIT("CAST(unixepoch('subsec') * 1000 AS INTEGER)"));
	database.close();
}

export function readAudit(database: DatabaseSync): Move[] {
	return database
		.prepare(
			`SELECT run, session, was, now, debt_was AS debtWas, debt, fence, at_work AS atWork, stop, pid, at
				FROM audit ORDER BY seq`,
		)
		.all() as unknown as Move[];
}
