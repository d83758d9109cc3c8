import type { ClaimedRun, Work, WorkServices } from "../../child/work.ts";
import type { PoolSettings } from "../../config/config.ts";
import { findRun } from "../../ledger/records.ts";
import type { RunId } from "../../run/ids.ts";
import { poolAddress } from "../address.ts";
import { PoolDatabase } from "../database.ts";
import { jobIdOf } from "../job.ts";
import { CHANNELS, forgetJob } from "../schema.ts";
import { type CourierSetup, RunAway } from "./run-away.ts";

/** How often it is looked whether the ledger has an outcome, before the database may forget it. */
const RECORDED_YET_EVERY_MS = 500;
const RECORDED_WITHIN = 40;

export interface CourierFacts extends Omit<CourierSetup, "database" | "pool"> {
	settings: PoolSettings;
	env: NodeJS.ProcessEnv;
}

/**
 * What a host does with runs of a pool: it posts them, brings messages and stop requests to whoever works on them, and brings home
 * what comes of it. The ledger here stays the truth about what the conversation is owed.
 */
export class Courier {
	readonly #facts: CourierFacts;
	readonly #runs = new Map<string, RunAway>();
	/** Jobs that have ended, by the run whose outcome the ledger must have first. */
	readonly #toForget = new Map<string, RunId>();
	#opening: Promise<PoolDatabase> | undefined;

	constructor(facts: CourierFacts) {
		this.#facts = facts;
	}

	readonly startWork = (record: ClaimedRun, services: WorkServices): Work => {
		const { places, settings } = this.#facts;
		const job = jobIdOf({ ledger: places.ledger, id: record.run.id, createdAt: record.createdAt });
		const setup: CourierSetup = { ...this.#facts, pool: settings.name, database: () => this.#database() };
		const run = new RunAway({ job, record, services, setup });
		this.#runs.set(job, run);
		const done = run.work().finally(() => {
			if (this.#runs.get(job) === run) this.#runs.delete(job);
			void this.#forgetOnceRecorded(record.run.id, job);
		});
		return { stop: (cause) => run.stop(cause), done };
	};

	async close(): Promise<void> {
		await this.#forgetRecorded();
		this.#toForget.clear();
		const database = await this.#opening?.catch(() => undefined);
		await database?.close();
	}

	/** Opened by the first run that needs it, and again by the next look if that failed. */
	#database(): Promise<PoolDatabase> {
		this.#opening ??= this.#open().catch((error) => {
			this.#opening = undefined;
			throw error;
		});
		return this.#opening;
	}

	async #open(): Promise<PoolDatabase> {
		const { settings, log } = this.#facts;
		const database = await PoolDatabase.open({ url: poolAddress(settings, this.#facts), name: settings.name, log });
		database.listen(CHANNELS.toRequesters, (job) => {
			if (job === undefined || job === "") for (const run of this.#runs.values()) run.hint();
			else this.#runs.get(job)?.hint();
		});
		return database;
	}

	/** What nobody needs any more is removed: it holds the source. Whatever is left is removed after its time. */
	async #forgetOnceRecorded(id: RunId, job: string): Promise<void> {
		this.#toForget.set(job, id);
		for (let look = 0; look < RECORDED_WITHIN && this.#toForget.has(job); look++) {
			await this.#facts.clock.sleep(RECORDED_YET_EVERY_MS);
			await this.#forgetRecorded();
		}
	}

	async #forgetRecorded(): Promise<void> {
		const { ledger, log } = this.#facts;
		try {
			for (const [job, id] of this.#toForget) {
				if (findRun(ledger, id)?.run.state !== "ended") continue;
				this.#toForget.delete(job);
				const database = await this.#database();
				for (const sql of forgetJob) await database.query(sql, [job]);
			}
		} catch (error) {
			log.info("a job is left in the database until its time is up", { error });
		}
	}
}
