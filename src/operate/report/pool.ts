import { plural } from "../../run/amounts.ts";
import { type PoolLook, type PoolWorker, poolLimits, poolStanding, workerState } from "../../run/pool-status.ts";

/** A pool in lines: running and queued runs, its workers and their places, and the requesters. */
export function poolReport(look: PoolLook): string[] {
	const { name } = look;
	if ("problem" in look) return [`Pool ${name} cannot be reached: ${look.problem}`, `  ${look.remedy}`];
	const { workers, requesters } = look.status;
	const most = poolLimits(look.status);
	return [
		`Pool ${name}: ${poolStanding(look.status)}`,
		...(most.length === 0 ? [] : [`Limits: ${most.join(", ")}`]),
		workers.length === 0
			? `No workers. Start one: pi-geon worker --pool ${name}`
			: `${plural(workers.length, "worker")}:`,
		...workers.map((worker) => `  ${workerLine(worker)}`),
		...(requesters.length === 0 ? [] : ["Requesters:"]),
		...requesters.map((one) => `  ${one.name || "(unknown)"} · ${one.running} running, ${one.waiting} waiting`),
	];
}

function workerLine(worker: PoolWorker): string {
	const { name, busy, places, version, pi } = worker;
	return [name, `${busy} of ${places} places taken`, `pi-geon ${version}, pi ${pi}`, ...workerState(worker)].join(
		" · ",
	);
}
