import { type Attempt, type AttemptCause, runContinued } from "../run/attempt.ts";
import type { HostId, RunId } from "../run/ids.ts";
import { isCause } from "../run/outcome-check.ts";
import type { Run, TransitionEvent } from "../run/run.ts";
import { readUsage } from "../run/stored-usage.ts";
import { addUsage, NO_USAGE, subtractUsage, type Usage } from "../run/usage.ts";
import type { Ledger } from "./ledger.ts";

/**
 * The attempts of a run, oldest first. Attempts that an older pi-geon began were not recorded: their numbers are
 * missing.
 */
export function attemptsOf(ledger: Ledger, runId: RunId): Attempt[] {
	const sql = `SELECT number, host_id, model, started_at, ended_at, cause, usage FROM attempts
		WHERE run_id = ? ORDER BY number`;
	return ledger.all<AttemptRow>(sql, runId).map(toAttempt);
}

/**
 * Records what an event does to the attempts of a running run, in the transaction that applies the event. `before` is the
 * run before it.
 */
export function followAttempts(ledger: Ledger, before: { run: Run; usage: Usage }, event: TransitionEvent): void {
	const { run, usage: spent } = before;
	if (run.state !== "running") return;
	if (event.type === "ended") {
		const { cause, usage, model } = event.outcome;
		closeAttempt(ledger, run, { at: event.at, cause, spent: usage, ...(model !== undefined && { model }) });
	} else if (event.type === "lease_expired") {
		closeAttempt(ledger, run, { at: event.at, cause: "host_lost", spent });
	} else if (event.type === "attempted_again") {
		closeAttempt(ledger, run, { at: event.at, cause: "tried_again", spent });
		openAttempt(ledger, { ...run, attempt: run.attempt + 1 }, event.at);
	} else if (event.type === "hopped") {
		closeAttempt(ledger, run, { at: event.at, cause: "hopped", spent, model: event.hop.from });
		openAttempt(ledger, { ...run, attempt: run.attempt + 1 }, event.at);
		recordModel(ledger, run.id, event.hop.to);
	}
}

/** Records that a host begins an attempt. A number that already exists is a miscount, which must not block the queue. */
export function openAttempt(ledger: Ledger, run: { id: RunId; attempt: number; hostId: HostId }, at: number): void {
	const sql = `INSERT INTO attempts (run_id, number, host_id, started_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET host_id = excluded.host_id, started_at = excluded.started_at,
			model = NULL, ended_at = NULL, cause = NULL, usage = NULL`;
	ledger.run(sql, run.id, run.attempt, run.hostId, at);
}

interface Closing {
	at: number;
	cause: AttemptCause;
	/** What the run has spent, over all attempts. */
	spent: Usage;
	model?: string;
}

/** Does nothing if the attempt has finished already, or an older pi-geon began it. */
export function closeAttempt(ledger: Ledger, run: { id: RunId; attempt: number }, closing: Closing): void {
	const { at, cause, spent, model = null } = closing;
	const before = spentBefore(ledger, run);
	const usage = before ? JSON.stringify(subtractUsage(spent, before)) : null;
	const sql = `UPDATE attempts SET ended_at = ?, cause = ?, usage = ?, model = coalesce(?, model)
		WHERE run_id = ? AND number = ? AND ended_at IS NULL`;
	ledger.run(sql, at, cause, usage, model, run.id, run.attempt);
}

/** Closes the open attempt of a run whose row cannot be read, so that its number and usage are unknown. */
export function closeAttempts(ledger: Ledger, runId: string, { at, cause }: Pick<Closing, "at" | "cause">): void {
	ledger.run("UPDATE attempts SET ended_at = ?, cause = ? WHERE run_id = ? AND ended_at IS NULL", at, cause, runId);
}

/** Records the model of the current attempt. */
export function recordModel(ledger: Ledger, runId: RunId, model: string): void {
	const sql = "UPDATE attempts SET model = ? WHERE run_id = ? AND ended_at IS NULL AND model IS NOT ?";
	ledger.run(sql, model, runId, model);
}

/** Undefined if one of the earlier attempts is unknown. */
function spentBefore(ledger: Ledger, { id, attempt }: { id: RunId; attempt: number }): Usage | undefined {
	if (attempt === 1) return NO_USAGE;
	const sql = "SELECT usage FROM attempts WHERE run_id = ? AND number < ?";
	const known = ledger.all<{ usage: unknown }>(sql, id, attempt).flatMap(({ usage }) => readUsage(usage) ?? []);
	return known.length === attempt - 1 ? known.reduce(addUsage, NO_USAGE) : undefined;
}

interface AttemptRow {
	number: number;
	host_id: HostId;
	model: string | null;
	started_at: number;
	ended_at: number | null;
	cause: string | null;
	usage: string | null;
}

function toAttempt(row: AttemptRow): Attempt {
	const usage = readUsage(row.usage);
	return {
		number: row.number,
		hostId: row.host_id,
		...(row.model !== null && { model: row.model }),
		startedAt: row.started_at,
		...(row.ended_at !== null && { end: { at: row.ended_at, cause: causeIn(row.cause ?? "") } }),
		...(usage && { usage }),
	};
}

const causeIn = (stored: string): AttemptCause => (isCause(stored) || runContinued(stored) ? stored : "unknown");
