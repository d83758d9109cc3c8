import type { HostId, RunId } from "../run/ids.ts";
import { isRefused, transition } from "../run/run.ts";
import { openAttempt } from "./attempts.ts";
import type { Ledger } from "./ledger.ts";
import { OF_PROFILE, POOL_PREFIX, type ProfileKey, profileValues } from "./profile-key.ts";
import { findRun, type RunMode, type RunRecord, storeRun } from "./records.ts";
import { closeUnreadableInTransaction } from "./unreadable.ts";

/**
 * Claims the next queued runs for a host, as many as there are places for.
 *
 * The order is the same for all of a user's hosts: foreground runs first; then the parent with the fewest running runs, so
 * that a parent that asks for a hundred does not starve one that asks for two; then the order of admission. A run waits
 * while its session has an earlier run (one session never has two writers) and while the lane is full.
 *
 * Only a ready host may claim: a host that was given up on could not keep the run. The claim
 * renews the host's own lease and those of all its runs, so that no host is found dead while one of its runs is still
 * leased, and no run is taken from a host that is alive.
 */
export function claimRuns(ledger: Ledger, claim: Claim): RunRecord[] {
	// Check before locking: an idle host that looks at the queue must not block writers.
	if (!mayClaim(ledger, claim.profile)) return [];
	const { hostId, at } = claim;
	const leaseUntil = at + claim.leaseMs;
	// If the machine loses this claim, it loses the host too, and the run is still queued.
	return ledger.transaction("normal", () => {
		const next = nextOf(ledger, claim);
		const ready = "UPDATE hosts SET lease_until = max(lease_until, ?) WHERE id = ? AND state = 'ready'";
		if (next.length === 0 || ledger.run(ready, leaseUntil, hostId) === 0) return [];
		ledger.run(
			"UPDATE runs SET lease_until = max(lease_until, ?) WHERE state = 'running' AND host_id = ?",
			leaseUntil,
			hostId,
		);
		return next.flatMap((id) => {
			const record = findRun(ledger, id);
			if (!record) closeUnreadableInTransaction(ledger, id, { at });
			const run = record && transition(record.run, { type: "claimed", at, hostId, leaseUntil });
			if (!run || isRefused(run)) return [];
			storeRun(ledger, run);
			if (run.state === "running") openAttempt(ledger, run, at);
			return [{ ...record, run }];
		});
	});
}

export interface Claim {
	hostId: HostId;
	profile: ProfileKey;
	at: number;
	leaseMs: number;
	/** Limits one claim where there are many runs: other writers should get a turn. */
	atMost: number;
}

/**
 * The runs of this profile whose turn it is. A place is kept for each run ahead of them whose own host is ready: that host
 * has to look before it can claim, and a host that never stops claiming would always be quicker.
 *
 * Requesters may configure lanes of different widths. Background runs wait behind a foreground run that wants a narrower
 * lane: otherwise, too many of them might always be running for it.
 */
function nextOf(ledger: Ledger, claim: Claim): RunId[] {
	let taken = ledger.get<{ n: number }>(`SELECT ${RUNNING_HERE} AS n`)?.n ?? 0;
	const next: RunId[] = [];
	let foregroundWaits = false;
	for (const { id, lane_limit, mode, ours, away } of byTurn(ledger, claim)) {
		// A limit below 1 is damage. The run is claimed so that a host reports that, and blocks no other run.
		if (away || !(lane_limit >= 1)) {
			if (ours) next.push(id);
			if (next.length === claim.atMost) break;
			continue;
		}
		if (mode === "background" && foregroundWaits) break;
		if (taken >= lane_limit) foregroundWaits ||= mode === "foreground";
		else {
			taken++;
			if (ours) next.push(id);
			if (next.length === claim.atMost) break;
		}
	}
	return next;
}

/** Whether there may be a run to claim. Skips the ordering, which takes a while with a thousand queued runs. */
function mayClaim(ledger: Ledger, profile: ProfileKey): boolean {
	const sql = `SELECT 1 FROM runs AS waiting WHERE ${OF_PROFILE} AND ${MAY_BE_CLAIMED} AND (${RUNNING_HERE} < lane_limit OR lane_limit < 1 OR NOT (${OF_THIS_MACHINE})) LIMIT 1`;
	return ledger.get(sql, ...profileValues(profile)) !== undefined;
}

/** A pool's run takes no place in the lane: this machine only waits for it. */
const OF_THIS_MACHINE = `substr(profile, 1, ${POOL_PREFIX.length}) <> '${POOL_PREFIX}'`;

const RUNNING_HERE = `(SELECT count(*) FROM runs WHERE state = 'running' AND ${OF_THIS_MACHINE})`;

const WAITING = "state = 'queued' AND stop_at IS NULL AND attempt < max_attempts";

const MAY_BE_CLAIMED = `${WAITING}
	AND NOT EXISTS (SELECT 1 FROM runs AS before WHERE before.session_id = waiting.session_id
		AND before.seq < waiting.seq AND before.state <> 'ended')`;

interface WaitingRun {
	id: RunId;
	lane_limit: number;
	mode: RunMode;
	/** Whether it has the profile of the host that asks. */
	ours: 0 | 1;
	/** Whether a pool does it. */
	away: 0 | 1;
}

/** The runs that may be claimed now, by the host that asks or by other ready hosts, in the order of their turns. */
function byTurn(ledger: Ledger, { profile, at }: Claim): WaitingRun[] {
	return ledger.all(
		`WITH ${RUNNING_BY_PARENT}
			SELECT id, lane_limit, mode, ${OF_PROFILE} AS ours, NOT (${OF_THIS_MACHINE}) AS away
			FROM (SELECT ? AS digest, ? AS only_run UNION
					SELECT profile, own_run FROM hosts WHERE state <> 'gone' AND state = 'ready' AND lease_until > ?)
				CROSS JOIN runs AS waiting ON profile = digest AND own_run IS only_run
				LEFT JOIN running USING (parent_session)
			WHERE ${MAY_BE_CLAIMED}
			ORDER BY mode = 'background', ${TURN}, seq`,
		...profileValues(profile),
		...profileValues(profile),
		at,
	);
}

const RUNNING_BY_PARENT = `running AS (SELECT parent_session, count(*) AS n FROM runs
	WHERE state = 'running' AND ${OF_THIS_MACHINE} GROUP BY parent_session)`;

/** The n-th run of a parent comes when that parent has n more running than now. */
const TURN = `coalesce(running.n, 0) + row_number() OVER (PARTITION BY parent_session ORDER BY mode = 'background', seq)`;

/** Whether a queued run has a place in the lane, given how many runs are ahead of it. It then only waits for its host. */
export function hasPlace(ledger: Ledger, id: RunId, before: number): boolean {
	const sql = `SELECT ${RUNNING_HERE} + ? < lane_limit AS free FROM runs WHERE id = ?`;
	return ledger.get<{ free: number }>(sql, before, id)?.free === 1;
}

/** How many runs are ahead of each queued one; 0 means that it is next. */
export function queuePositions(ledger: Ledger): Map<RunId, number> {
	const waiting = ledger.all<{ id: RunId }>(
		`WITH ${RUNNING_BY_PARENT}
			SELECT id FROM (SELECT id, mode = 'background' AS later, ${TURN} AS turn, seq
				FROM runs INDEXED BY runs_queued LEFT JOIN running USING (parent_session) WHERE ${WAITING} AND ${OF_THIS_MACHINE})
			ORDER BY later, turn, seq`,
	);
	return new Map(waiting.map(({ id }, position) => [id, position]));
}
