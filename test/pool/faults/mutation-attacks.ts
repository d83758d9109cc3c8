import type { PoolAttack } from "./attack.ts";

const SEED = 1;

/** A short attack of the kind that shows a bug. */
export function attackFor(mutation: string): PoolAttack {
	switch (mutation) {
		case "no attempt in complete":
			return {
				runs: 8,
				faults: 1,
				seed: SEED,
				workers: 2,
				kinds: ["worker suspended"],
				everyMs: 6000,
				stepMs: 2500,
				...ENDS,
			};
		case "cancel before the worker's outcome":
			return {
				...{ runs: 24, faults: 8, seed: SEED, workers: 2, kinds: ["parent killed"], everyMs: 1500, stepMs: 500 },
				...{ oneIn: { changes: 1000, stop: 2, message: 1000 }, ...ENDS },
			};
		case "a takeover without the lines":
			return {
				runs: 12,
				faults: 2,
				seed: SEED,
				workers: 2,
				kinds: ["worker killed"],
				everyMs: 5000,
				stepMs: 800,
				...ENDS,
			};
		case "two claims past the limit":
			return { runs: 40, faults: 0, seed: SEED, workers: 4, laneLimit: 3, ...ENDS };
		default:
			return {
				...{ runs: 16, faults: 3, seed: SEED, workers: 2, kinds: ["courier killed with changes"], everyMs: 500 },
				...{ oneIn: { changes: 2, stop: 1000, message: 1000 }, ...ENDS },
			};
	}
}

const ENDS = { settleWithinMs: 45_000 };
