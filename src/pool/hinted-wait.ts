import type { Clock } from "../ports/clock.ts";

/** Waits for a hint, up to a time limit. A hint that comes while the owner is busy ends the next wait immediately. */
export class HintedWait {
	readonly #clock: Clock;
	#isHinted = false;
	#end = () => {};

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	readonly hint = (): void => {
		this.#isHinted = true;
		this.#end();
	};

	async wait(ms: number): Promise<void> {
		if (!this.#isHinted) {
			await new Promise<void>((resolve) => {
				const cancel = this.#clock.after(ms, resolve);
				this.#end = () => {
					cancel();
					resolve();
				};
			});
		}
		this.#isHinted = false;
	}
}
