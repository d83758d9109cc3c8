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

	declare(cause: EndCause): void {
		this.#cause ??= cause;
		this.#settle(this.#cause);
	}

	get over(): boolean {
		return this.#cause !== undefined;
	}
}
