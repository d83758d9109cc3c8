import { planWorkload, type Size } from "./plan.ts";
import { runWorkload, type WorkloadOptions, type WorkloadResult } from "./workload.ts";

/** The same everywhere, so that a seed means the same in the test run and in the bench. */
const SIZE: Size = { parents: 3, steps: 7, faults: 60 };

export const attackOnce = (seed: number, options?: WorkloadOptions): Promise<WorkloadResult> =>
	runWorkload(planWorkload(seed, SIZE), options);

export interface Attack extends WorkloadOptions {
	/** How many faults there are to be. */
	points: number;
	/** The first seed; the others follow it. */
	from: number;
	/** How many workloads at once. */
	atOnce: number;
	/** What must have happened too: until then workloads follow, one at a time. */
	until?: (results: readonly WorkloadResult[]) => boolean;
	/** No more workloads are begun then. */
	enough?: AbortSignal;
	onResult?: (result: WorkloadResult, faultsSoFar: number) => void;
}

/** Runs one workload after the other until there were enough faults. */
export async function attack({
	points,
	from,
	atOnce,
	until = () => true,
	enough,
	onResult,
	...options
}: Attack): Promise<WorkloadResult[]> {
	const results: WorkloadResult[] = [];
	let seed = from;
	let faults = 0;
	let underway = 0;
	const worker = async () => {
		// Those under way will have theirs; if they fall short, the last of them continues.
		const isOver = () => faults + underway * SIZE.faults >= points && (underway > 0 || until(results));
		while (!isOver() && !enough?.aborted) {
			underway++;
			const result = await attackOnce(seed++, options);
			underway--;
			faults += result.evidence.faults.length;
			results.push(result);
			onResult?.(result, faults);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	return results;
}
