import type { DatabaseEvidence } from "./evidence.ts";
import type { LoggedPoolFault } from "./fault-kinds.ts";

/** How long after a fault the jobs of the worker that it met were free for another, by kind: how many, median and longest. */
export function takeovers({ jobs, claims }: DatabaseEvidence, faults: readonly LoggedPoolFault[]) {
	const found = new Map<string, number[]>();
	for (const { kind, at, pids } of faults) {
		if (!["worker killed", "porter killed", "network silent"].includes(kind)) continue;
		for (const claim of claims.filter(
			({ worker, at: since }) => since < at && pids.includes(Number(worker.split(":")[1])),
		)) {
			const next = jobs.find(
				({ job, at: then, state, attempt }) =>
					job === claim.job && then > claim.at && (state !== "active" || attempt !== claim.attempt),
			);
			// What was over before, or ended by itself all the same, was not taken over.
			if (!next || next.at < at || next.state !== "retry") continue;
			found.set(kind, [...(found.get(kind) ?? []), next.at - at]);
		}
	}
	return Object.fromEntries(
		[...found].map(([kind, times]) => {
			const sorted = times.toSorted((a, b) => a - b);
			return [
				kind,
				{
					jobs: sorted.length,
					median: Math.round(sorted[sorted.length >> 1] ?? 0),
					longest: Math.round(sorted.at(-1) ?? 0),
				},
			];
		}),
	);
}
