import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { type Claimable, type Claimer, claimRows } from "./process-claims.ts";
import { applyInTransaction } from "./progress.ts";
import { findRunOrClose, type RunRecord } from "./records.ts";

/**
 * The outcomes that a session has not received yet, oldest first, without those that are on their way (`except`). A
 * finished run does not change until its outcome is delivered, so those that were read before (`known`) are not read again.
 */
export function owedTo(
	ledger: Ledger,
	parentSession: string,
	{ at, except, known }: { at: number; except?: { has(id: RunId): boolean }; known?: ReadonlyMap<RunId, RunRecord> },
): RunRecord[] {
	const sql = "SELECT id FROM runs WHERE parent_session = ? AND delivery = 'owed' ORDER BY seq";
	return ledger
		.all<{ id: RunId }>(sql, parentSession)
		.flatMap(({ id }) => (except?.has(id) ? [] : (known?.get(id) ?? findRunOrClose(ledger, id, at) ?? [])));
}

/** The user's stop commands that still have unfinished runs in this session. */
export function openRunsOfCommands(ledger: Ledger, parentSession: string): Set<string> {
	const sql = `SELECT stop_command AS command FROM runs
		WHERE parent_session = ? AND state <> 'ended' AND stop_command IS NOT NULL`;
	return new Set(ledger.all<{ command: string }>(sql, parentSession).map(({ command }) => command));
}

/** Whether a session has not received the outcome of a run yet. Called often, so it reads neither plan nor outcome. */
export const isOwed = (ledger: Ledger, id: RunId): boolean =>
	ledger.get("SELECT 1 FROM runs WHERE id = ? AND delivery = 'owed'", id) !== undefined;

/**
 * Claims the delivery of outcomes for a process, for a while: two processes with the same session open must not both
 * deliver. The process that waits for a foreground run holds this claim too, so that other processes announce its outcome
 * only once that process is dead. Returns the runs that this process holds now.
 */
export const takeDeliveries = (ledger: Ledger, ids: readonly RunId[], by: Claimer): Set<RunId> =>
	claimRows(ledger, DELIVERIES, ids, by);

const DELIVERIES: Claimable = {
	held: "SELECT deliverer AS name, deliverer_until AS until FROM runs WHERE id = ? AND delivery IN ('none', 'owed')",
	take: "UPDATE runs SET deliverer = ?, deliverer_until = ? WHERE id = ?",
};

/** Gives back the deliveries of a process that is still running, but has switched to another session. */
export function returnDeliveries(ledger: Ledger, deliverer: string, parentSession: string): void {
	ledger.transaction("normal", () => {
		// Two statements, each with an index of its own: for a single one, SQLite reads the session's whole past.
		for (const undelivered of ["delivery = 'owed'", "state <> 'ended'"]) {
			const sql = `UPDATE runs SET deliverer = NULL, deliverer_until = NULL
				WHERE parent_session = ? AND deliverer = ? AND ${undelivered}`;
			ledger.run(sql, parentSession, deliverer);
		}
	});
}

/**
 * Records that outcomes are delivered: the transcript of the session that asked contains them. Settles many at once, since
 * each transaction waits for the disk. Returns the runs whose outcomes were owed.
 */
export function settleDeliveries(ledger: Ledger, ids: readonly RunId[], at: number): Set<RunId> {
	if (ids.length === 0) return new Set();
	return ledger.transaction(
		"full",
		() => new Set(ids.filter((id) => settleInTransaction(ledger, id, { type: "delivered", at }))),
	);
}

/** Settles the delivery of a run whose child asked for silence. The run stays on record. */
export function skipDelivery(ledger: Ledger, id: RunId, at: number): boolean {
	return ledger.transaction("full", () => settleInTransaction(ledger, id, { type: "skipped", at }));
}

function settleInTransaction(ledger: Ledger, id: RunId, event: { type: "delivered" | "skipped"; at: number }): boolean {
	const record = applyInTransaction(ledger, id, event);
	if (!record) return false;
	const due = archiveTime(record, event.at);
	if (due !== undefined) scheduleArchive(ledger, id, due);
	return true;
}

/** The last run of a session decides when it is archived; admitting another one cancels that. */
function scheduleArchive(ledger: Ledger, id: RunId, due: number): void {
	const sql = `UPDATE runs SET archive_at = ? WHERE id = ? AND NOT EXISTS
		(SELECT 1 FROM runs AS later WHERE later.session_id = runs.session_id AND later.seq > runs.seq)`;
	ledger.run(sql, due, id);
}

/** Foreground sessions are kept to be continued; those of background runs are archived some time after the announce. */
function archiveTime({ mode, plan }: RunRecord, at: number): number | undefined {
	const { cleanup, archiveAfterMinutes } = plan.afterwards;
	if (mode === "foreground") return undefined;
	if (cleanup === "delete") return at;
	return archiveAfterMinutes === 0 ? undefined : at + archiveAfterMinutes * 60_000;
}
