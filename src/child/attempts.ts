/** The attempts of a run, counted in the ledger, so that they outlive the host. */
export class Attempts {
	#most: number;
	readonly #record: () => boolean;
	/** How many there were, the current one included. */
	count: number;

	/** `record` records that the next one begins; false if it must not. */
	constructor({ attempt, maxAttempts }: { attempt: number; maxAttempts: number }, record: () => boolean) {
		this.count = attempt;
		this.#most = maxAttempts;
		this.#record = record;
	}

	/** A hop counts as an attempt, but uses up none of the remaining ones. */
	hopped(): void {
		this.count++;
		this.#most++;
	}

	/** Begins another attempt in the same session. False if none is left. */
	next(): boolean {
		if (this.count >= this.#most || !this.#record()) return false;
		this.count++;
		return true;
	}
}
