import { duration } from "./amounts.ts";

/** A worker of a pool, as the database knows it. */
export interface PoolWorker {
	name: string;
	places: number;
	/** How many of its places have a run. */
	busy: number;
	version: string;
	pi: string;
	draining: boolean;
	/** How long ago it was last heard of, by the database's clock. */
	silentMs: number;
}

export interface PoolStatus {
	workers: PoolWorker[];
	waiting: number;
	running: number;
	/** How long the first run in the queue has waited. */
	longestWaitMs?: number;
	requesters: { name: string; waiting: number; running: number }[];
	limits: { total: number | null; perRequester: number | null };
}

/** One look at a configured pool: its status, or why that is not known. */
export type PoolLook = { name: string } & ({ status: PoolStatus } | { problem: string; remedy: string });

/** A worker's heartbeat comes every two seconds. One that is silent for longer than this may have died. */
const SILENT_MS = 10_000;

export const isSilent = ({ silentMs }: PoolWorker): boolean => silentMs > SILENT_MS;

/** What runs and what waits, in words. */
export function poolStanding({ running, waiting, longestWaitMs }: PoolStatus): string {
	const waited = longestWaitMs === undefined ? "" : `, the first of them for ${duration(longestWaitMs)}`;
	return `${running} running, ${waiting} waiting for a worker${waited}`;
}

export const poolLimits = ({ limits }: PoolStatus): string[] => [
	...(limits.total === null ? [] : [`at most ${limits.total} at once`]),
	...(limits.perRequester === null ? [] : [`at most ${limits.perRequester} for one requester`]),
];

/** What is special about a worker, in words. */
export const workerState = (worker: PoolWorker): string[] => [
	...(worker.draining ? ["exits when its runs have finished"] : []),
	...(isSilent(worker) ? [`silent for ${duration(worker.silentMs)}`] : []),
];
