import type { HostId, RunId } from "../run/ids.ts";
import { isRefused, transition } from "../run/run.ts";
import type { Ledger } from "./ledger.ts";
import { findRun, type RunRecord, storeRun } from "./records.ts";

/**
 * The next queued runs for a host, now its own, as many as there are places for.
 *
 * Order: whoever waits in the foreground first; then the parent that has the fewest runs at work, so that one that asks
 * for a hundred does not starve one that asks for two; then the order of admission. A run waits while its session has
 * another run before it (one session never has two writers) and while the lane is full.
 *
 * Only a host that is ready may claim: one that others have given up on would get a run that it cannot keep. The claim
 * renews the host's own lease and those of all its runs, so that no host is found dead while one of its runs is still
 * leased, and no run is taken from a host that is heard of.
 */
export function claimRuns(ledger: Ledger, claim: Claim): RunRecord[] {
	// Asking before locking: an idle host's look at the queue must not hold up those who write.
	if (!anyWaits(ledger, claim.profile)) return [];
	const { hostId, at } = claim;
	const leaseUntil = at + claim.leaseMs;
	// A claim that is lost with the machine is lost with its host: the run is still queued then.
	return ledger.transaction("normal", () => {
		const waiting = inOrder(ledger, claim, claim.atMost);
		const ready = "UPDATE hosts SET lease_until = max(lease_until, ?) WHERE id = ? AND state = 'ready'";
		if (waiting.length === 0 || ledger.run(ready, leaseUntil, hostId) === 0) return [];
		ledger.run(
			"UPDATE runs SET lease_until = max(lease_until, ?) WHERE state = 'running' AND host_id = ?",
			leaseUntil,
			hostId,
		);
		let atWork = ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE state = 'running'")?.n ?? 0;
		return waiting.flatMap(({ id, lane_limit, kept }) => {
			const record = atWork + kept < lane_limit ? findRun(ledger, id) : undefined;
			const run = record && transition(record.run, { type: "claimed", at, hostId, leaseUntil });
			if (!run || isRefused(run)) return [];
			storeRun(ledger, run);
			atWork++;
			return [{ ...record, run }];
		});
	});
}

export interface Claim {
	hostId: HostId;
	profile: string;
	at: number;
	leaseMs: number;
	/** Not all at once, where there are many: whoever else writes should get a turn. */
	atMost: number;
}

interface WaitingRun {
	id: RunId;
	lane_limit: number;
	/** Places that are not for it. */
	kept: number;
}

/** Whether there may be something to claim. Does without the order, which takes a while with a thousand that wait. */
function anyWaits(ledger: Ledger, profile: string): boolean {
	return ledger.get(`SELECT 1 FROM runs AS waiting WHERE ${MAY_BE_CLAIMED} LIMIT 1`, profile) !== undefined;
}

const AT_WORK = "(SELECT count(*) FROM runs WHERE state = 'running')";

const MAY_BE_CLAIMED = `state = 'queued' AND profile = ? AND stop_at IS NULL AND attempt < max_attempts
	AND ${AT_WORK} < lane_limit
	AND NOT EXISTS (SELECT 1 FROM runs AS before WHERE before.session_id = waiting.session_id
		AND before.seq < waiting.seq AND before.state <> 'ended')`;

/**
 * Those that may be claimed, in the order in which they would be, one after the other: the n-th of a parent comes when
 * that parent has n more at work than now.
 *
 * A place is kept for each run before them that has a host of its own, ready and waiting. Such a host has to look before
 * it can claim: without this, one that never stops claiming would always be quicker.
 */
function inOrder(ledger: Ledger, { profile, at }: Pick<Claim, "profile" | "at">, atMost: number): WaitingRun[] {
	return ledger.all(
		`WITH at_work AS (SELECT parent_session, count(*) AS n FROM runs WHERE state = 'running' GROUP BY parent_session),
			with_own_host AS (SELECT own.profile, mode, seq FROM hosts JOIN runs AS own ON own.profile = hosts.profile
				WHERE hosts.state <> 'gone' AND hosts.state = 'ready' AND instr(hosts.profile, ':') > 0
				AND hosts.lease_until > ? AND own.state = 'queued' AND own.stop_at IS NULL)
			SELECT id, lane_limit, (SELECT count(*) FROM with_own_host AS before WHERE before.profile <> waiting.profile
				AND (before.mode > waiting.mode OR (before.mode = waiting.mode AND before.seq < waiting.seq))) AS kept
			FROM runs AS waiting LEFT JOIN at_work USING (parent_session)
			WHERE ${MAY_BE_CLAIMED} AND ${AT_WORK} + kept < lane_limit
			ORDER BY mode = 'background',
				coalesce(at_work.n, 0) + row_number() OVER (PARTITION BY parent_session ORDER BY mode = 'background', seq), seq
			LIMIT ?`,
		at,
		profile,
		atMost,
	);
}

/** How many runs are to be served before this one; 0 means it is next. Undefined once it no longer waits. */
export function queuePosition(ledger: Ledger, id: RunId): number | undefined {
	return ledger.get<{ ahead: number }>(
		`SELECT (SELECT count(*) FROM runs AS other WHERE other.state = 'queued' AND other.id <> mine.id
				AND other.stop_at IS NULL AND other.attempt < other.max_attempts
				AND (other.mode > mine.mode OR (other.mode = mine.mode AND other.seq < mine.seq))) AS ahead
			FROM runs AS mine WHERE id = ? AND state = 'queued'`,
		id,
	)?.ahead;
}
