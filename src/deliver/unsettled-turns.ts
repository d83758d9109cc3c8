import type { Log } from "../log/log.ts";
import type { Clock } from "../ports/clock.ts";

/** Long enough for the request with the results of a turn to be sent first, so that it need not wait for the disk. */
const SETTLE_AFTER_MS = 20;

/** Turns that have reported outcomes whose debts are not settled yet. */
export class UnsettledTurns {
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #turns: (() => Promise<void>)[] = [];

	constructor(clock: Clock, log: Log) {
		this.#clock = clock;
		this.#log = log;
	}

	/** Settles a turn a moment later, or with `settleNow`. */
	add(settle: () => Promise<void>): void {
		this.#turns.push(settle);
		if (this.#turns.length === 1) this.#clock.after(SETTLE_AFTER_MS, () => void this.settleNow());
	}

	async settleNow(): Promise<void> {
		for (const settle of this.#turns.splice(0)) {
			try {
				await settle();
			} catch (error) {
				this.#log.warn("cannot settle yet, leaving it to the next look", { error });
			}
		}
	}
}
