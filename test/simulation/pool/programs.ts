import { join } from "node:path";
import { loadConfig } from "../../../src/config/load.ts";
import { Host } from "../../../src/host/serve.ts";
import { owedTo, settleDeliveries, takeDeliveries } from "../../../src/ledger/deliveries.ts";
import { findHost, type HostRecord } from "../../../src/ledger/hosts.ts";
import { isOfPool } from "../../../src/ledger/profile-key.ts";
import { type Log, NO_LOG } from "../../../src/log/log.ts";
import { Courier } from "../../../src/pool/courier/courier.ts";
import { stopOrphans, workerName } from "../../../src/pool/porter/orphans.ts";
import { Porter } from "../../../src/pool/porter/porter.ts";
import { Hosts } from "../../../src/supervise/hosts.ts";
import type { HostStart } from "../../../src/supervise/start-host.ts";
import { Supervisor } from "../../../src/supervise/supervisor.ts";
import { NO_REDACTOR } from "../../helpers/as-it-is.ts";
import { scriptedWork } from "../../pool/faults/scripted-child.ts";
import { PARENT_SESSION, POOL } from "../../pool/faults/surroundings.ts";
import { courierQueue, listen, porterQueue } from "./connection.ts";
import type { PoolMachine, PoolProcess } from "./machine.ts";

const IDLE_MS = 60_000;
const LOOKS_EVERY_MS = 250;
const RESTARTED_AFTER_MS = 200;
const TAKEN_FOR_MS = 15_000;
const { config } = loadConfig({ userFile: "/nowhere/pi-geon.json" });

/** No git here: a checkout is a name, and travels as one. */
const REPOSITORY = { key: "0".repeat(16), commit: "0".repeat(40), dirty: false, prefix: "", bundled: false };

/** Runs a program on a machine, and again whenever it dies, until the history is over. */
export function keepRunning(machine: PoolMachine, role: string, program: (process: PoolProcess) => void): void {
	const process = machine.start(role);
	process.onDeath.push(() => machine.world.after(RESTARTED_AFTER_MS, () => keepRunning(machine, role, program)));
	process.clock.after(machine.world.random.between(20, 200), () => program(process));
}

/** The pi that asked: the supervisor is the real one. What it is owed it adds to the transcript. */
export function parentProgram(transcript: string[]) {
	return (process: PoolProcess): void => {
		const { machine, clock } = process;
		const { ledger } = machine;
		superviseOn(process).attend({
			id: PARENT_SESSION,
			look: () => LOOKS_EVERY_MS,
			followed: () => new Set(),
			heard: () => {},
			onAsk: () => Promise.reject(new Error("Nobody asks.")),
			hasUser: false,
			onTrouble: (error) => machine.world.note(process.name, `trouble: ${error}`),
		});
		const announce = () => {
			const at = clock.now();
			const ids = owedTo(ledger, PARENT_SESSION, { at }).map(({ run }) => run.id);
			const isAlive = (pid: string) => machine.isAlive(Number(pid));
			const ours = takeDeliveries(ledger, ids, { name: `${process.pid}`, at, forMs: TAKEN_FOR_MS, isAlive });
			for (const id of ids) if (ours.has(id) && !transcript.includes(id)) transcript.push(id);
			settleDeliveries(
				ledger,
				ids.filter((id) => ours.has(id)),
				at,
			);
			clock.after(LOOKS_EVERY_MS, announce);
		};
		announce();
	};
}

/** `pi-geon worker`: the porter and the supervisor are the real ones. */
export function workerProgram(slots: number) {
	return (process: PoolProcess): void => {
		const { machine, clock } = process;
		const { ledger, places, agentDir, profiles, world } = machine;
		const log = logOf(process);
		const supervisor = superviseOn(process);
		const left = stopOrphans({ ledger, supervisor, isAlive: (pid) => machine.isAlive(pid), clock, log });
		const porter = new Porter({
			...{ settings: POOL, config: () => config, ledger, places, supervisor, slots, clock, log },
			queue: porterQueue(world, process),
			left,
			checkout: async ({ session }) => join(agentDir, "checkouts", session),
			profile: (plan) => profiles.for(plan).digest,
			root: agentDir,
			sessionsRoot: join(agentDir, "sessions"),
			worker: workerName(machine.name, process.pid),
			about: {},
			laneLimit: slots,
			versions: { package: "0", pi: "simulated" },
			redact: NO_REDACTOR.redact,
		});
		void porter.serve();
	};
}

function superviseOn(process: PoolProcess): Supervisor {
	const { ledger, places, profiles } = process.machine;
	const { ports } = process;
	const log = logOf(process);
	const start = (host: HostRecord, how: HostStart) => startHost(process, host, how);
	return new Supervisor({ ledger, hosts: new Hosts({ ledger, places, profiles, ports, log, start }), ports, log });
}

function startHost(starter: PoolProcess, { id }: HostRecord, { withinMs, isReady, onExit }: HostStart): void {
	const { machine } = starter;
	const process = machine.start("host");
	process.onDeath.push(() => starter.clock.after(1, () => onExit("it ended")));
	starter.clock.after(withinMs, () => isReady() || machine.kill(process.pid, "was not ready in time"));
	process.clock.after(machine.world.random.between(20, 200), () => void serve(process, id));
}

/** A host: of children on a worker, of a courier on the machine that asks. */
async function serve(process: PoolProcess, id: HostRecord["id"]): Promise<void> {
	const { machine, clock, ports } = process;
	const { ledger, places, agentDir, world } = machine;
	const log = logOf(process);
	const record = findHost(ledger, id);
	if (!record) return machine.kill(process.pid, "not expected any more");
	const courier = new Courier({
		...{ settings: POOL, env: {}, ledger, places, agentDir, clock, log },
		connect: async (onHint) => {
			listen(world, process, "requesters", onHint);
			return { queue: courierQueue(world, process), close: async () => {} };
		},
		pack: async () => ({ repository: REPOSITORY, bundle: undefined }),
	});
	const children = scriptedWork({ places, clock, say: (call) => void world.calls.push(call) });
	const host = new Host({
		...{ id, profile: record.profile, socket: record.socket, idleMs: IDLE_MS, ledger, places, ports, log },
		runsHooks: false,
		forOneRun: record.profile.ownRun !== undefined,
		startWork: isOfPool(record.profile) ? courier.startWork : children,
		retentionDays: () => undefined,
		childServices: () => ({
			agentDir,
			openModels: () => Promise.reject(new Error("A scripted child has no model.")),
			redactor: NO_REDACTOR,
			trees: { ledger, places, root: agentDir },
			ui: undefined as never,
		}),
		warmUp: async () => {},
	});
	await host.serve();
	machine.kill(process.pid, "left");
}

function logOf(process: PoolProcess): Log {
	const { world } = process.machine;
	if (!world.timeline) return NO_LOG;
	const write = (message: string, facts: object = {}) => {
		const { error, ...rest } = facts as { error?: unknown };
		world.note(process.name, message, { ...rest, ...(error !== undefined && { error: String(error) }) });
	};
	return { info: write, warn: write, error: write };
}
