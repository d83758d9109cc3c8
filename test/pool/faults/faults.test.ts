import { expect, test } from "vitest";
import { attackPool, removeFolder } from "./attack.ts";

test("whatever is killed, cut off or slow in a pool, nothing is lost, nothing doubled, nothing left behind", async () => {
	const { violations, faults, evidence, folder } = await attackPool({
		...{ runs: 12, faults: 6, seed: 3, workers: 2, everyMs: 700 },
		kinds: [
			"worker killed",
			"porter killed",
			"host of a child killed",
			"courier killed",
			"connections cut",
			"network slow",
		],
	});
	expect(violations, `left in ${folder}`).toEqual([]);
	expect(faults).toHaveLength(6);
	expect(evidence.runs.length).toBeGreaterThanOrEqual(12);
	removeFolder(folder);
}, 240_000);
