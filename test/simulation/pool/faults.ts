import type { PoolMachine, PoolProcess } from "./machine.ts";
import type { PoolWorld } from "./world.ts";

interface Targets {
	world: PoolWorld;
	home: PoolMachine;
	workers: readonly PoolMachine[];
}

type Fault = (targets: Targets, worker: PoolMachine) => void;

/** What can befall a pool between two events. Most of it befalls workers that have jobs. */
const FAULTS: Record<string, Fault> = {
	"worker killed": (_targets, worker) => kill(worker, ["worker", "host"]),
	"porter killed": (_targets, worker) => kill(worker, ["worker"]),
	"host of a child killed": (_targets, worker) => kill(worker, ["host"]),
	"courier killed": ({ home }) => kill(home, ["host"]),
	"parent killed": ({ home }) => kill(home, ["parent"]),
	"home killed": ({ home }) => kill(home, ["parent", "host"]),
	"worker suspended": ({ world }, worker) => suspend(world, [...worker.living("worker"), ...worker.living("host")]),
	"porter suspended": ({ world }, worker) => suspend(world, worker.living("worker")),
	"courier suspended": ({ world, home }) => suspend(world, home.living("host")),
	"connections cut": ({ world, home }, worker) => {
		world.random.pick([home, worker]).network.cuts++;
	},
	"network silent": ({ world, home }, worker) => {
		const machine = world.random.pick([home, worker]);
		machine.network.silentUntil = world.scheduler.elapsed + world.random.between(3000, 16_000);
	},
	"database down": ({ world }) => {
		world.isDown = true;
		world.after(world.random.between(500, 8000), () => {
			world.isDown = false;
		});
	},
};

/** One that the seed picks. */
export function befall(targets: Targets): void {
	const { world, workers } = targets;
	const name = world.random.pick(Object.keys(FAULTS));
	const atWork = new Set(world.postgres.active.map(({ worker }) => worker.split(":")[0]));
	const busy = workers.filter((machine) => atWork.has(machine.name));
	const worker = world.random.pick(busy.length > 0 ? busy : workers);
	world.faults.push(name);
	world.note(worker.name, `FAULT ${name}`);
	FAULTS[name]?.(targets, worker);
}

function kill(machine: PoolMachine, roles: readonly string[]): void {
	for (const { pid } of roles.flatMap((role) => machine.living(role))) machine.kill(pid, "killed");
}

function suspend({ scheduler, random }: PoolWorld, processes: readonly PoolProcess[]): void {
	const until = scheduler.elapsed + random.between(8000, 20_000);
	for (const process of processes) process.suspendedUntil = until;
}
