import type { HostId } from "../run/ids.ts";
import type { EndCause, Outcome } from "../run/outcome.ts";
import type { RunningRun } from "../run/run.ts";
import { type HostRecord, selectHosts } from "./hosts.ts";
import type { Ledger } from "./ledger.ts";
import { applyInTransaction, heldRuns } from "./progress.ts";
import { type RunRecord, selectRuns } from "./records.ts";
import { closeUnreadableInTransaction } from "./unreadable.ts";

export interface Sweep {
	at: number;
	outcomeOf: (record: RunRecord, cause: EndCause) => Outcome;
	/** Knows about processes. Without it, an expired lease is enough to give up on a host. */
	reaper?: Reaper;
}

/** Knows what the ledger cannot: whether the process of a silent host is still there. */
export interface Reaper {
	/** Whether to give up on a host whose lease has run out. */
	mayReap(host: HostRecord): boolean;
	/** Restarts the grace period of a host that could not renew its lease because the ledger was locked. */
	restartGracePeriod(host: HostRecord): void;
	/** Milliseconds since some moment; never goes backwards. */
	elapsed(): number;
	/**
	 * Removes what a host leaves in the file system; a host that is still alive puts it back. False if the removal has to be
	 * tried again before the host is marked as gone; with runs waiting, it gives up on that in the end.
	 */
	clear(host: HostRecord, facts: { hasRuns: boolean }): boolean;
	/** Ends the process of a host that was given up on. */
	reap(host: HostRecord): void;
}

/**
 * Cleans up after dead hosts. Any process may do it at any time; the first one that sees an expired lease does it.
 * A run without a host is ended if a stop was requested or its attempts are used up, and is queued again otherwise.
 *
 * The order matters: a silent host is marked as gone, so that it can no longer renew its leases; then its process is
 * ended; then its runs are released. That way, no host works on a run while another may still write into its session.
 */
export function sweep(ledger: Ledger, options: Sweep): { requeued: RunRecord[]; ended: RunRecord[] } {
	const { at } = options;
	if (!needsSweep(ledger, at)) return { requeued: [], ended: [] };
	giveUpOnSilentHosts(ledger, options);
	if (!canSweep(ledger, at)) return { requeued: [], ended: [] };
	return ledger.transaction("full", () => {
		for (const id of idsWhere(ledger, EXPIRED, at, at)) closeUnreadableInTransaction(ledger, id, { at });
		const expired = selectRuns(ledger, EXPIRED, at, at);
		const requeued = expired.flatMap((record) => release(ledger, record, { at, all: expired }));
		for (const id of idsWhere(ledger, OVER)) closeUnreadableInTransaction(ledger, id, { at });
		const ended = selectRuns(ledger, OVER).flatMap((record) => {
			const { id, fence } = record.run;
			const outcome = options.outcomeOf(record, causeOf(record));
			return applyInTransaction(ledger, id, { type: "ended", at, fence, outcome }) ?? [];
		});
		const endedIds = new Set(ended.map((record) => record.run.id));
		return { requeued: requeued.filter((record) => !endedIds.has(record.run.id)), ended };
	});
}

/** After a longer wait for the lock, hosts may have been unable to renew their leases too. */
const LOCKED_MS = 100;

class LockedMeanwhile extends Error {}

function giveUpOnSilentHosts(ledger: Ledger, { at, reaper }: Sweep): void {
	const silent = selectHosts(ledger, "state <> 'gone' AND lease_until <= ?", at);
	const hasRuns = ({ id }: HostRecord) => heldRuns(ledger, id).size > 0;
	// Cleared before they are marked: no sweep looks again at a marked host without runs, and we may die in between.
	const given = reaper
		? silent.filter((host) => reaper.mayReap(host) && reaper.clear(host, { hasRuns: hasRuns(host) }))
		: silent;
	const spared = silent.filter((host) => !given.includes(host));
	const sql = "UPDATE hosts SET state = 'gone' WHERE id = ? AND state <> 'gone' AND lease_until <= ?";
	const asked = reaper?.elapsed() ?? 0;
	const mark = () => {
		if ((reaper?.elapsed() ?? 0) - asked > LOCKED_MS) throw new LockedMeanwhile();
		// Changes nothing, but fails on a full disk, as the host's renewal does: the grace period starts once there is space.
		for (const { id } of spared) ledger.run("UPDATE hosts SET state = state WHERE id = ?", id);
		// Checks the lease again: it may have been renewed since.
		return given.filter(({ id }) => ledger.run(sql, id, at) === 1);
	};
	let marked: HostRecord[] = [];
	try {
		if (silent.length > 0) marked = ledger.transaction("full", mark);
	} catch (error) {
		// The lock that blocked us also kept the hosts from renewing their leases.
		for (const host of silent) reaper?.restartGracePeriod(host);
		if (!(error instanceof LockedMeanwhile)) throw error;
	}
	if (!reaper) return;
	// Includes marked hosts that still have runs: the process that marked them may have died before it ended theirs.
	const held = `id IN (SELECT host_id FROM runs WHERE state = 'running' AND lease_until <= ?)`;
	for (const host of [...marked, ...selectHosts(ledger, `state = 'gone' AND ${held}`, at)]) reaper.reap(host);
}

/** A run that may not have caused the crash gets a host of its own for its last attempt. */
function release(
	ledger: Ledger,
	{ run, profile }: RunRecord,
	{ at, all }: { at: number; all: RunRecord[] },
): RunRecord[] {
	const hostOf = (other: RunRecord["run"]): HostId | undefined => (other as Partial<RunningRun>).hostId;
	const shared = all.some((other) => other.run.id !== run.id && hostOf(other.run) === hostOf(run));
	const released = applyInTransaction(ledger, run.id, { type: "lease_expired", at, shared });
	if (!released) return [];
	if (released.run.maxAttempts === run.maxAttempts) return [released];
	ledger.run("UPDATE runs SET own_run = id WHERE id = ?", run.id);
	return [{ ...released, profile: { ...profile, ownRun: run.id } }];
}

const OVER = "state = 'queued' AND (stop_at IS NOT NULL OR attempt >= max_attempts)";

const idsWhere = (ledger: Ledger, condition: string, ...values: number[]): string[] =>
	ledger.all<{ id: string }>(`SELECT id FROM runs WHERE ${condition}`, ...values).map(({ id }) => id);

/** A run whose host is silent, but not yet given up on, is not free. */
const EXPIRED = `state = 'running' AND coalesce(lease_until, 0) <= ? AND NOT EXISTS
	(SELECT 1 FROM hosts WHERE id = runs.host_id AND state <> 'gone' AND lease_until <= ?)`;

function needsSweep(ledger: Ledger, at: number): boolean {
	const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND coalesce(lease_until, 0) <= ?)
		OR EXISTS (SELECT 1 FROM hosts WHERE state <> 'gone' AND lease_until <= ?)
		OR EXISTS (SELECT 1 FROM runs WHERE ${OVER})`;
	return ledger.get(sql, at, at) !== undefined;
}

function canSweep(ledger: Ledger, at: number): boolean {
	const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM runs WHERE ${EXPIRED}) OR EXISTS (SELECT 1 FROM runs WHERE ${OVER})`;
	return ledger.get(sql, at, at) !== undefined;
}

function causeOf({ run }: RunRecord): EndCause {
	if (run.stop) return { kind: "stopped", by: run.stop.by };
	const times = run.attempt === 1 ? "once" : `${run.attempt} times`;
	return { kind: "lost", message: `The host process died ${times} while working on it, and no attempts are left.` };
}
