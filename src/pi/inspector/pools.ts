import { poolReport } from "../../operate/report/pool.ts";
import { messageOf } from "../../run/message-of.ts";
import type { PoolLook } from "../../run/pool-status.ts";

const LOOKS_EVERY_MS = 3000;

/** Reads the status of the pools repeatedly while they are shown. One look at a time: a pool may take seconds to answer. */
export function poolsReader(look: () => Promise<PoolLook[]>, onLines: (lines: string[]) => void): { read(): void } {
	let isReading = false;
	let lookedAt = Number.NEGATIVE_INFINITY;
	return {
		read() {
			if (isReading || performance.now() - lookedAt < LOOKS_EVERY_MS) return;
			isReading = true;
			look()
				.then((pools) => (pools.length === 0 ? ["No pool is configured (pools in pi-geon.json)."] : linesOf(pools)))
				.catch((error: unknown) => [messageOf(error)])
				.then((lines) => {
					isReading = false;
					lookedAt = performance.now();
					onLines(lines);
				});
		},
	};
}

const linesOf = (pools: readonly PoolLook[]): string[] =>
	pools.flatMap((pool, index) => [...(index === 0 ? [] : [""]), ...poolReport(pool)]);
