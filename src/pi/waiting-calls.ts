import { setTimeout as sleep } from "node:timers/promises";

/** A ledger that is locked for longer has the run go on, and its report wait for the session. */
const WRITTEN_WITHIN_MS = 1000;

/** The calls that wait for a run. They end with the session, and their runs are stopped. */
export class WaitingCalls {
	readonly #ended = new AbortController();
	readonly #open = new Set<Promise<void>>();

	/** Fires when the session ends. pi's own signal for tools comes when it is too late to write anything down. */
	get ended(): AbortSignal {
		return this.#ended.signal;
	}

	/** Answers what to call when its stop is written down, or it waits no longer. */
	begin(): () => void {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#open.add(promise);
		return () => {
			this.#open.delete(promise);
			resolve();
		};
	}

	/** Resolves when all stops are written down: pi may exit right after. */
	async end(): Promise<void> {
		this.#ended.abort();
		await Promise.race([Promise.all(this.#open), sleep(WRITTEN_WITHIN_MS, undefined, { ref: false })]);
	}
}
