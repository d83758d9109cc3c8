import { setTimeout as pause } from "node:timers/promises";
import { inDatabase } from "../postgres-server.ts";
import type { Stage } from "./attack.ts";
import type { Machine } from "./machine.ts";

export interface LoggedPoolFault {
	kind: FaultKind;
	at: number;
	machine: string;
	/** The processes that it met. The one that holds the machine's jobs is among them. */
	pids: number[];
	/** How many jobs were running on what it met. */
	met: number;
	/** When it was over. The dead stay dead. */
	until: number;
}

export type FaultKind =
	| "worker killed"
	| "porter killed"
	| "host of a child killed"
	| "courier killed"
	| "courier killed with changes"
	| "parent killed"
	| "PostgreSQL killed"
	| "worker suspended"
	| "courier suspended"
	| "connections cut"
	| "network silent"
	| "network slow"
	| "disk full";

interface Fault {
	/** A worker that has jobs, the machine that asks, or either of them. */
	on: "worker" | "home" | "either";
	/** Answers the processes that it met. */
	strike(machine: Machine, stage: Stage): number[] | Promise<number[]>;
	/** How long it lasts. Absent: until it returns. */
	lastsMs?: number;
	/** Whether there is anything for it to meet, besides running jobs. */
	isDue?(stage: Stage): boolean;
}

/** Longer than a heartbeat. */
const SUSPENDED_MS = 13_000;
/** Longer than a lease of this suite. */
const COURIER_SUSPENDED_MS = 5000;
const SLOW_MS = 5000;
const FULL_MS = 3000;
/** How long a worker takes nothing after it could not do a run. */
const PAUSES_MS = 8000;
/** How long a fault waits for runs that it can meet. */
const MEETS_WITHIN_MS = 20_000;

/** What can go wrong, each done once to a machine that the seed picks. */
export const FAULTS: Readonly<Record<FaultKind, Fault>> = {
	/** The machine loses its power. */
	"worker killed": { on: "worker", strike: (machine) => machine.signal("all", "SIGKILL") },
	"porter killed": { on: "worker", strike: (machine) => machine.signal("program", "SIGKILL") },
	"host of a child killed": { on: "worker", strike: (machine) => machine.signal("hosts", "SIGKILL") },
	"courier killed": { on: "home", strike: (home) => home.signal("hosts", "SIGKILL") },
	/** After the ledger has the changes of a run, and before it has its end. */
	"courier killed with changes": {
		on: "home",
		isDue: ({ home }) =>
			home.ledger.get(`SELECT 1 FROM faults_audit JOIN runs ON runs.id = run_id
				WHERE what = 'changes' AND state <> 'ended' LIMIT 1`) !== undefined,
		strike: (home) => home.signal("hosts", "SIGKILL"),
	},
	"parent killed": { on: "home", strike: (home) => home.signal("program", "SIGKILL") },
	"PostgreSQL killed": {
		on: "home",
		strike: async (_home, { server }) => {
			await server.crash();
			return [];
		},
	},
	"worker suspended": {
		on: "worker",
		lastsMs: SUSPENDED_MS,
		strike: (machine, stage) => suspend(machine.signal("all", "SIGSTOP"), SUSPENDED_MS, stage),
	},
	"courier suspended": {
		on: "home",
		strike: (home, stage) => suspend(home.signal("hosts", "SIGSTOP"), COURIER_SUSPENDED_MS, stage),
	},
	"connections cut": {
		on: "either",
		strike: ({ network }) => {
			network.cut();
			return [];
		},
	},
	"network silent": {
		on: "either",
		lastsMs: SUSPENDED_MS,
		strike: ({ network, programPid }, stage) => {
			network.hang();
			later(stage, SUSPENDED_MS, () => network.clear());
			return programPid === undefined ? [] : [programPid];
		},
	},
	"network slow": {
		on: "either",
		strike: ({ network }, stage) => {
			network.slow(stage.random.between(50, 400));
			later(stage, SLOW_MS, () => network.clear());
			return [];
		},
	},
	"disk full": {
		on: "worker",
		lastsMs: FULL_MS + PAUSES_MS,
		strike: (machine, stage) => {
			if (!machine.canFill) throw new Error("Only root can give a machine a disk to fill.");
			machine.fillDisk();
			later(stage, FULL_MS, () => machine.freeDisk());
			return machine.programPid === undefined ? [] : [machine.programPid];
		},
	},
};

/** Waits until there are runs for it to meet, and strikes. After a while it strikes anyway, and says that it met none. */
export async function strike(kind: FaultKind, stage: Stage): Promise<LoggedPoolFault> {
	const { on, isDue = () => true, strike: befall, lastsMs } = FAULTS[kind];
	const { random, home } = stage;
	const atHome = on === "home" || (on === "either" && random.chance(1 / (stage.workers.length + 1)));
	for (const until = Date.now() + MEETS_WITHIN_MS; ; await pause(kind === "courier killed with changes" ? 5 : 50)) {
		const isLate = Date.now() > until;
		if (!isDue(stage) && !isLate) continue;
		const running = await runningOn(stage);
		const busy = stage.workers.filter(({ name }) => running.has(name));
		if (busy.length === 0 && !isLate) continue;
		const machine = atHome ? home : random.pick(busy.length > 0 ? busy : stage.workers);
		const all = [...running.values()].reduce((sum, n) => sum + n, 0);
		const met = atHome ? all : (running.get(machine.name) ?? 0);
		const at = Date.now();
		const pids = await befall(machine, stage);
		return { kind, at, machine: machine.name, pids, met, until: lastsMs === undefined ? Date.now() : at + lastsMs };
	}
}

/** How many jobs each machine works on now. Those of a process that is gone do not count: nobody works on them. */
async function runningOn({ url, workers }: Stage): Promise<Map<string, number>> {
	const rows = await inDatabase(url, async (client) => {
		const { rows: found } = await client.query(
			`SELECT worker, count(*)::int AS n FROM pi_geon.progress JOIN pi_geon_queue.job ON job.id = progress.job
				WHERE state = 'active' GROUP BY 1`,
		);
		return found as { worker: string; n: number }[];
	});
	return new Map(
		rows.flatMap(({ worker, n }) => {
			const machine = workers.find(({ programPid }) => programPid === Number(worker.split(":")[1]));
			return machine ? [[machine.name, n] as const] : [];
		}),
	);
}

function suspend(pids: number[], ms: number, stage: Stage): number[] {
	later(stage, ms, () => {
		for (const pid of pids) {
			try {
				process.kill(pid, "SIGCONT");
			} catch (error) {
				if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
			}
		}
	});
	return pids;
}

function later({ underWay }: Stage, ms: number, undo: () => void): void {
	const done = pause(ms).then(undo);
	underWay.add(done);
	void done.finally(() => underWay.delete(done));
}
