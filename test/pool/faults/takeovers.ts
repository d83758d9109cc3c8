import type { DatabaseEvidence } from "./evidence.ts";
import type { FaultKind, LoggedPoolFault } from "./fault-kinds.ts";
import { Places, takesAway } from "./open-places.ts";

/** Within how long another worker must have the jobs of one that a fault met. */
export const TAKEN_WITHIN_MS: Partial<Record<FaultKind, number>> = {
	"worker killed": 20_000,
	"porter killed": 20_000,
	"worker suspended": 20_000,
	"network silent": 30_000,
};
/** Heartbeats run out after 10 s, and everybody who is there looks for those that did. */
const FREE_WITHIN_MS = 15_000;
/** A worker that has a place looks for jobs so often, and needs a moment to take one. */
const LOOKED_FOR_WITHIN_MS = 3000;

export interface Takeover {
	job: string;
	kind: FaultKind;
	/** From the fault until the job was free. */
	freeMs: number;
	/** From the fault until a worker had it again; undefined if none ever had, because it was stopped meanwhile. */
	takenMs: number | undefined;
	/** While it was free: how long a worker that could be reached had a place for it. */
	openMs: number;
	/**
	 * A later fault that took away a worker, or the database, before the job was taken. Where the job was free in time, and no
	 * other worker had a place for it, it met that one too, and is counted from there.
	 */
	second?: { kind: FaultKind; machine: string; afterMs: number };
}

/** Jobs that changed hands because of a fault. What had finished before it, or finished by itself after it, did not. */
export function takeoversOf(database: DatabaseEvidence, faults: readonly LoggedPoolFault[]): Takeover[] {
	const { jobs, claims } = database;
	const places = new Places(database, faults);
	return faults.flatMap((fault) => {
		const { kind, at, pids } = fault;
		if (TAKEN_WITHIN_MS[kind] === undefined) return [];
		const held = claims.filter(({ worker, at: since }) => since < at && pids.includes(Number(worker.split(":")[1])));
		return held.flatMap(({ job, attempt, at: claimed }): Takeover[] => {
			const isLater = (row: (typeof jobs)[number]) =>
				row.job === job && row.at > claimed && (row.state !== "active" || row.attempt !== attempt);
			const next = jobs.find(isLater);
			if (!next || next.at < at || next.state !== "retry") return [];
			const taken = claims.find((claim) => claim.job === job && claim.at > next.at);
			const openMs = taken ? places.openMs(next.at, taken.at) : 0;
			const isSecond = (one: LoggedPoolFault) => one.at > at && one.at < (taken?.at ?? 0) && takesAway(one);
			const second = openMs > LOOKED_FOR_WITHIN_MS ? undefined : faults.findLast(isSecond);
			const isFreeInTime = next.at - at <= FREE_WITHIN_MS || second?.kind === "PostgreSQL killed";
			return [
				{
					...{ job, kind, freeMs: next.at - at, takenMs: taken && taken.at - at, openMs },
					...(second &&
						isFreeInTime && { second: { kind: second.kind, machine: second.machine, afterMs: second.at - at } }),
				},
			];
		});
	});
}

/** Whether it took longer than is promised for jobs that one fault met: one that met two is counted from the second. */
export const isLate = ({ kind, takenMs, second }: Takeover): boolean =>
	takenMs !== undefined && takenMs - (second?.afterMs ?? 0) > (TAKEN_WITHIN_MS[kind] ?? Number.POSITIVE_INFINITY);

/** Whether it took longer than that, whatever else happened. */
export const isLong = ({ second: _, ...one }: Takeover): boolean => isLate(one);

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
				long: some.filter(isLong).length,
				late: some.filter(isLate).length,
			},
		]),
	);
}
