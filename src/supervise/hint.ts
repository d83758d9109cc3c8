import type { Clock } from "../ports/clock.ts";

/** Something to wait for that others may cut short: a hint given while nobody waits is kept for the next wait. */
export interface Hint {
	give(): void;
	/** Resolves at the next hint, or after the given time without one. */
	next(withinMs: number): Promise<void>;
}

export function hint(clock: Clock): Hint {
	let given = false;
	let wake = () => {};
	return {
		give() {
			given = true;
			wake();
		},
		async next(withinMs) {
			if (!given) {
				const { promise, resolve } = Promise.withResolvers<void>();
				const cancel = clock.after(withinMs, resolve);
				wake = resolve;
				await promise;
				cancel();
			}
			given = false;
		},
	};
}
