import { exhaustedBudget } from "../../child/budget.ts";
import type { ClaimedRun, WorkServices } from "../../child/work.ts";
import { outcomeWithoutHost } from "../../collect/outcome.ts";
import type { Away } from "../../ledger/away.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Places } from "../../ledger/places.ts";
import { heldRuns } from "../../ledger/progress.ts";
import type { Log } from "../../log/log.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../../run/message-of.ts";
import type { EndCause, Outcome } from "../../run/outcome.ts";
import { NO_USAGE, type Usage } from "../../run/usage.ts";
import { PoolProblem } from "../address.ts";
import { hint, type PoolDatabase } from "../database.ts";
import { LineWriter } from "../line-file.ts";
import { readWorkerProgress } from "../progress.ts";
import { CannotTravel } from "../repository/pack.ts";
import { CHANNELS, JOBS } from "../schema.ts";
import { broughtHome } from "./outcome-home.ts";
import { postRun } from "./post.ts";
import { waitingProgress } from "./waiting.ts";

export interface CourierSetup {
	pool: string;
	database(): Promise<PoolDatabase>;
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

/** Without a hint. */
const LOOK_AWAY_EVERY_MS = 2000;
/** How long a worker may take to stop by itself: what it says after the job was cancelled is thrown away. */
const STOPS_WITHIN_MS = 5000;
/** How long a stop waits for a database that cannot be reached. */
const GIVES_UP_AFTER_MS = 30_000;

interface JobRow {
	state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
	attempt: number;
	worker: string | null;
	/** By the database's clock: how long it has been as it is. */
	for_ms: number;
	progress: string | null;
}

/** One run that a pool does, as this machine sees it. */
export class RunAway {
	readonly #facts: AwayFacts;
	readonly #writer: LineWriter;
	#stop: { by: string; at: number; told: boolean; budget?: string } | undefined;
	#isLost = false;
	#wake = () => {};
	readonly #relayed = new Set<number>();
	readonly #taken = new Set<number>();
	#told = "";
	#away = "";
	#usage: Usage = NO_USAGE;
	/** What the worker was given of the shared budgets, when this process posted it. */
	#spentByOthers: Usage | undefined;
	#troubleSince: number | undefined;

	constructor(facts: AwayFacts) {
		this.#facts = facts;
		this.#writer = new LineWriter(facts.record.plan.session.file);
		this.#usage = facts.record.usage;
	}

	/** Something may be new. */
	hint(): void {
		this.#wake();
	}

	stop(cause: EndCause): void {
		if (cause.kind === "lost") this.#isLost = true;
		else if (cause.kind === "stopped" && !this.#stop) this.#stop = { by: cause.by, at: this.#now, told: false };
		this.#wake();
	}

	get #now(): number {
		return this.#facts.setup.clock.elapsed();
	}

