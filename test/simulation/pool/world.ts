import { type Random, randomFrom } from "../../faults/random.ts";
import type { CallEvidence } from "../../pool/faults/evidence.ts";
import { Scheduler } from "../scheduler.ts";
import type { PoolMachine, PoolProcess } from "./machine.ts";
import { SimPostgres } from "./postgres.ts";

/** Whoever belongs to no machine: the database, and time itself. */
const OUTSIDE = { isAlive: true, suspendedUntil: 0 };
const SUPERVISED_EVERY_MS = 2000;

/** Machines around one database, in virtual time. */
export class PoolWorld {
	readonly folder: string;
	readonly random: Random;
	readonly scheduler: Scheduler;
	readonly postgres: SimPostgres;
	readonly machines: PoolMachine[] = [];
	readonly calls: CallEvidence[] = [];
	readonly listeners = new Set<{ to: string; process: PoolProcess; hear(job: string): void }>();
	readonly faults: string[] = [];
	readonly timeline: string[] | undefined;
	nextPid = 1000;
	isDown = false;
	/** From here on nothing goes wrong. */
	isCalm = false;

	constructor({
		seed,
		folder,
		laneLimit,
		traced,
	}: { seed: number; folder: string; laneLimit: number; traced: boolean }) {
		this.folder = folder;
		this.random = randomFrom(seed);
		this.scheduler = new Scheduler(this.random);
		this.timeline = traced ? [] : undefined;
		this.postgres = new SimPostgres(() => this.scheduler.now, laneLimit);
		this.postgres.onHint = (to, job) => {
			for (const listener of this.listeners) if (listener.to === to && listener.process.isAlive) listener.hear(job);
		};
		this.#supervise();
	}

	after(ms: number, call: () => void): void {
		this.scheduler.after(ms, OUTSIDE, call);
	}

	note(who: string, what: string, facts?: object): void {
		const at = (this.scheduler.elapsed / 1000).toFixed(3).padStart(9);
		this.timeline?.push(`${at}  ${who.padEnd(20)} ${what}${facts === undefined ? "" : ` ${JSON.stringify(facts)}`}`);
	}

	#supervise(): void {
		this.after(SUPERVISED_EVERY_MS, () => {
			if (!this.isDown) this.postgres.supervise();
			this.#supervise();
		});
	}
}
