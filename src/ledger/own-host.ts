import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/** How many single-run hosts may exist at once, if the lane allows more: each is a process of a hundred megabytes. */
const OWN_HOSTS_AT_ONCE = 8;

/**
 * Whether a host may be started for a run that needs its own. While the lane is full, such a process would only wait. One
 * may wait, so that it is ready when a place becomes free; the others are not started yet.
 */
export function mayHaveOwnHost(ledger: Ledger, id: RunId, at: number): boolean {
	const facts = ledger.get<{ lane_limit: number; running: number; own: number; waiting: number }>(
		`SELECT lane_limit, (SELECT count(*) FROM runs WHERE state = 'running') AS running,
				(SELECT count(*) FROM hosts ${OWN} AND lease_until > ?) AS own,
				(SELECT count(*) FROM hosts ${OWN} AND lease_until > ? AND NOT EXISTS
					(SELECT 1 FROM runs WHERE state = 'running' AND host_id = hosts.id)) AS waiting
			FROM runs AS mine WHERE id = ? AND state = 'queued' AND stop_at IS NULL AND NOT EXISTS
				(SELECT 1 FROM runs AS before WHERE before.session_id = mine.session_id
					AND before.seq < mine.seq AND before.state <> 'ended')`,
		at,
		at,
		id,
	);
	if (!facts) return false;
	const places = facts.lane_limit - facts.running - facts.waiting;
	return facts.own < OWN_HOSTS_AT_ONCE && (places > 0 || facts.waiting === 0);
}

const OWN = "WHERE state <> 'gone' AND own_run IS NOT NULL";
