import type { EndCause } from "../../run/outcome.ts";

/** Everything that can end a run reports here; the first cause is the one that counts. */
export class EndingRace {
	/** Settles with the first cause, and never fails. */
	readonly first: Promise<EndCause>;
	#cause: EndCause | undefined;
	readonly #settle: (cause: EndCause) => void;

	constructor() {
		const { promise, resolve } = Promise.withResolvers<EndCause>();
		this.first = promise;
		this.#settle = resolve;
	}

	/** Called as soon as the race is decided, before anything else in the process continues. */
	onDecided: () => void = () => {};

	declare(cause: EndCause): void {
		if (this.#cause) return;
		this.#cause = cause;
		this.#settle(cause);
		this.onDecided();
	}
}
