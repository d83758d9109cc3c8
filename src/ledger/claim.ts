import type { HostId, RunId } from "../run/ids.ts";
import { isRefused, transition } from "../run/run.ts";
import type { Ledger } from "./ledger.ts";
import { findRun, type RunRecord, storeRun } from "./records.ts";

/**
 * The next queued run for a host, now its own, or undefined if there is none it may take.
 *
 * Order: whoever waits in the foreground first; then the parent that has the fewest runs at work, so that one that asks
 * for a hundred does not starve one that asks for two; then the order of admission. A run waits while its session has
 * another run before it (one session never has two writers) and while the lane is full.
 *
 * Only a host that is ready may claim: one that others have given up on would get a run that it cannot keep. The claim
 * renews the host's own lease too, so that no host is found dead while one of its runs is still leased.
 */
export function claimNext(
	ledger: Ledger,
	claim: { hostId: HostId; profile: string; at: number; leaseMs: number },
): RunRecord | undefined {
	// Asking before locking: an idle host's look at the queue must not hold up those who write.
	if (!nextFor(ledger, claim.profile)) return undefined;
	// A claim that is lost with the machine is lost with its host: the run is still queued then.
	return ledger.transaction("normal", () => {
		const id = nextFor(ledger, claim.profile);
		const record = id && findRun(ledger, id);
		if (!record) return undefined;
		const leaseUntil = claim.at + claim.leaseMs;
		const run = transition(record.run, { type: "claimed", at: claim.at, hostId: claim.hostId, leaseUntil });
		if (isRefused(run)) return undefined;
		const ready = "UPDATE hosts SET lease_until = max(lease_until, ?) WHERE id = ? AND state = 'ready'";
		if (ledger.run(ready, leaseUntil, claim.hostId) === 0) return undefined;
		storeRun(ledger, run);
		return { ...record, run };
	});
}

function nextFor(ledger: Ledger, profile: string): RunId | undefined {
	return ledger.get<{ id: RunId }>(
		`WITH at_work AS (SELECT parent_session, count(*) AS n FROM runs WHERE state = 'running' GROUP BY parent_session)
			SELECT id FROM runs AS waiting LEFT JOIN at_work USING (parent_session)
			WHERE state = 'queued' AND profile = ? AND stop_at IS NULL AND attempt < max_attempts
			AND (SELECT count(*) FROM runs WHERE state = 'running') < lane_limit
			AND NOT EXISTS (SELECT 1 FROM runs AS before WHERE before.session_id = waiting.session_id
				AND before.seq < waiting.seq AND before.state <> 'ended')
			ORDER BY mode = 'background', coalesce(at_work.n, 0), seq
			LIMIT 1`,
		profile,
	)?.id;
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
