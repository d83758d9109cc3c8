import { duration, plural } from "../../run/amounts.ts";

/** What there is to tell of a pool. */
export interface PoolFacts {
	workers: {
		name: string;
		places: number;
		busy: number;
		version: string;
		pi: string;
		draining: boolean;
		silentMs: number;
	}[];
	waiting: number;
	running: number;
	longestWaitMs?: number;
	requesters: { name: string; waiting: number; running: number }[];
	limits: { total: number | null; perRequester: number | null };
}

/** Silent for longer, it may have died: its heartbeat comes every two seconds. */
const SILENT_MS = 10_000;

export function poolReport(
	name: string,
	{ workers, waiting, running, longestWaitMs, requesters, limits }: PoolFacts,
): string[] {
	const waited = longestWaitMs === undefined ? "" : `, the first of them for ${duration(longestWaitMs)}`;
	const most = [
		...(limits.total === null ? [] : [`at most ${limits.total} at once`]),
		...(limits.perRequester === null ? [] : [`at most ${limits.perRequester} of one requester`]),
	];
	return [
		`Pool ${name}: ${running} running, ${waiting} waiting for a worker${waited}`,
		...(most.length === 0 ? [] : [`Limits: ${most.join(", ")}`]),
		workers.length === 0
			? `No workers. Start one: pi-geon worker --pool ${name}`
			: `${plural(workers.length, "worker")}:`,
		...workers.map(({ name: worker, busy, places, version, pi, draining, silentMs }) => {
			const state = [
				...(draining ? ["leaves when its runs have finished"] : []),
				...(silentMs > SILENT_MS ? [`silent for ${duration(silentMs)}`] : []),
			];
			return [`  ${worker}`, `${busy} of ${places} places taken`, `pi-geon ${version}, pi ${pi}`, ...state].join(" · ");
		}),
		...(requesters.length === 0 ? [] : ["Requesters:"]),
		...requesters.map((one) => `  ${one.name || "(unknown)"} · ${one.running} running, ${one.waiting} waiting`),
	];
}
