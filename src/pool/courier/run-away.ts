import type { ClaimedRun, WorkServices } from "../../child/work.ts";
import { outcomeWithoutHost } from "../../collect/outcome.ts";
import type { Away } from "../../ledger/away.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Places } from "../../ledger/places.ts";
import { heldRuns } from "../../ledger/progress.ts";
import type { Log } from "../../log/log.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EndCause, Outcome } from "../../run/outcome.ts";
import type { Usage } from "../../run/usage.ts";
import { PoolProblem } from "../address.ts";
import { HintedWait } from "../hinted-wait.ts";
import { readWorkerProgress } from "../progress.ts";
import type { CourierQueue, JobRow } from "../queue.ts";
import { CannotTravel, type packRepository } from "../repository/pack.ts";
import { whyUnreachable } from "../unreachable.ts";
import { Exchange } from "./exchange.ts";
import { broughtHome } from "./outcome-home.ts";
import { postRun } from "./post.ts";
import { sharedBudgetSpent, usageWithout } from "./shared-budget.ts";
import { waitingProgress } from "./waiting.ts";

export interface CourierSetup {
	pool: string;
	queue(): Promise<CourierQueue>;
	/** Packs the checkout for the worker. */
	pack: typeof packRepository;
	ledger: Ledger;
	places: Places;
	agentDir: string;
	clock: Clock;
	log: Log;
}

interface AwayFacts {
	job: string;
	record: ClaimedRun;
	services: WorkServices;
	setup: CourierSetup;
}

type Ended = { outcome: Outcome; settled: boolean };

/** How often to look at the database without a hint. */
const LOOK_AWAY_EVERY_MS = 2000;
/** How long a worker may take to stop by itself. Then the job is cancelled, and the worker's output no longer counts. */
const STOPS_WITHIN_MS = 5000;
/** How long a stop waits for a database that cannot be reached. */
const GIVES_UP_AFTER_MS = 30_000;

/** A run of a pool, as this machine sees it. */
export class RunAway {
	readonly #facts: AwayFacts;
	readonly #exchange: Exchange;
	#stop: { by: string; at: number; told: boolean; attempt?: number; budget?: string } | undefined;
	#isLost = false;
	readonly #news: HintedWait;
	#told = "";
	#away = "";
	#usage: Usage;
	/** What other runs had used when this process posted the run. The worker got the rest of the shared budgets. */
	#spentByOthers: Usage | undefined;
	#troubleSince: number | undefined;

	constructor(facts: AwayFacts) {
		this.#facts = facts;
		this.#exchange = new Exchange({ ...facts, file: facts.record.plan.session.file });
		this.#usage = facts.record.usage;
		this.#news = new HintedWait(facts.setup.clock);
	}

	/** Something may be new. */
	hint(): void {
		this.#news.hint();
	}

