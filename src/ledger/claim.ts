import type { HostId, RunId } from "../run/ids.ts";
import { isRefused, transition } from "../run/run.ts";
import { openAttempt } from "./attempts.ts";
import type { Ledger } from "./ledger.ts";
import { OF_PROFILE, POOL_PREFIX, type ProfileKey, profileValues } from "./profile-key.ts";
import { findRun, type RunMode, type RunRecord, storeRun } from "./records.ts";
import { closeUnreadableInTransaction } from "./unreadable.ts";

/**
 * The next queued runs for a host, now its own, as many as there are places for.
 *
 * Order, over all of a user's hosts: foreground runs first; then the parent that has the fewest running
 * runs, so that one that asks for a hundred does not starve one that asks for two; then the order of admission. A run
 * waits while its session has another run before it (one session never has two writers) and while the lane is full.
 *
 * Only a host that is ready may claim: one that others have given up on would get a run that it cannot keep. The claim
 * renews the host's own lease and those of all its runs, so that no host is found dead while one of its runs is still
 * leased, and no run is taken from a host that is alive.
 */
export function claimRuns(ledger: Ledger, claim: Claim): RunRecord[] {
	// Check before locking: the look of an idle host at the queue must not hold up writers.
	if (!anyWaits(ledger, claim.profile)) return [];
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
 * Requesters may allow for lanes of different widths. Background runs wait for one in the foreground that wants a narrower
 * lane: else there might always be too many of them running for it.
 */
function nextOf(ledger: Ledger, claim: Claim): RunId[] {
	let taken = ledger.get<{ n: number }>(`SELECT ${AT_WORK} AS n`)?.n ?? 0;
	const next: RunId[] = [];
	let heldUp = false;
	for (const { id, lane_limit, mode, ours, away } of byTurn(ledger, claim)) {
		// No lane is that narrow: the run is claimed so that a host reports the damage, and it holds up no other run.
		if (away || !(lane_limit >= 1)) {
			if (ours) next.push(id);
			if (next.length === claim.atMost) break;
			continue;
		}
		if (mode === "background" && heldUp) break;
		if (taken >= lane_limit) heldUp ||= mode === "foreground";
		else {
			taken++;
			if (ours) next.push(id);
			if (next.length === claim.atMost) break;
		}
	}
	return next;
}

/** Whether there may be something to claim. Skips the ordering, which takes a while with a thousand waiting runs. */
function anyWaits(ledger: Ledger, profile: ProfileKey): boolean {
	const sql = `SELECT 1 FROM runs AS waiting WHERE ${OF_PROFILE} AND ${MAY_BE_CLAIMED} AND (${AT_WORK} < lane_limit OR lane_limit < 1 OR NOT (${OF_THIS_MACHINE})) LIMIT 1`;
	return ledger.get(sql, ...profileValues(profile)) !== undefined;
}

/** A run that a pool does takes no place in the lane: this machine only waits for it. */
const OF_THIS_MACHINE = `substr(profile, 1, ${POOL_PREFIX.length}) <> '${POOL_PREFIX}'`;

const AT_WORK = `(SELECT count(*) FROM runs WHERE state = 'running' AND ${OF_THIS_MACHINE})`;

const WAITS = "state = 'queued' AND stop_at IS NULL AND attempt < max_attempts";

const MAY_BE_CLAIMED = `${WAITS}
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
		`WITH ${AT_WORK_BY_PARENT}
			SELECT id, lane_limit, mode, ${OF_PROFILE} AS ours, NOT (${OF_THIS_MACHINE}) AS away
			FROM (SELECT ? AS digest, ? AS only_run UNION
					SELECT profile, own_run FROM hosts WHERE state <> 'gone' AND state = 'ready' AND lease_until > ?)
				CROSS JOIN runs AS waiting ON profile = digest AND own_run IS only_run
				LEFT JOIN at_work USING (parent_session)
			WHERE ${MAY_BE_CLAIMED}
			ORDER BY mode = 'background', ${TURN}, seq`,
		...profileValues(profile),
		...profileValues(profile),
		at,
	);
}

const AT_WORK_BY_PARENT = `at_work AS (SELECT parent_session, count(*) AS n FROM runs
	WHERE state = 'running' AND ${OF_THIS_MACHINE} GROUP BY parent_session)`;

/** The n-th run of a parent comes when that parent has n more running than now. */
const TURN = `coalesce(at_work.n, 0) + row_number() OVER (PARTITION BY parent_session ORDER BY mode = 'background', seq)`;

/** Whether a queued run has a place in the lane, given how many runs are ahead of it. It then only waits for its host. */
export function hasPlace(ledger: Ledger, id: RunId, before: number): boolean {
	const sql = `SELECT ${AT_WORK} + ? < lane_limit AS free FROM runs WHERE id = ?`;
	return ledger.get<{ free: number }>(sql, before, id)?.free === 1;
}

/** How many runs are ahead of each queued one; 0 means that it is next. */
export function queuePositions(ledger: Ledger): Map<RunId, number> {
	const waiting = ledger.all<{ id: RunId }>(
		`WITH ${AT_WORK_BY_PARENT}
			SELECT id FROM (SELECT id, mode = 'background' AS later, ${TURN} AS turn, seq
				FROM runs INDEXED BY runs_queued LEFT JOIN at_work USING (parent_session) WHERE ${WAITS} AND ${OF_THIS_MACHINE})
			ORDER BY later, turn, seq`,
	);
	return new Map(waiting.map(({ id }, position) => [id, position]));
}
