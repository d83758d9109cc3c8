import type { Clock } from "./clock.ts";

/** A look shorter than this needs no pause after it. */
const SHORT_LOOK_MS = 2;
/**
 * From this duration on, looks take at most a fifth of the time. Shorter looks get less space, down to as long as they
 * take.
 */
const LONG_LOOK_MS = 10;
const MOST_SPACED = 4;
/**
 * The most space after a look. A process that was suspended in a look, or waited for a lock, has not been busy, and others
 * wait for it.
 */
const LONGEST_SPACE_MS = 1000;

/**
 * The loop of a process. It looks again at the next hint, or at the latest when the previous look asked for it. Hints that
 * come together share one look. With a thousand runs, a look takes many milliseconds and each run gives several hints: long
 * consecutive looks take no more than a fifth of the time.
 */
export class Loop {
	readonly #clock: Clock;
	/** Returns the milliseconds until the next look without a hint; undefined: no such look. Must not throw. */
	readonly #look: () => number | undefined;
	#cancel = () => {};
	#isHinted = false;
	#notBefore = 0;
	#lastTookMs = 0;
	#isOver = false;

	constructor(clock: Clock, look: () => number | undefined) {
		this.#clock = clock;
		this.#look = look;
	}

	/** Something may have changed. */
	readonly hint = (): void => {
		if (this.#isHinted || this.#isOver) return;
		this.#isHinted = true;
		this.#lookIn(this.#notBefore - this.#clock.elapsed());
	};

	/** Looks without waiting for a turn. */
	lookNow(): void {
		this.#cancel();
		this.#isHinted = false;
		const started = this.#clock.elapsed();
		const againInMs = this.#look();
		const ended = this.#clock.elapsed();
		const tookMs = ended - started;
		// One long look says little, because the first one in a process compiles the code it runs. Two in a row do.
		const usualMs = Math.min(tookMs, this.#lastTookMs);
		this.#lastTookMs = tookMs;
		const spaced = Math.min(Math.max(1, (MOST_SPACED * usualMs) / LONG_LOOK_MS), MOST_SPACED);
		this.#notBefore = usualMs > SHORT_LOOK_MS ? ended + Math.min(spaced * usualMs, LONGEST_SPACE_MS) : 0;
		if (this.#isOver || this.#isHinted || againInMs === undefined) return;
		this.#lookIn(againInMs);
	}

	end(): void {
		this.#isOver = true;
		this.#cancel();
	}

	#lookIn(ms: number): void {
		this.#cancel();
		this.#cancel = this.#clock.after(ms, () => this.lookNow());
	}
}
