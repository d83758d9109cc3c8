import type { DatabaseEvidence } from "./evidence.ts";
import type { FaultKind, LoggedPoolFault } from "./fault-kinds.ts";

/** Within how long another worker must have the jobs of one that a fault met. */
export const TAKEN_WITHIN_MS: Partial<Record<FaultKind, number>> = {
	"worker killed": 20_000,
	"porter killed": 20_000,
	"worker suspended": 20_000,
	"network silent": 30_000,
};

interface Takeover {
	job: string;
	kind: FaultKind;
	/** From the fault until the job was free. */
	freeMs: number;
	/** From the fault until a worker had it again; undefined if none ever had, because it was stopped meanwhile. */
	takenMs: number | undefined;
}

/** Jobs that changed hands because of a fault. What had finished before it, or finished by itself after it, did not. */
export function takeoversOf({ jobs, claims }: DatabaseEvidence, faults: readonly LoggedPoolFault[]): Takeover[] {
	return faults.flatMap(({ kind, at, pids }) => {
		if (TAKEN_WITHIN_MS[kind] === undefined) return [];
		const held = claims.filter(({ worker, at: since }) => since < at && pids.includes(Number(worker.split(":")[1])));
		return held.flatMap(({ job, attempt, at: claimed }): Takeover[] => {
			const isLater = (row: (typeof jobs)[number]) =>
				row.job === job && row.at > claimed && (row.state !== "active" || row.attempt !== attempt);
			const next = jobs.find(isLater);
			if (!next || next.at < at || next.state !== "retry") return [];
			const taken = claims.find((claim) => claim.job === job && claim.at > next.at);
			return [{ job, kind, freeMs: next.at - at, takenMs: taken && taken.at - at }];
		});
	});
}

export const isLate = ({ kind, takenMs }: Takeover): boolean =>
	takenMs !== undefined && takenMs > (TAKEN_WITHIN_MS[kind] ?? Number.POSITIVE_INFINITY);

/** By kind of fault: how many jobs, and how long until they were free and until they were taken. */
export function takeoverTimes(found: readonly Takeover[]) {
	const inOrder = (times: number[]) => {
		const sorted = times.toSorted((a, b) => a - b);
		return { median: Math.round(sorted[sorted.length >> 1] ?? 0), longest: Math.round(sorted.at(-1) ?? 0) };
	};
	return Object.fromEntries(
		[...Map.groupBy(found, ({ kind }) => kind)].map(([kind, some]) => [
			kind,
			{
				jobs: some.length,
				freeMs: inOrder(some.map(({ freeMs }) => freeMs)),
				takenMs: inOrder(some.flatMap(({ takenMs }) => takenMs ?? [])),
				late: some.filter(isLate).length,
			},
		]),
	);
}
