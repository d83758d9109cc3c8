import type { Clock } from "../../src/ports/clock.ts";
import type { Ports } from "../../src/ports/ports.ts";
import type { Processes } from "../../src/ports/processes.ts";
import { Killed } from "./killed.ts";
import type { Fault } from "./plan.ts";
import type { World } from "./world.ts";

/** A transaction is about to begin: what was read before may be out of date by then. */
export const BEFORE_BEGIN = "before begin";

/** A simulated process: it has effects, and at each of them something may befall it. */
export class SimProcess {
	readonly #world: World;
	readonly #faults: Fault[];
	readonly #visits = new Map<string, number>();
	readonly #onDeath: (() => void)[] = [];
	readonly role: string;
	readonly pid: number;
	readonly clock: Clock;
	readonly ports: Ports;
	isAlive = true;
	suspendedUntil = 0;
	/** How many effects it has had. */
	points = 0;
	/** How many rows it asked for in the second in which it asked for most. */
	mostReads = 0;
	#reads = { inSecond: 0, times: 0 };

	constructor(world: World, role: string, { pid, faults }: { pid: number; faults: Fault[] }) {
		this.#world = world;
		this.role = role;
		this.pid = pid;
		this.#faults = faults;
		const { scheduler } = world;
		this.clock = {
			now: () => scheduler.now,
			elapsed: () => scheduler.elapsed,
			after: (ms, call) => scheduler.after(ms, this, call),
			sleep: (ms) => new Promise((resolve) => scheduler.after(ms, this, resolve)),
		};
		this.ports = { clock: this.clock, wire: world.wire.of(this), processes: this.#processes() };
	}

	get name(): string {
		return `${this.role}/${this.pid}`;
	}

	/** It asks the ledger for something. */
	reads(): void {
		this.requireAlive();
		const inSecond = Math.floor(this.#world.scheduler.elapsed / 1000);
		if (this.#reads.inSecond !== inSecond) this.#reads = { inSecond, times: 0 };
		this.mostReads = Math.max(this.mostReads, ++this.#reads.times);
	}

	/**
	 * An effect, about to happen or just happened. What the plan has for this point happens here. A process that is suspended
	 * continues from here with what it knew, after others have lived on; where it cannot be interrupted, after this event.
	 */
	point(place: string): void {
		this.requireAlive();
		this.points++;
		const nth = (this.#visits.get(place) ?? 0) + 1;
		this.#visits.set(place, nth);
		const fault = this.#faults.find((one) =>
			"point" in one ? one.point === this.points : one.place === place && one.nth === nth,
		);
		if (!fault) return;
		this.#world.befall(this, fault, place);
		this.requireAlive();
		const { scheduler, database } = this.#world;
		if (this.suspendedUntil <= scheduler.elapsed || database.isInTransaction || !scheduler.mayInterrupt) return;
		this.#world.note(this.name, "is suspended in the middle of an event");
		scheduler.meanwhile(this.suspendedUntil);
		this.requireAlive();
	}

	/** Half of an append is written if the plan says so: then the process is dead, and the answer is how much. */
	tornAt(place: string): boolean {
		if (this.#world.isCalm) return false;
		const nth = (this.#visits.get(place) ?? 0) + 1;
		return this.#faults.some((one) => one.kind === "torn" && "place" in one && one.place === place && one.nth === nth);
	}

	requireAlive(): void {
		if (!this.isAlive) throw new Killed();
	}

	onDeath(call: () => void): void {
		this.#onDeath.push(call);
	}

	die(): void {
		if (!this.isAlive) return;
		this.isAlive = false;
		for (const call of this.#onDeath) call();
	}

	#processes(): Processes {
		return {
			// Where the system does not tell when a process was started, nobody dares to end it.
			self: { pid: this.pid, started: this.#world.history.tellsStarts ? String(this.pid) : "" },
			isDead: ({ pid }) => pid !== undefined && !this.#world.isAlive(pid),
			end: ({ pid, pidStarted }) => {
				this.point("end process");
				if (pid !== undefined && pidStarted) this.#world.kill(pid, `ended by ${this.name}`);
			},
			endLeftovers: () => {},
			exit: () => {
				this.#world.kill(this.pid, "left at once");
				throw new Killed();
			},
		};
	}
}
