import { queuePositions } from "../ledger/claim.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Clock } from "../ports/clock.ts";
import type { RunId } from "../run/ids.ts";

/** How long to reuse an answer for all callers: otherwise, a hundred callers would each ask twice a second. */
const GOOD_FOR_MS = 250;

/** How many runs are ahead of those that callers in this process wait for. */
export class QueuePositions {
	readonly #ledger: Ledger;
	readonly #clock: Clock;
	#known = new Map<RunId, number>();
	#askedAt = Number.NEGATIVE_INFINITY;

	constructor(ledger: Ledger, clock: Clock) {
		this.#ledger = ledger;
		this.#clock = clock;
	}

	/** 0: the run is next. Undefined if it no longer waits. */
	of(id: RunId): number | undefined {
		const now = this.#clock.elapsed();
		if (now - this.#askedAt > GOOD_FOR_MS || !this.#known.has(id)) {
			this.#known = queuePositions(this.#ledger);
			this.#askedAt = now;
		}
		return this.#known.get(id);
	}
}
