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
 */
export function claimNext(
	ledger: Ledger,
	claim: { hostId: HostId; profile: string; at: number; leaseMs: number },
): RunRecord | undefined {
	// Asking before locking: an idle host's look at the queue must not hold up those who write.
	if (!nextFor(ledger, claim.profile)) return undefined;
	return ledger.transaction("full", () => {
		const id = nextFor(ledger, claim.profile);
		const record = id && findRun(ledger, id);
		if (!record) return undefined;
		const run = transition(record.run, {
			type: "claimed",
			at: claim.at,
			hostId: claim.hostId,
			leaseUntil: claim.at + claim.leaseMs,
		});
		if (isRefused(run)) return undefined;
		storeRun(ledger, run);
		return { ...record, run };
	});
}

function nextFor(ledger: Ledger, profile: string): RunId | undefined {
	return ledger.get<{ id: RunId }>(
		`SELECT id FROM runs AS waiting
			WHERE state = 'queued' AND profile = ? AND stop_at IS NULL AND attempt < max_attempts
			AND (SELECT count(*) FROM runs WHERE state = 'running') < lane_limit
			AND NOT EXISTS (SELECT 1 FROM runs AS before WHERE before.session_id = waiting.session_id
				AND before.seq < waiting.seq AND before.state <> 'ended')
			ORDER BY mode = 'background',
				(SELECT count(*) FROM runs AS sibling WHERE sibling.state = 'running'
					AND sibling.parent_session = waiting.parent_session),
				seq
			LIMIT 1`,
		profile,
	)?.id;
}

/** How many runs are to be served before this one; 0 means it is next. Undefined once it no longer waits. */
export function queuePosition(ledger: Ledger, id: RunId): number | undefined {
	return ledger.get<{ ahead: number }>(
		`SELECT (SELECT count(*) FROM runs AS other WHERE other.state = 'queued' AND other.id <> mine.id
				AND (other.mode > mine.mode OR (other.mode = mine.mode AND other.seq < mine.seq))) AS ahead
			FROM runs AS mine WHERE id = ? AND state = 'queued'`,
		id,
	)?.ahead;
}
