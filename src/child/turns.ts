/**
 * Lets a few callers work at the same time and queues the others. A turn ends with its work, or after a while: a caller that
 * hangs must not block the runs behind it.
 */
export class Turns {
	readonly #atOnce: number;
	readonly #longestMs: number;
	readonly #waiting: (() => void)[] = [];
	#taken = 0;

	constructor(atOnce: number, longestMs: number) {
		this.#atOnce = atOnce;
		this.#longestMs = longestMs;
	}

	/** Does the work when its turn comes. */
	async take<Result>(work: () => Promise<Result>): Promise<Result> {
		if (this.#taken >= this.#atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
		else this.#taken++;
		let over = false;
		const giveBack = () => {
			if (over) return;
			over = true;
			clearTimeout(tooLong);
			const next = this.#waiting.shift();
			// Not synchronously: most of this work never waits for anything, so a long queue would leave no time for other
			// work.
			if (next) setImmediate(next);
			else this.#taken--;
		};
		const tooLong = setTimeout(giveBack, this.#longestMs);
		try {
			return await work();
		} finally {
			giveBack();
		}
	}
}
