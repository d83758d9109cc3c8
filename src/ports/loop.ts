import type { Clock } from "./clock.ts";

/** A look shorter than this needs no pause after it. */
const SHORT_LOOK_MS = 2;
/**
 * After looks of this duration or more, the pause is four times as long, so they take at most a fifth of the time. The
 * pause after a shorter look is at least as long as the look.
 */
const LONG_LOOK_MS = 10;
const LONGEST_PAUSE_IN_LOOKS = 4;
/**
 * The longest pause. A look that took long because its process was suspended or waited for a lock was not busy, and other
 * processes wait for it.
 */
const LONGEST_LOOP_PAUSE_MS = 1000;

/**
 * The loop of a process. It looks again at the next hint, or at the latest when the previous look asked for it. Hints that
 * come together share one look. With a thousand runs, a look takes many milliseconds and each run gives several hints: long
 * consecutive looks take no more than a fifth of the time.
 */
export class Loop {
	readonly #clock: Clock;
	/** Returns the milliseconds until the next look; undefined: only a hint brings one. Must not throw. */
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

	/** Looks without waiting for the pause to end. */
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
		const looks = Math.min(Math.max(1, (LONGEST_PAUSE_IN_LOOKS * usualMs) / LONG_LOOK_MS), LONGEST_PAUSE_IN_LOOKS);
		this.#notBefore = usualMs > SHORT_LOOK_MS ? ended + Math.min(looks * usualMs, LONGEST_LOOP_PAUSE_MS) : 0;
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