	/** Until it has ended. Never fails: a database that cannot be reached may be there again in a minute. */
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
		const { clock } = this.#facts.setup;
		const toStop = this.#stop?.told ? Math.max(50, this.#stop.at + STOPS_WITHIN_MS - this.#now) : LOOK_AWAY_EVERY_MS;
		return new Promise((resolve) => {
			const cancel = clock.after(Math.min(LOOK_AWAY_EVERY_MS, toStop), resolve);
			this.#wake = () => {
				cancel();
				resolve();
			};
		});
	}

	async #look(): Promise<Ended | undefined> {
		const { setup, job, record, services } = this.#facts;
		const database = await setup.database();
		const row = await this.#row(database);
		if (!row) {
			if (this.#stop) return this.#endedAs({ kind: "stopped", by: this.#stop.by });
			await this.#post(database);
			return undefined;
		}
		this.#tellWhere(row);
		await this.#bringMessages(database);
		await this.#bringLines(database);
		this.#tellProgress(row);
		switch (row.state) {
			case "completed":
				return broughtHome({
					database,
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
						: { kind: "lost", message: `Somebody cancelled its job in the database of pool ${setup.pool}.` },
				);
			default:
				await this.#bringStop(database, row);
				return undefined;
		}
	}

	/** One that took over may see the job before its host has told it who asked to stop. */
	#learnOfStop(): void {
		const { record, setup } = this.#facts;
		const stopBy = heldRuns(setup.ledger, record.run.hostId).get(record.run.id)?.stopBy;
		if (stopBy !== undefined) this.stop({ kind: "stopped", by: stopBy });
	}

	async #row(database: PoolDatabase): Promise<JobRow | undefined> {
		const { rows } = await database.query<JobRow>(
			`SELECT state, retry_count AS attempt, worker, body AS progress,
				(extract(epoch FROM now() - CASE WHEN state = 'active' THEN claimed_at ELSE greatest(created_on, claimed_at) END) * 1000)::float8 AS for_ms
				FROM ${JOBS} AS job LEFT JOIN pi_geon.progress ON progress.job = job.id WHERE name = $1 AND id = $2`,
			[database.queue, this.#facts.job],
		);
		return rows[0];
	}

	async #post(database: PoolDatabase): Promise<void> {
		const { setup, job, record, services } = this.#facts;
		const { log, ledger, places, agentDir, pool } = setup;
		const all = services.parentSessionUsage();
		this.#spentByOthers = without(all, this.#usage);
		// A courier that was suspended may wake up after another has brought the run home and removed its job.
		services.assertLeaseHeld();
		if (this.#isLost) return;
		await postRun({ database, ledger, places, agentDir, record, job, spentByOthers: this.#spentByOthers });
		log.info("posted to a pool", { runId: record.run.id, pool });
		this.#setAway({ pool, since: Date.now() });
		this.#wake();
	}

	#tellWhere({ state, worker, for_ms }: JobRow): void {
		const { services, setup } = this.#facts;
		const isWaiting = state === "created" || state === "retry";
		if (!isWaiting && state !== "active") return;
		const since = Math.round((Date.now() - for_ms) / 1000) * 1000;
		this.#setAway({ pool: setup.pool, since, ...(!isWaiting && worker !== null && { worker }) });
		if (isWaiting) services.onProgress(() => waitingProgress({ pool: setup.pool, since, usage: this.#usage }));
	}

	/** Written when it changes: who has it, or that nobody has. */
	#setAway(away: Away): void {
		const key = JSON.stringify([away.worker, away.trouble]);
		if (this.#away === key) return;
		this.#away = key;
		this.#facts.services.onAway(away);
	}

	async #bringMessages(database: PoolDatabase): Promise<void> {
		const { job, services } = this.#facts;
		const waiting = services.inbox.waiting();
		for (const { seq, body, sender } of waiting) {
			if (this.#relayed.has(seq)) continue;
			const sql = `INSERT INTO pi_geon.messages (job, kind, seq, body, sender) VALUES ($1, 'message', $2, $3, $4)
				ON CONFLICT DO NOTHING`;
			await database.query(sql, [job, seq, body, sender ?? null]);
			await hint(database, CHANNELS.toWorkers, job);
			this.#relayed.add(seq);
		}
	}

	/** A message counts as received once the file here holds the line that says so. */
	async #bringLines(database: PoolDatabase): Promise<void> {
		const { job, services } = this.#facts;
		const taken = await database.query<{ seq: string }>(
			"SELECT seq FROM pi_geon.messages WHERE job = $1 AND kind = 'message' AND taken",
			[job],
		);
		const { rows } = await database.query<{ body: string }>(
			"SELECT body FROM pi_geon.lines WHERE job = $1 AND n >= $2 ORDER BY n",
			[job, this.#writer.count],
		);
		if (this.#isLost) return;
		services.assertLeaseHeld();
		this.#writer.append(rows.map(({ body }) => body));
		for (const seq of taken.rows.map((row) => Number(row.seq))) {
			if (this.#taken.has(seq)) continue;
			services.inbox.taken(seq);
			this.#taken.add(seq);
		}
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

	/** The worker knows what it may use itself; what other runs have used since then is known here. */
	#checkSharedBudget(): void {
		const { record, services } = this.#facts;
		const { limits } = record.plan;
		const others = this.#spentByOthers;
		if (Object.keys(limits.parentSession).length === 0 || this.#stop) return;
		const shared = { ...limits, maxTurns: undefined, maxTokens: undefined, maxCostUsd: undefined };
		const { maxTurns: _turns, maxTokens: _tokens, maxCostUsd: _cost, ...only } = shared;
		const isSpent = (parentSession: Usage) => exhaustedBudget(only, { run: NO_USAGE, parentSession });
		const budget = isSpent(services.parentSessionUsage());
		if (budget === undefined) return;
		// By itself: the worker ends it, with a last word of the child.
		if (others && isSpent(plus(others, this.#usage)) !== undefined) return;
		this.#stop = { by: "its budget", at: this.#now, told: false, budget };
	}

	async #bringStop(database: PoolDatabase, { state }: JobRow): Promise<void> {
		const { job } = this.#facts;
		const stop = this.#stop;
		if (!stop) return;
		const isLate = stop.told && this.#now - stop.at >= STOPS_WITHIN_MS;
		if (state !== "active" || isLate) {
			await database.boss.cancel(database.queue, job);
			this.#wake();
		} else if (!stop.told) {
			const sql =
				"INSERT INTO pi_geon.messages (job, kind, seq, body) VALUES ($1, 'stop', 0, $2) ON CONFLICT DO NOTHING";
			await database.query(sql, [job, stop.by]);
			stop.told = true;
			stop.at = this.#now;
		}
		await hint(database, CHANNELS.toWorkers, job);
	}

	/** What cannot be posted ends the run. What is wrong with the connection may pass. */
	#trouble(error: unknown): Ended | undefined {
		const { setup, record } = this.#facts;
		const message = messageOf(error);
		if (error instanceof CannotTravel) return this.#refusedBecause(`Pool ${setup.pool} cannot do this: ${message}`);
		if (error instanceof PoolProblem) return this.#refusedBecause(message);
		if (this.#troubleSince === undefined) {
			this.#troubleSince = this.#now;
			setup.log.warn("a pool cannot be reached", { runId: record.run.id, pool: setup.pool, error });
		}
		this.#setAway({ pool: setup.pool, since: Date.now(), trouble: message });
		if (!this.#stop || this.#now - this.#stop.at < GIVES_UP_AFTER_MS) return undefined;
		return this.#endedAs(this.#stopped(this.#stop), [
			`Pool ${setup.pool} cannot be reached (${message}), so a worker may continue with it until it can.`,
		]);
	}

	#stopped({ by, budget }: { by: string; budget?: string }): EndCause {
		return budget === undefined ? { kind: "stopped", by } : { kind: "budget", limit: budget };
	}

	#refusedBecause(message: string): Ended {
		return this.#endedAs({ kind: "refused", error: { code: "SUBAGENT_FAILED", message, reason: "pool" } });
	}

	/** Without a word of the worker's. */
	#endedAs(cause: EndCause, warnings: string[] = []): Ended {
		const { record, services } = this.#facts;
		const plan = { warnings: [...record.plan.warnings, ...warnings] };
		const outcome = outcomeWithoutHost({ ...record, plan, usage: this.#usage }, cause, services.redactor.redact);
		return { outcome, settled: true };
	}
}

const combined = (a: Usage, b: Usage, how: (a: number, b: number) => number): Usage => ({
	input: how(a.input, b.input),
	output: how(a.output, b.output),
	cacheRead: how(a.cacheRead, b.cacheRead),
	cacheWrite: how(a.cacheWrite, b.cacheWrite),
	cost: how(a.cost, b.cost),
	turns: how(a.turns, b.turns),
});

const plus = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => x + y);
const without = (a: Usage, b: Usage): Usage => combined(a, b, (x, y) => Math.max(0, x - y));
