import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/** A number that changes once any other connection has written. Cheap: it reads a few bytes of shared memory. */
export const dataVersion = (ledger: Ledger): number =>
	ledger.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;

/** The schema version that a pi-geon has to know to read the ledger. */
export const schemaVersion = (ledger: Ledger): number =>
	ledger.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;

/**
 * All open runs and the latest others, each with a mark that changes when something worth showing changes, which the
 * renewal of a lease is not. Read without the long texts of a run.
 */
export function runMarks(ledger: Ledger, latest: number): Map<RunId, string> {
	const sql = `${MARKS_OF_RUNS} WHERE state <> 'ended'
		UNION ALL ${MARKS_OF_RUNS} WHERE state = 'ended' AND seq > (SELECT max(seq) FROM runs) - ?`;
	return new Map(ledger.all<{ id: RunId; mark: string }>(sql, latest).map(({ id, mark }) => [id, mark]));
}

const MARKS_OF_RUNS = `SELECT id, concat_ws(' ', state, attempt, fence, stop_at, ended_at, delivery, archived_at, usage,
		(SELECT state FROM changes WHERE run_id = runs.id),
		(SELECT max(seq) FROM questions WHERE run_id = runs.id AND state = 'open')) AS mark
	FROM runs`;

/** The mark of one run, however old it is. */
export const runMarkOf = (ledger: Ledger, runId: RunId): string | undefined =>
	ledger.get<{ mark: string }>(`${MARKS_OF_RUNS} WHERE id = ?`, runId)?.mark;

export const isKnownRun = (ledger: Ledger, runId: RunId): boolean =>
	ledger.get("SELECT 1 FROM runs WHERE id = ?", runId) !== undefined;