	/** Looks early, to bring a message to the worker: the child may be about to finish. */
	look(): void {
		if (this.#exchange.hasMessages) this.#news.hint();
	}

	stop(cause: EndCause): void {
		if (cause.kind === "lost") this.#isLost = true;
		else if (cause.kind === "stopped" && !this.#stop) this.#stop = { by: cause.by, at: this.#now, told: false };
		this.#news.hint();
	}

	get #now(): number {
		return this.#facts.setup.clock.elapsed();
	}

	/** Works until the run has finished. Never rejects: an unreachable database may be back in a minute. */
	async work(): Promise<Ended> {
		for (;;) {
			if (this.#isLost) return this.#endedAs({ kind: "lost", message: "The run was given to another host." });
			try {
				const ended = await this.#look();
				if (ended) return ended;
				this.#troubleSince = undefined;
			} catch (error) {
				const ended = this.#trouble(error);
				if (ended) return ended;
			}
			await this.#wait();
		}
	}

	#wait(): Promise<void> {
		const toStop = this.#stop?.told ? Math.max(50, this.#stop.at + STOPS_WITHIN_MS - this.#now) : LOOK_AWAY_EVERY_MS;
		return this.#news.wait(Math.min(LOOK_AWAY_EVERY_MS, toStop));
	}

	async #look(): Promise<Ended | undefined> {
		const { setup, job, record, services } = this.#facts;
		const queue = await setup.queue();
		const row = await queue.find(job);
		if (!row) {
			if (this.#stop) return this.#endedAs({ kind: "stopped", by: this.#stop.by });
			await this.#post(queue);
			return undefined;
		}
		this.#tellWhere(row);
		await this.#exchange.bringMessages(queue);
		await this.#exchange.bringLines(queue, () => this.#isLost);
		this.#tellProgress(row);
		switch (row.state) {
			case "completed":
				return broughtHome({
					queue,
					job,
					record,
					services,
					setup,
					takeovers: row.attempt,
					budget: this.#stop?.budget,
				});
			case "failed":
				return this.#endedAs({
					kind: "lost",
					message: `Its workers of pool ${setup.pool} died, and no attempts are left.`,
				});
			case "cancelled":
				this.#learnOfStop();
				return this.#endedAs(
					this.#stop
						? this.#stopped(this.#stop)
						: { kind: "lost", message: `Its job was cancelled in the database of pool ${setup.pool}.` },
				);
			default:
				await this.#bringStop(queue, row);
				return undefined;
		}
	}

	/** Reads the stop request: a courier that took over may see the job before its host passes the request on. */
	#learnOfStop(): void {
		const { record, setup } = this.#facts;
		const stopBy = heldRuns(setup.ledger, record.run.hostId).get(record.run.id)?.stopBy;
		if (stopBy !== undefined) this.stop({ kind: "stopped", by: stopBy });
	}

	async #post(queue: CourierQueue): Promise<void> {
		const { setup, job, record, services } = this.#facts;
		const { log, pool, clock } = setup;
		this.#spentByOthers = usageWithout(services.parentSessionUsage(), this.#usage);
		// A suspended courier may wake up after another one has brought the run home and removed its job.
		services.assertLeaseHeld();
		if (this.#isLost) return;
		await postRun({ ...setup, queue, record, job, spentByOthers: this.#spentByOthers });
		log.info("posted to a pool", { runId: record.run.id, pool });
		this.#setAway({ pool, since: clock.now() });
		this.#news.hint();
	}

	#tellWhere({ state, worker, for_ms }: JobRow): void {
		const { services, setup, record } = this.#facts;
		const isWaiting = state === "created" || state === "retry";
		if (!isWaiting && state !== "active") return;
		const since = Math.round((setup.clock.now() - for_ms) / 1000) * 1000;
		this.#setAway({ pool: setup.pool, since, ...(!isWaiting && worker !== null && { worker }) });
		if (!isWaiting) return;
		const run = { runId: record.run.id, pool: setup.pool, since };
		services.onProgress(() => waitingProgress({ ...run, usage: this.#usage }));
	}

	/** Records which worker has the run, or that none has, when that changes. */
	#setAway(away: Away): void {
		const key = JSON.stringify([away.worker, away.trouble]);
		if (this.#away === key) return;
		this.#away = key;
		this.#facts.services.onAway(away);
	}

	#tellProgress({ progress: stored, state }: JobRow): void {
		if (stored === null || stored === this.#told) return;
		this.#told = stored;
		const known = readWorkerProgress(stored);
		if (!known) return;
		const { services } = this.#facts;
		const { redact } = services.redactor;
		const { usage, said, model, progress } = known;
		if (usage.turns !== this.#usage.turns || usage.output !== this.#usage.output) {
			this.#usage = usage;
			services.onTurn({
				usage,
				...(said !== undefined && { said: redact(said) }),
				...(model !== undefined && { model }),
			});
			this.#checkSharedBudget();
		}
		if (progress && state === "active") services.onProgress(() => services.redactor.redactValue(progress));
	}

	#checkSharedBudget(): void {
		const { record, services } = this.#facts;
		if (this.#stop) return;
		const use = { all: services.parentSessionUsage(), own: this.#usage, othersWhenPosted: this.#spentByOthers };
		const budget = sharedBudgetSpent(record.plan.limits, use);
		if (budget !== undefined) this.#stop = { by: "its budget", at: this.#now, told: false, budget };
	}

	async #bringStop(queue: CourierQueue, { state, attempt }: JobRow): Promise<void> {
		const { job } = this.#facts;
		const stop = this.#stop;
		if (!stop) return;
		// Another worker has the job now, and gets the same time to stop.
		if (stop.attempt !== attempt) stop.told = false;
		const isLate = stop.told && this.#now - stop.at >= STOPS_WITHIN_MS;
		if (state !== "active" || isLate) {
			await queue.cancel(job, { underWorker: isLate });
			this.#news.hint();
		} else if (!stop.told) {
			await queue.askToStop(job, stop.by);
			stop.told = true;
			stop.attempt = attempt;
			stop.at = this.#now;
		}
	}

	/** The end of a run that cannot be posted. Undefined for trouble with the connection, which may pass. */
	#trouble(error: unknown): Ended | undefined {
		const { setup, record } = this.#facts;
		if (error instanceof CannotTravel) {
			return this.#refusedBecause(`Pool ${setup.pool} cannot do this: ${error.message}`);
		}
		if (error instanceof PoolProblem) return this.#refusedBecause(error.message);
		const { problem, remedy } = whyUnreachable(error);
		if (this.#troubleSince === undefined) {
			this.#troubleSince = this.#now;
			setup.log.warn("a pool cannot be reached", { runId: record.run.id, pool: setup.pool, error });
		}
		this.#setAway({ pool: setup.pool, since: setup.clock.now(), trouble: `${problem}. ${remedy}` });
		if (!this.#stop || this.#now - this.#stop.at < GIVES_UP_AFTER_MS) return undefined;
		return this.#endedAs(this.#stopped(this.#stop), [
			`Pool ${setup.pool} cannot be reached (${problem}), so a worker may continue with it until it can.`,
		]);
	}

	#stopped({ by, budget }: { by: string; budget?: string }): EndCause {
		return budget === undefined ? { kind: "stopped", by } : { kind: "budget", limit: budget };
	}

	#refusedBecause(message: string): Ended {
		return this.#endedAs({ kind: "refused", error: { code: "SUBAGENT_FAILED", message, reason: "pool" } });
	}

	/** Ends the run without an outcome from the worker. */
	#endedAs(cause: EndCause, warnings: string[] = []): Ended {
		const { record, services } = this.#facts;
		const plan = { warnings: [...record.plan.warnings, ...warnings] };
		const outcome = outcomeWithoutHost({ ...record, plan, usage: this.#usage }, cause, services.redactor.redact);
		return { outcome, settled: true };
	}
}
