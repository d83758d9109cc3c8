import { setImmediate } from "node:timers/promises";
import type { Ledger } from "../ledger/ledger.ts";
import { type EndedPlace, type Removed, type Retention, recordTidied, removeExpired } from "../ledger/retention.ts";
import { sweepHostFolders } from "../processes/host-folders.ts";
import { clearLeftovers } from "../trees/leftovers.ts";

export interface RemovedAll extends Removed {
	/** Leftover folders of trees and files of changes. */
	trees: number;
}

/** Removes everything older than `retentionDays`, and reports it. A host does the same, bit by bit, once a day. */
export async function removeAllExpired(
	ledger: Ledger,
	{ treesRoot, ...retention }: Retention & { treesRoot?: string },
): Promise<RemovedAll> {
	const total: RemovedAll = { runs: 0, sessions: 0, hosts: 0, trees: 0, files: 0, bytes: 0, failed: [] };
	if (treesRoot !== undefined) {
		// Trees first: a run whose tree still exists is kept.
		const cleared = await clearLeftovers({ ledger, places: retention.places, root: treesRoot }, retention);
		total.trees = cleared.removed;
		total.failed.push(...cleared.failed);
	}
	sweepHostFolders(ledger, retention.places, retention.at);
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
		// Let the screen update in between: there may be many.
		await setImmediate();
	}
	recordTidied(ledger, retention.at);
	return total;
}
