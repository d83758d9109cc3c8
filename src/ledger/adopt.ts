import type { RunId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { OF_PROFILE, type ProfileKey, profileValues } from "./profile-key.ts";
import { findUnreadable } from "./unreadable.ts";

/**
 * Gives a queued run to the hosts of another profile, if those of its own profile are all gone. Otherwise, the run would
 * wait forever once the pi that admitted it has exited, if that pi had another version or environment. A run that needs a
 * host of its own still gets one.
 */
export function adoptRun(ledger: Ledger, adoption: { id: RunId; from: ProfileKey; to: string; at: number }): boolean {
	const { id, to, at } = adoption;
	const from = profileValues(adoption.from);
	const isServed = `SELECT 1 FROM hosts WHERE ${OF_PROFILE} AND state <> 'gone' AND lease_until > ?`;
	// Check before locking, because this is called again and again for a run that has hosts.
	if (ledger.get(isServed, ...from, at)) return false;
	// Our hosts could not read it either. It waits for a newer pi.
	if (findUnreadable(ledger, id)?.isNewer) return false;
	const sql = `UPDATE runs SET profile = ? WHERE id = ? AND state = 'queued' AND ${OF_PROFILE} AND NOT EXISTS (${isServed})`;
	return ledger.transaction("full", () => ledger.run(sql, to, id, ...from, ...from, at)) === 1;
}
