import type { RunView } from "../deliver/run-view.ts";
import { queuePositions } from "../ledger/claim.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunId } from "../run/ids.ts";

/** Where a run is in the queue. */
export interface InQueue {
	/** How many runs are ahead of it, if it is queued on this machine. */
	queuePosition?: number;
}

export type QueueLook = (run: Pick<RunView, "runId" | "phase">) => InQueue;

/** Where the runs of one list are in the queue. Reads the queue once, and only if a run of the list is queued. */
export function lookAtQueue(ledger: Ledger): QueueLook {
	let positions: ReadonlyMap<RunId, number> | undefined;
	return ({ runId, phase }) => {
		if (phase !== "queued") return {};
		positions ??= queuePositions(ledger);
		const queuePosition = positions.get(runId);
		return queuePosition === undefined ? {} : { queuePosition };
	};
}
