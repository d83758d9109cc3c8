import { HEARTBEAT_SECONDS } from "../database.ts";
import { HintedWait } from "../hinted-wait.ts";
import type { LeftJob } from "../queue.ts";
import { whyUnreachable } from "../unreachable.ts";
import { type AssignmentSetup, PoolAssignment } from "./assignment.ts";

export interface PorterSetup extends AssignmentSetup {
	slots: number;
	versions: { package: string; pi: string };
	/** Jobs of dead workers of this machine. Each resolves once nothing of it runs here any more. */
	left: readonly Promise<LeftJob | undefined>[];
}

const BEAT_EVERY_MS = 2000;
/**
 * Shorter than the time after which others may take its jobs, so that no child works on a job that another worker has.
 */
const SILENT_FOR_MS = (HEARTBEAT_SECONDS - 2) * 1000;

/**
 * The pause after a failure. Without it, a machine with a full disk would use up all attempts of a job in a second; with it,
 * other workers can take the job.
 */
const AFTER_FAILURE_MS = 8000;
const LOOKS_FOR_SILENCE_EVERY_MS = 500;

/**
 * A worker: claims jobs of its pool, as many at once as it has places, and gives them to the hosts of this machine. The
 * ledger manages the hosts, their leases and their rings, as for any other run.
 */
export class Porter {
	readonly #setup: PorterSetup;
	readonly #jobs = new Map<string, PoolAssignment>();
	readonly #news: HintedWait;
	#isLeaving = false;
	#isDraining = false;
	#heardAt: number;
	#takesAgainAt = 0;
	#isCutOff = false;
	readonly #left: LeftJob[] = [];

	constructor(setup: PorterSetup) {
		this.#setup = setup;
		this.#heardAt = setup.clock.elapsed();
		this.#news = new HintedWait(setup.clock);
	}

	get busy(): number {
		return this.#jobs.size;
	}

	/** Serves until it has to leave, or is drained and has nothing left. */
	async serve(): Promise<void> {
		this.#setup.queue.listen((job) => {
			if (job) void this.#jobs.get(job)?.receive();
			else this.#news.hint();
		});
		for (const left of this.#setup.left) void left.then((job) => this.#heardOf(job));
		// Separate from the loop, which may be waiting for an answer that never comes.
		const endWatch = this.#watchForSilence();
		try {
			await this.#serveUntilOver();
		} finally {
			endWatch();
		}
		await this.#sayGoodbye();
	}

	#watchForSilence(): () => void {
		const { clock } = this.#setup;
		const look = () => {
			this.#loseIfSilent();
			cancel = clock.after(LOOKS_FOR_SILENCE_EVERY_MS, look);
		};
		let cancel = clock.after(LOOKS_FOR_SILENCE_EVERY_MS, look);
		return () => cancel();
	}

	async #serveUntilOver(): Promise<void> {
		const { clock, log } = this.#setup;
		let nextBeat = 0;
		while (!this.#isLeaving && !(this.#isDraining && this.#jobs.size === 0)) {
			try {
				if (clock.elapsed() >= nextBeat) {
					nextBeat = clock.elapsed() + BEAT_EVERY_MS;
					await this.#beat();
				}
				await this.#giveBackLeft();
				await this.#claim();
				this.#reportReachability();
			} catch (error) {
				log.warn("the pool cannot be reached", { pool: this.#setup.settings.name, error });
				this.#reportReachability(error);
			}
			await this.#news.wait(Math.max(10, nextBeat - clock.elapsed()));
		}
	}

	/** Reports once when the database is unreachable, and once when it is back. */
	#reportReachability(error?: unknown): void {
		const { tell, settings } = this.#setup;
		if (error === undefined) {
			if (this.#isCutOff) tell?.(`Pool ${settings.name} can be reached again.`);
			this.#isCutOff = false;
			return;
		}
		if (this.#isCutOff) return;
		this.#isCutOff = true;
		const { problem, remedy } = whyUnreachable(error);
		tell?.(`Pool ${settings.name} cannot be reached: ${problem}. ${remedy} Trying again.`);
	}

	/** Leaves, so that its jobs go to other workers immediately. */
	async leave(): Promise<void> {
		this.#isLeaving = true;
		this.#news.hint();
		await Promise.all([...this.#jobs.values()].map((job) => job.giveBack()));
	}

	#heardOf(job: LeftJob | undefined): void {
		if (!job) return;
		this.#left.push(job);
		this.#news.hint();
	}

	/**
	 * Gives back jobs of dead workers, but not while a claim is under way: in a container, a dead worker may have had the same
	 * process id and so the same name, and a job that this worker has just claimed must not be given back.
	 */
	async #giveBackLeft(): Promise<void> {
		for (let job = this.#left[0]; job; job = this.#left[0]) {
			if (!this.#jobs.has(job.id)) await this.#setup.queue.giveBackLeft(job);
			this.#left.shift();
		}
	}

	/** Claims no more jobs. */
	drain(): void {
		this.#isDraining = true;
		this.#setup.tell?.("Being drained: accepts no new runs, and exits when its runs have finished.");
		this.#news.hint();
	}

	/** Renews its claims on its jobs. Releases those that are no longer its own. */
	async #beat(): Promise<void> {
		const { queue, settings, worker, slots, versions, clock } = this.#setup;
		const held = [...this.#jobs.values()];
		const sign = { pool: settings.name, worker, places: slots, versions, held: held.map(({ job }) => job) };
		const { isDraining, kept } = await queue.beat(sign);
		if (isDraining && !this.#isDraining) this.drain();
		for (const assignment of held) {
			const isOurs = kept.has(assignment.job.id) || !this.#jobs.has(assignment.job.id);
			if (!isOurs) assignment.lose("the pool: the job is another worker's, or was cancelled");
		}
		this.#heardAt = clock.elapsed();
	}

	#loseIfSilent(): void {
		if (this.#setup.clock.elapsed() - this.#heardAt < SILENT_FOR_MS) return;
		for (const job of this.#jobs.values()) job.lose("the pool: its database cannot be reached");
	}

	async #claim(): Promise<void> {
		const { queue, settings, worker, slots } = this.#setup;
		const isFree = () => !this.#isLeaving && !this.#isDraining && this.#jobs.size < slots;
		while (isFree() && this.#setup.clock.elapsed() >= this.#takesAgainAt) {
			const job = await queue.claim({ pool: settings.name, worker });
			if (!job) return;
			const assignment = new PoolAssignment(job, this.#setup);
			this.#jobs.set(job.id, assignment);
			void assignment.work().then((isWell) => {
				if (this.#jobs.get(job.id) === assignment) this.#jobs.delete(job.id);
				if (!isWell) this.#takesAgainAt = this.#setup.clock.elapsed() + AFTER_FAILURE_MS;
				this.#news.hint();
			});
		}
	}

	async #sayGoodbye(): Promise<void> {
		const { queue, settings, worker, log } = this.#setup;
		try {
			await queue.sayGoodbye({ pool: settings.name, worker });
		} catch (error) {
			log.info("its row stays until its time is up", { error });
		}
	}
}
