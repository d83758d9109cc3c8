import { setImmediate } from "node:timers/promises";
import type { Ledger } from "../ledger/ledger.ts";
import { type EndedPlace, type Removed, type Retention, recordTidied, removeExpired } from "../ledger/retention.ts";

/** Removes everything that has outlived `retentionDays`, and says what. A host does the same, bit by bit, once a day. */
export async function removeAllExpired(ledger: Ledger, retention: Retention): Promise<Removed> {
	const total: Removed = { runs: 0, sessions: 0, hosts: 0, files: 0, bytes: 0, failed: [] };
	for (let from: EndedPlace | undefined; ; ) {
		const { next, ...removed } = removeExpired(ledger, from ? { ...retention, from } : retention);
		total.runs += removed.runs;
		total.sessions += removed.sessions;
		total.hosts += removed.hosts;
		total.files += removed.files;
		total.bytes += removed.bytes;
		total.failed = [...new Set([...total.failed, ...removed.failed])];
		if (!next) break;
		from = next;
		// It may be many, and the screen must not stand still.
		await setImmediate();
	}
	recordTidied(ledger, retention.at);
	return total;
}
