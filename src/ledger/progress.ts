import type { Hop } from "../run/hop.ts";
import type { HostId, RunId } from "../run/ids.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Redacted } from "../run/redacted.ts";
import { type EndedRun, isRefused, type StopRequest, type TransitionEvent, transition } from "../run/run.ts";
import { addUsage, NO_USAGE, type Usage } from "../run/usage.ts";
import { followAttempts, recordModel } from "./attempts.ts";
import { followUpInTransaction, undelivered } from "./inbox.ts";
import type { Ledger } from "./ledger.ts";
import { closeQuestionsInTransaction } from "./open-questions.ts";
import { findRun, type RunRecord, storeRun } from "./records.ts";
import { oweStopHook } from "./stop-hooks.ts";
import { closeUnreadableInTransaction, usageIn } from "./unreadable.ts";

/**
 * Applies one event to one run, inside a transaction that may do more. Returns the run as it is now, or undefined if
 * the event was refused.
 */
export function applyInTransaction(ledger: Ledger, id: RunId, event: TransitionEvent): RunRecord | undefined {
	const record = findRun(ledger, id);
	if (!record) {
		// The ending that its host reports is better than no outcome.
		if (event.type === "ended") closeUnreadableInTransaction(ledger, id, event);
		else if ("at" in event) closeUnreadableInTransaction(ledger, id, { at: event.at });
		return undefined;
	}
	const next = transition(record.run, event);
	if (isRefused(next)) return undefined;
	const run = event.type === "ended" && next.state === "ended" ? withUndelivered(ledger, record, next) : next;
	if (run !== record.run) storeRun(ledger, run);
	followAttempts(ledger, record, event);
	const now = { ...record, run };
	if (event.type === "ended") {
		if (now.plan.stopHook) oweStopHook(ledger, id);
		closeQuestionsInTransaction(ledger, id, event.at);
		followUpInTransaction(ledger, now);
	}
	return now;
}

/** Tells the requester about messages that reach no run. */
function withUndelivered(ledger: Ledger, record: RunRecord, run: EndedRun): EndedRun {
	const lines = undelivered(ledger, record, run);
	if (lines.length === 0) return run;
	return { ...run, outcome: { ...run.outcome, warnings: [...run.outcome.warnings, ...lines] } };
}

export interface RunEnd {
	id: RunId;
	fence: number;
	outcome: Outcome;
	at: number;
}

/** Ends a run. False if the run no longer belongs to this host: the outcome then does not count. */
export function endRun(ledger: Ledger, end: RunEnd): boolean {
	return endRuns(ledger, [end]).has(end.id);
}

/** The same for several at once, since each transaction waits for the disk. Returns those that counted. */
export function endRuns(ledger: Ledger, ends: readonly RunEnd[]): Set<RunId> {
	return ledger.transaction("full", () => {
		const counted = ends.filter((end) => applyInTransaction(ledger, end.id, { type: "ended", ...end }));
		return new Set(counted.map(({ id }) => id));
	});
}

/**
 * Counts another attempt by the host that has the run. False if the run no longer belongs to it, or may not have another
 * one.
 */
export function beginAttempt(ledger: Ledger, id: RunId, { fence, at }: { fence: number; at: number }): boolean {
	const event: TransitionEvent = { type: "attempted_again", fence, at };
	return ledger.transaction("full", () => applyInTransaction(ledger, id, event)) !== undefined;
}

/**
 * Records that a run continues with its next model. False if the run no longer belongs to its host, or has a stop request.
 */
export function recordHop(
	ledger: Ledger,
	id: RunId,
	{ fence, at, hop }: { fence: number; at: number; hop: Hop },
): boolean {
	const event: TransitionEvent = { type: "hopped", fence, at, hop };
	return ledger.transaction("full", () => applyInTransaction(ledger, id, event)) !== undefined;
}

/** Requests that a run be stopped. The request survives any crash; the host of the run, or the next sweep, acts on it. */
export function requestStop(ledger: Ledger, id: RunId, request: StopRequest): boolean {
	return requestStops(ledger, [id], request).has(id);
}

/** The same for several at once, so that none of them ends before all are marked. Returns the runs that were open. */
export function requestStops(ledger: Ledger, ids: readonly RunId[], request: StopRequest): Set<RunId> {
	const event: TransitionEvent = { type: "stop_requested", ...request };
	return ledger.transaction(
		"full",
		() => new Set(ids.filter((id) => applyInTransaction(ledger, id, event) !== undefined)),
	);
}

/**
 * Records the progress of a run: what it has used, since a budget must not start again with another host, and the child's
 * latest text, if any, for an outcome that no host is left to write.
 */
export function recordTurn(ledger: Ledger, id: RunId, fence: number, turn: Turn): boolean {
	const sql = `UPDATE runs SET usage = ?, partial = coalesce(?, partial)
		WHERE id = ? AND fence = ? AND state = 'running'`;
	const values = [JSON.stringify(turn.usage), turn.said ?? null, id, fence];
	return ledger.transaction("normal", () => {
		const ours = ledger.run(sql, ...values) === 1;
		if (ours && turn.model !== undefined) recordModel(ledger, id, turn.model);
		return ours;
	});
}

interface Turn {
	/** Over all attempts. */
	usage: Usage;
	said?: Redacted;
	/** provider/id of the model that was asked. */
	model?: string;
}

/** What all runs of a parent session have used so far, finished or not. */
export function usageOfParent(ledger: Ledger, parentSession: string): Usage {
	const rows = ledger.all<{ usage: unknown }>("SELECT usage FROM runs WHERE parent_session = ?", parentSession);
	return rows.map((row) => usageIn(row.usage)).reduce(addUsage, NO_USAGE);
}

/** The fences of the runs a host still holds, each with its stop request if there is one. */
export function heldRuns(ledger: Ledger, hostId: HostId): Map<RunId, { fence: number; stopBy?: string }> {
	const rows = ledger.all<{ id: RunId; fence: number; stop_by: string | null }>(
		"SELECT id, fence, stop_by FROM runs WHERE state = 'running' AND host_id = ?",
		hostId,
	);
	return new Map(
		rows.map((row) => [row.id, { fence: row.fence, ...(row.stop_by !== null && { stopBy: row.stop_by }) }]),
	);
}
