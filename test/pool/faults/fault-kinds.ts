import { setTimeout as pause } from "node:timers/promises";
import type { Stage } from "./attack.ts";

export interface LoggedPoolFault {
	kind: FaultKind;
	at: number;
	machine?: string;
	/** The processes that it met. */
	pids: number[];
}

/** Longer than a heartbeat. */
const SUSPENDED_MS = 13_000;
/** Longer than a lease of this suite. */
const COURIER_SUSPENDED_MS = 5000;
const CHANGES_WITHIN_MS = 10_000;
const SLOW_MS = 5000;
const FULL_MS = 3000;

/** What can go wrong, each done once to somebody that the seed picks. */
export const FAULTS = {
	/** The machine loses its power. */
	"worker killed": (stage) => killed(stage, "worker killed", "all"),
	"porter killed": (stage) => killed(stage, "porter killed", "program"),
	"host of a child killed": (stage) => killed(stage, "host of a child killed", "hosts"),
	"courier killed": async ({ home }) => logged("courier killed", home.name, home.signal("hosts", "SIGKILL")),
	/** After the ledger has the changes of a run, and before it has its end. */
	"courier killed with changes": async ({ home }) => {
		const sql = `SELECT 1 FROM faults_audit JOIN runs ON runs.id = run_id
			WHERE what = 'changes' AND state <> 'ended' LIMIT 1`;
		for (const until = Date.now() + CHANGES_WITHIN_MS; Date.now() < until; await pause(5)) {
			if (home.ledger.get(sql)) break;
		}
		return logged("courier killed with changes", home.name, home.signal("hosts", "SIGKILL"));
	},
	"parent killed": async ({ home }) => logged("parent killed", home.name, home.signal("program", "SIGKILL")),
	"PostgreSQL killed": async ({ server }) => {
		await server.crash();
		return logged("PostgreSQL killed");
	},
	"worker suspended": async (stage) => {
		const machine = stage.random.pick(stage.workers);
		const pids = machine.signal("all", "SIGSTOP");
		later(stage, SUSPENDED_MS, () => resume(pids));
		return logged("worker suspended", machine.name, pids);
	},
	"courier suspended": async (stage) => {
		const pids = stage.home.signal("hosts", "SIGSTOP");
		later(stage, COURIER_SUSPENDED_MS, () => resume(pids));
		return logged("courier suspended", stage.home.name, pids);
	},
	"connections cut": async (stage) => {
		const machine = stage.random.pick([...stage.workers, stage.home]);
		machine.network.cut();
		return logged("connections cut", machine.name);
	},
	"network silent": async (stage) => {
		const machine = stage.random.pick([...stage.workers, stage.home]);
		machine.network.hang();
		later(stage, SUSPENDED_MS, () => machine.network.clear());
		return logged("network silent", machine.name, machine.programPid === undefined ? [] : [machine.programPid]);
	},
	"network slow": async (stage) => {
		const machine = stage.random.pick([...stage.workers, stage.home]);
		machine.network.slow(stage.random.between(50, 400));
		later(stage, SLOW_MS, () => machine.network.clear());
		return logged("network slow", machine.name);
	},
	"disk full": async (stage) => {
		const machine = stage.random.pick(stage.workers);
		if (machine.canFill) machine.fillDisk();
		later(stage, FULL_MS, () => machine.freeDisk());
		return logged("disk full", machine.name);
	},
} satisfies Record<string, (stage: Stage) => Promise<LoggedPoolFault>>;

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

const logged = (kind: FaultKind, machine?: string, pids: number[] = []): LoggedPoolFault => ({
	kind,
	at: Date.now(),
	pids,
	...(machine !== undefined && { machine }),
});

async function killed(stage: Stage, kind: FaultKind, whom: "all" | "program" | "hosts"): Promise<LoggedPoolFault> {
	const machine = stage.random.pick(stage.workers);
	return logged(kind, machine.name, machine.signal(whom, "SIGKILL"));
}

function resume(pids: readonly number[]): void {
	for (const pid of pids) {
		try {
			process.kill(pid, "SIGCONT");
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
		}
	}
}

function later({ underWay }: Stage, ms: number, undo: () => void): void {
	const done = pause(ms).then(undo);
	underWay.add(done);
	void done.finally(() => underWay.delete(done));
}
