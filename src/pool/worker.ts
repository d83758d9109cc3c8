import { hostname } from "node:os";
import { join } from "node:path";
import type { Config, PoolSettings } from "../config/config.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import type { Log } from "../log/log.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { sessionsRoot, treesRoot } from "../plan/session-place.ts";
import type { Ports } from "../ports/ports.ts";
import type { Redacted } from "../run/redacted.ts";
import type { Supervisor } from "../supervise/supervisor.ts";
import { connectToPool } from "./open.ts";
import { removeOldCheckouts, stopOrphans, workerName } from "./porter/orphans.ts";
import { Porter } from "./porter/porter.ts";
import { PostgresPorterQueue } from "./porter/postgres-queue.ts";
import { checkoutFor } from "./repository/mirror.ts";
import { forgetDeadWorkers } from "./status.ts";

export interface WorkerSetup {
	url: string;
	settings: PoolSettings;
	config(): Config;
	/** How many runs at once. */
	slots: number;
	agentDir: string;
	homeDir: string;
	ledger: Ledger;
	places: Places;
	ports: Ports;
	supervisor: Supervisor;
	profile(plan: LaunchPlan): string;
	versions: { package: string; pi: string };
	redact(text: string): Redacted;
	/** Shows a line in the shell that the worker runs in. */
	tell?(line: string): void;
	log: Log;
}

export interface OpenWorker {
	name: string;
	porter: Porter;
	close(): Promise<void>;
}

/** Connects to a pool as a worker. First stops what an earlier worker of this machine left. */
export async function openWorker(setup: WorkerSetup): Promise<OpenWorker> {
	const { url, settings, slots, agentDir, homeDir, ledger, versions, ports, supervisor, log, config } = setup;
	// Before connecting to the database, which may not answer: the jobs of a dead worker go to another one in any case.
	const left = stopOrphans({
		ledger,
		supervisor,
		// In a container, the worker before this one often had the same process id.
		isAlive: (pid) => pid !== process.pid && isWorkerAlive(pid),
		clock: ports.clock,
		log,
	});
	const database = await connectToPool({ url, name: settings.name, log });
	await forgetDeadWorkers(database);
	const name = workerName(hostname(), process.pid);
	// Beside the trees of this machine's own runs.
	const root = join(treesRoot(agentDir, homeDir), "..", "subagent-pool");
	removeOldCheckouts(root);
	const porter = new Porter({
		...setup,
		queue: new PostgresPorterQueue(database),
		left,
		checkout: checkoutFor,
		slots,
		worker: name,
		root,
		sessionsRoot: sessionsRoot(agentDir, homeDir),
		about: { ...versions, node: process.version, now: Date.now() },
		laneLimit: Math.max(slots, config().agents.defaults.subagents.maxConcurrent),
		clock: ports.clock,
	});
	return { name, porter, close: () => database.close() };
}

function isWorkerAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// EPERM: another user's process has that id, so it is not the worker.
		return error instanceof Error && "code" in error && error.code === "EPERM" ? false : !isGone(error);
	}
}

const isGone = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ESRCH";
