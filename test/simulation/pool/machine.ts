import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ledger, migrate } from "../../../src/ledger/ledger.ts";
import { placesIn } from "../../../src/ledger/places.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Ports } from "../../../src/ports/ports.ts";
import { NO_REDACTOR } from "../../helpers/as-it-is.ts";
import { auditLedger } from "../../pool/faults/evidence.ts";
import { profilesOf } from "../../pool/faults/surroundings.ts";
import { SimWire } from "../wire.ts";
import type { PoolWorld } from "./world.ts";

/** A process of a machine. It dies or is suspended between two events. */
export class PoolProcess {
	readonly machine: PoolMachine;
	readonly role: string;
	readonly pid: number;
	readonly clock: Clock;
	readonly ports: Ports;
	isAlive = true;
	suspendedUntil = 0;
	readonly onDeath: (() => void)[] = [];

	constructor(machine: PoolMachine, role: string) {
		this.machine = machine;
		this.role = role;
		this.pid = machine.world.nextPid++;
		const { scheduler } = machine.world;
		this.clock = {
			now: () => scheduler.now,
			elapsed: () => scheduler.elapsed,
			after: (ms, call) => scheduler.after(ms, this, call),
			sleep: (ms) => new Promise((resolve) => scheduler.after(ms, this, resolve)),
		};
		this.ports = {
			clock: this.clock,
			wire: machine.wire.of(this as never),
			processes: {
				self: { pid: this.pid, started: String(this.pid) },
				isDead: ({ pid }) => pid !== undefined && !machine.isAlive(pid),
				end: ({ pid }) => void (pid !== undefined && machine.kill(pid, `ended by ${this.name}`)),
				endLeftovers: () => {},
				exit: () => {
					machine.kill(this.pid, "left at once");
					throw new Error("This process is over.");
				},
			},
		};
	}

	get name(): string {
		return `${this.machine.name}/${this.role}/${this.pid}`;
	}

	/** Points are where the other simulator has its faults. Here they are between events. */
	point(): void {}
}

/** A machine: a ledger, sockets, and processes that can die without it. */
export class PoolMachine {
	readonly world: PoolWorld;
	readonly name: string;
	readonly agentDir: string;
	readonly places: ReturnType<typeof placesIn>;
	readonly ledger: Ledger;
	readonly wire: SimWire;
	readonly profiles: ReturnType<typeof profilesOf>;
	readonly #raw = new DatabaseSync(":memory:");
	readonly processes = new Map<number, PoolProcess>();
	/** Its way to the database: until when nothing comes through, and whether it is told so. */
	network = { silentUntil: 0, cuts: 0 };

	constructor(world: PoolWorld, name: string) {
		this.world = world;
		this.name = name;
		this.agentDir = join(world.folder, name, "agent");
		mkdirSync(this.agentDir, { recursive: true });
		this.places = placesIn(this.agentDir);
		this.#raw.exec("PRAGMA foreign_keys = on");
		this.ledger = new Ledger(this.places.ledger, this.#raw);
		this.ledger.redact = NO_REDACTOR.redact;
		migrate(this.ledger);
		auditLedger(this.ledger);
		this.wire = new SimWire({ random: world.random, isForbidden: () => false } as never);
		this.profiles = profilesOf(this.agentDir, {});
	}

	start(role: string): PoolProcess {
		const process = new PoolProcess(this, role);
		this.processes.set(process.pid, process);
		this.world.note(process.name, "starts");
		return process;
	}

	isAlive(pid: number): boolean {
		return this.processes.get(pid)?.isAlive === true;
	}

	living(role: string): PoolProcess[] {
		return [...this.processes.values()].filter((process) => process.isAlive && process.role === role);
	}

	kill(pid: number, why: string): void {
		const process = this.processes.get(pid);
		if (!process?.isAlive) return;
		this.world.note(process.name, `dies: ${why}`);
		this.wire.cut(process as never);
		process.isAlive = false;
		for (const call of process.onDeath) call();
	}

	close(): void {
		this.#raw.close();
	}
}
