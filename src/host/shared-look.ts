import type { Clock } from "../ports/clock.ts";

/**
 * Whoever gives a reason to look within the same moment shares one look. With a thousand runs a look takes milliseconds,
 * and each run gives several reasons: looks take no more than a fifth of the time.
 */
export class SharedLook {
	readonly #clock: Clock;
	readonly #look: () => void;
	#isDue = false;
	#last = { endedAt: 0, ms: 0 };

	constructor(clock: Clock, look: () => void) {
		this.#clock = clock;
		this.#look = look;
	}

	soon(): void {
		if (this.#isDue) return;
		this.#isDue = true;
		const wait = this.#last.endedAt + 4 * this.#last.ms - this.#clock.elapsed();
		this.#clock.after(wait, () => this.#now());
	}

	#now(): void {
		this.#isDue = false;
		const started = this.#clock.elapsed();
		this.#look();
		const endedAt = this.#clock.elapsed();
		this.#last = { endedAt, ms: endedAt - started };
	}
}
