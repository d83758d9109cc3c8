import type { ClaimedRun, Work, WorkServices } from "../../child/work.ts";
import type { PoolSettings } from "../../config/config.ts";
import { findRun } from "../../ledger/records.ts";
import type { RunId } from "../../run/ids.ts";
import { poolAddress } from "../address.ts";
import { PoolDatabase } from "../database.ts";
import { jobIdOf } from "../job.ts";
import type { CourierQueue } from "../queue.ts";
import { packRepository } from "../repository/pack.ts";
import { CHANNELS } from "../schema.ts";
import { PostgresCourierQueue } from "./postgres-queue.ts";
import { type CourierSetup, RunAway } from "./run-away.ts";

/** How often to check whether the ledger has an outcome yet. Then the database may forget it. */
const RECORDED_YET_EVERY_MS = 500;
const RECORDED_WITHIN = 40;

export interface CourierFacts extends Omit<CourierSetup, "queue" | "pool" | "pack"> {
	settings: PoolSettings;
	env: NodeJS.ProcessEnv;
	/** Opens the queue. `onHint` receives the id of a job that has news, or undefined if it could be any job. */
	connect?(onHint: (job: string | undefined) => void): Promise<OpenQueue>;
	pack?: CourierSetup["pack"];
}

interface OpenQueue {
	queue: CourierQueue;
	close(): Promise<void>;
}

/**
 * How a host handles runs of a pool: it posts them, brings messages and stop requests to their workers, and brings the
 * results home. The ledger on this machine remains the source of truth about what the conversation is owed.
 */
export class Courier {
	readonly #facts: CourierFacts;
	readonly #runs = new Map<string, RunAway>();
	/** Finished jobs, by the run whose outcome the ledger must have first. */
	readonly #toForget = new Map<string, RunId>();
	#forgetting: Promise<void> = Promise.resolve();
	#opening: Promise<OpenQueue> | undefined;

	constructor(facts: CourierFacts) {
		this.#facts = facts;
	}

	readonly startWork = (record: ClaimedRun, services: WorkServices): Work => {
		const { places, settings, pack = packRepository } = this.#facts;
		const job = jobIdOf({ ledger: places.ledger, id: record.run.id, createdAt: record.createdAt });
		const setup: CourierSetup = {
			...this.#facts,
			pool: settings.name,
			queue: () => this.#queue(),
			pack,
		};
		const run = new RunAway({ job, record, services, setup });
		this.#runs.set(job, run);
		const done = run.work().finally(() => {
			if (this.#runs.get(job) === run) this.#runs.delete(job);
			void this.#forgetOnceRecorded(record.run.id, job);
		});
		return { stop: (cause) => run.stop(cause), look: () => run.look(), done };
	};

	async close(): Promise<void> {
		await this.#forgetRecorded();
		this.#toForget.clear();
		const open = await this.#opening?.catch(() => undefined);
		await open?.close();
	}

	/** Opens the queue for the first run that needs it. If that fails, the next look tries again. */
	async #queue(): Promise<CourierQueue> {
		this.#opening ??= this.#open().catch((error) => {
			this.#opening = undefined;
			throw error;
		});
		return (await this.#opening).queue;
	}

	#open(): Promise<OpenQueue> {
		const onHint = (job: string | undefined) => {
			if (job === undefined || job === "") for (const run of this.#runs.values()) run.hint();
			else this.#runs.get(job)?.hint();
		};
		return this.#facts.connect?.(onHint) ?? connectToPostgres(this.#facts, onHint);
	}

	/** Removes a job's data once it is no longer needed, since it contains source. If that fails, the data expires. */
	async #forgetOnceRecorded(id: RunId, job: string): Promise<void> {
		this.#toForget.set(job, id);
		for (let look = 0; look < RECORDED_WITHIN && this.#toForget.has(job); look++) {
			await this.#facts.clock.sleep(RECORDED_YET_EVERY_MS);
			await this.#forgetRecorded();
		}
	}

	/** One after the other, so that `close` also waits for the removal that is under way. */
	#forgetRecorded(): Promise<void> {
		this.#forgetting = this.#forgetting.then(() => this.#forgetNow());
		return this.#forgetting;
	}

	async #forgetNow(): Promise<void> {
		const { ledger, log } = this.#facts;
		try {
			for (const [job, id] of this.#toForget) {
				if (findRun(ledger, id)?.run.state !== "ended") continue;
				this.#toForget.delete(job);
				await (await this.#queue()).forget(job);
			}
		} catch (error) {
			log.info("a job is left in the database until its time is up", { error });
		}
	}
}

async function connectToPostgres(facts: CourierFacts, onHint: (job: string | undefined) => void): Promise<OpenQueue> {
	const { settings, log } = facts;
	const database = await PoolDatabase.open({ url: poolAddress(settings, facts), name: settings.name, log });
	database.listen(CHANNELS.toRequesters, onHint);
	return { queue: new PostgresCourierQueue(database), close: () => database.close() };
}
