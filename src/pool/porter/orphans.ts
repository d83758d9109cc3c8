import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { settleDeliveries } from "../../ledger/deliveries.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { requestStops } from "../../ledger/progress.ts";
import type { Log } from "../../log/log.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RunId } from "../../run/ids.ts";
import type { Supervisor } from "../../supervise/supervisor.ts";
import type { LeftJob } from "../queue.ts";

const CHECKOUTS_KEPT_MS = 24 * 3600 * 1000;

/** A worker's name: its machine and its process. */
export const workerName = (host: string, pid: number): string => `${host}:${pid}`;

interface Orphanage {
	ledger: Ledger;
	supervisor: Pick<Supervisor, "watch" | "wake">;
	/** Whether the worker with this process id is still running. */
	isAlive(pid: number): boolean;
	clock: Clock;
	log: Log;
}

/**
 * Stops the runs that a killed worker of this machine left. Their children may still run although another worker has the
 * jobs, and no conversation is owed their reports. The supervisor watches each run until it has finished: if the hosts died
 * too, no other process would sweep them before the next job arrives.
 *
 * Returns the jobs of those runs, each once nothing of it runs here any more, so that they can be given back before the dead
 * worker's heartbeat expires.
 */
export function stopOrphans({ ledger, supervisor, isAlive, clock, log }: Orphanage): Promise<LeftJob | undefined>[] {
	const rows = ledger.all<{ id: RunId; parent_session: string; state: string }>(
		"SELECT id, parent_session, state FROM runs WHERE parent_session LIKE 'pool:%' AND (state <> 'ended' OR delivery = 'owed')",
	);
	const left = rows
		.map(({ id, state, parent_session }) => ({ runId: id, isOpen: state !== "ended", ...whoseJob(parent_session) }))
		.filter(({ pid }) => !isAlive(pid));
	const settle = (ids: RunId[]) => settleDeliveries(ledger, ids, clock.now());
	const open = left.filter(({ isOpen }) => isOpen);
	settle(left.flatMap(({ runId, isOpen }) => (isOpen ? [] : [runId])));
	requestStops(
		ledger,
		open.map(({ runId }) => runId),
		{ at: clock.now(), by: "the pool: its worker died" },
	);
	const jobs = left.map(async ({ runId, isOpen, job, worker }) => {
		try {
			if (isOpen) {
				await supervisor.watch(runId);
				settle([runId]);
			}
			return { id: job, worker };
		} catch (error) {
			log.warn("a run of a dead worker was not stopped", { runId, error });
			return undefined;
		}
	});
	supervisor.wake();
	return jobs;
}

/** Reads the name that stands for the parent session of a pool's run on its worker. */
function whoseJob(parentSession: string): { worker: string; pid: number; job: string } {
	const [, host = "", pid = "", job = ""] = parentSession.split(":");
	return { worker: workerName(host, Number(pid)), pid: Number(pid), job };
}

/** Removes the checkouts of sessions that have not been continued for a day. */
export function removeOldCheckouts(root: string, now = Date.now()): void {
	const folder = join(root, "checkouts");
	for (const name of checkoutsIn(folder).filter((each) => each.endsWith(".ready"))) {
		const ready = join(folder, name);
		if (now - statSync(ready).mtimeMs < CHECKOUTS_KEPT_MS) continue;
		rmSync(ready, { force: true });
		rmSync(ready.replace(/\.ready$/, ""), { recursive: true, force: true });
	}
}

function checkoutsIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	}
}
