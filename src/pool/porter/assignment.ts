import { readFile } from "node:fs/promises";
import { outcomeOf } from "../../collect/outcome.ts";
import { inOneLine } from "../../collect/plain.ts";
import type { Config, PoolSettings } from "../../config/config.ts";
import { changeFiles } from "../../ledger/change-files.ts";
import { settleDeliveries } from "../../ledger/deliveries.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Places } from "../../ledger/places.ts";
import { requestStop } from "../../ledger/progress.ts";
import type { EndedRecord } from "../../ledger/records.ts";
import { LedgerTrouble } from "../../ledger/trouble.ts";
import type { Log } from "../../log/log.ts";
import type { LaunchPlan } from "../../plan/plan.ts";
import type { Clock } from "../../ports/clock.ts";
import { duration } from "../../run/amounts.ts";
import { ENDED } from "../../run/ending-words.ts";
import type { RunId } from "../../run/ids.ts";
import { messageOf } from "../../run/message-of.ts";
import { DISK_FULL, type Outcome } from "../../run/outcome.ts";
import type { Redacted } from "../../run/redacted.ts";
import { storedOutcome } from "../../run/stored-outcome.ts";
import { redactOwnParts } from "../../run/unredacted-parts.ts";
import { NO_USAGE } from "../../run/usage.ts";
import type { Supervisor } from "../../supervise/supervisor.ts";
import { type RunOrder, readOrder } from "../job.ts";
import { readWorkerProgress } from "../progress.ts";
import { ClaimLost, type HeldJob, type PorterQueue, type StoredJob } from "../queue.ts";
import type { checkoutFor } from "../repository/mirror.ts";
import { CannotTravel } from "../repository/pack.ts";
import { admitGuest, type KnownOfJob } from "./admit.ts";
import type { Relay } from "./relay.ts";

export interface AssignmentSetup {
	queue: PorterQueue;
	/** Makes the checkout that a run works in. */
	checkout: typeof checkoutFor;
	settings: PoolSettings;
	/** The current configuration of this machine's user. */
	config(): Config;
	ledger: Ledger;
	places: Places;
	supervisor: Supervisor;
	/** Names the hosts that can work on a plan. */
	profile(plan: LaunchPlan): string;
	/** The folder of mirrors and checkouts. */
	root: string;
	sessionsRoot: string;
	worker: string;
	/** What this worker reports about itself. */
	about: object;
	laneLimit: number;
	redact(text: string): Redacted;
	/** Shows a line in the shell that the worker runs in. */
	tell?(line: string): void;
	clock: Clock;
	log: Log;
}

/** The shortest time between two reports of progress. */
const SENT_EVERY_MS = 400;
/** How often to look for messages without a hint. */
const RECEIVED_EVERY_MS = 2000;

/** One job, from its claim to its end, or until another worker has it. */
export class PoolAssignment {
	readonly job: HeldJob;
	readonly #setup: AssignmentSetup;
	readonly #lost = new AbortController();
	#running: { runId: RunId; relay: Relay } | undefined;

	constructor(job: HeldJob, setup: AssignmentSetup) {
		this.job = job;
		this.#setup = setup;
	}

	/** Another worker has the job, or may have it. Stops the child here, and writes nothing more. */
	lose(why: string): void {
		if (this.#lost.signal.aborted) return;
		this.#lost.abort();
		if (this.#running) void this.#stopChild(this.#running.runId, why);
	}

	/** Retries while the ledger is in trouble: a full disk must not end this process, or let the child continue. */
	async #stopChild(runId: RunId, by: string): Promise<void> {
		const { ledger, supervisor, clock } = this.#setup;
		while (!this.#inLedger("stop", () => requestStop(ledger, runId, { at: clock.now(), by }))) {
			await clock.sleep(SENT_EVERY_MS);
		}
		supervisor.hint();
		supervisor.wake();
	}

	/** False if the ledger could not be written. */
	#inLedger(what: string, write: () => unknown): boolean {
		try {
			write();
			return true;
		} catch (error) {
			if (!(error instanceof LedgerTrouble)) throw error;
			this.#setup.log.warn("could not write to the ledger", { what, jobId: this.job.id, error });
			return false;
		}
	}

	/** There may be a message for its child. */
	async receive(): Promise<void> {
		await this.#orLog("messages", () => this.#running?.relay.receive());
	}

	/** Never rejects. False if something went wrong here, so that another worker tries again. */
	async work(): Promise<boolean> {
		const { queue, log } = this.#setup;
		const jobId = this.job.id;
		try {
			const stored = await queue.stored(jobId);
			const order = stored.order === undefined ? "The job has no order." : readOrder(stored.order);
			if (typeof order === "string") await this.#refuse(order);
			else if (order.kind === "check") await this.#complete(JSON.stringify({ kind: "check", ...this.#setup.about }));
			else await this.#run(order, knownOf(stored));
			return true;
		} catch (error) {
			if (error instanceof ClaimLost || this.#lost.signal.aborted) {
				log.info("a job is not ours any more", { jobId });
				this.#setup.tell?.("A run is no longer this worker's: another worker continues it, or it was stopped.");
				return true;
			}
			if (error instanceof CannotTravel) {
				await this.#orLog("refusal", () => this.#refuse(error.message));
				return true;
			}
			log.error("a job failed here", { jobId, error });
			await this.#orLog("failure", () => queue.giveBack(this.job, messageOf(error)));
			return false;
		}
	}

	/** Gives the job back, so that another worker continues immediately. */
	async giveBack(): Promise<void> {
		const { queue } = this.#setup;
		await this.#orLog("lines", () => this.#running?.relay.send());
		this.lose("its worker, which leaves");
		await this.#orLog("job", () => queue.giveBack(this.job, "The worker left."));
	}

	async #run(order: RunOrder, known: KnownOfJob): Promise<void> {
		const { log, ledger, supervisor, clock } = this.#setup;
		const admitted = await admitGuest({ job: this.job, order, known, setup: this.#setup, signal: this.#lost.signal });
		if (!admitted) throw new ClaimLost(this.job);
		const { relay } = admitted;
		const { id: runId } = admitted.record.run;
		log.info("working on a run of the pool", { runId, from: order.requester, attempt: this.job.retryCount });
		this.#running = { runId, relay };
		const began = clock.elapsed();
		this.#tell(order, `taken from ${order.requester}`);
		if (this.#lost.signal.aborted) void this.#stopChild(runId, "the pool");
		let isOver = false;
		const relaying = this.#relayUntil(() => isOver || this.#lost.signal.aborted);
		const ended = await supervisor.watch(runId, { onProgress: (progress) => relay.heard(progress) });
		isOver = true;
		await relaying;
		// If this fails, the next worker of this machine does it when it starts. The job must not be repeated because of it.
		this.#inLedger("delivery", () => settleDeliveries(ledger, [runId], clock.now()));
		if (this.#lost.signal.aborted) throw new ClaimLost(this.job);
		const { outcome: own } = ended.run;
		if (isOfThisMachine(own)) {
			await this.#orLog("lines", () => relay.send());
			throw new Error(`The disk of ${this.#setup.worker} is full.`);
		}
		const home = await bundleOf(ended, this.#setup.places);
		const outcome = this.#withNote(order, own);
		for (;;) {
			try {
				await this.#complete(storedOutcome(outcome), { relay, home });
				return this.#tell(order, `${ENDED[outcome.cause]} after ${duration(clock.elapsed() - began)}`);
			} catch (error) {
				if (error instanceof ClaimLost || this.#lost.signal.aborted) throw error;
				log.warn("an outcome is not in the database yet", { runId, error });
				await clock.sleep(SENT_EVERY_MS);
			}
		}
	}

	async #relayUntil(isOver: () => boolean): Promise<void> {
		const { clock } = this.#setup;
		for (let nextReceive = 0; !isOver(); ) {
			if (clock.elapsed() >= nextReceive) {
				await this.receive();
				nextReceive = clock.elapsed() + RECEIVED_EVERY_MS;
			}
			await this.#orLog("progress", () => this.#running?.relay.send());
			await clock.sleep(SENT_EVERY_MS);
		}
	}

	#tell({ runId, plan, label }: RunOrder, what: string): void {
		const title = label === undefined ? "" : ` "${label}"`;
		this.#setup.tell?.(inOneLine(this.#setup.redact(`Run ${runId}, ${plan.agent}${title}: ${what}`)));
	}

	#withNote({ plan }: RunOrder, outcome: Outcome): Outcome {
		if (!plan.tree || this.job.retryCount === 0) return outcome;
		const note = this.#setup.redact(
			"A worker died, and the changes in its copy of the checkout are lost. The next worker began with a new copy.",
		);
		return { ...outcome, warnings: [...outcome.warnings, note] };
	}

	async #refuse(message: string): Promise<void> {
		this.#setup.tell?.(inOneLine(this.#setup.redact(`A run was refused: ${message}`)));
		const error = { code: "SUBAGENT_FAILED", message: `${this.#setup.worker}: ${message}`, reason: "pool" } as const;
		const facts = { usage: NO_USAGE, displayItems: [], attempts: 1, warnings: [] };
		const outcome = redactOwnParts(outcomeOf({ kind: "refused", error }, facts), this.#setup.redact);
		await this.#complete(storedOutcome(outcome));
	}

	async #complete(outcome: string, rest: { relay?: Relay; home?: Buffer | undefined } = {}): Promise<void> {
		const { queue, worker } = this.#setup;
		await queue.complete(this.job, { outcome, worker, last: rest.relay?.last(), home: rest.home });
	}

	async #orLog(what: string, work: () => Promise<unknown> | undefined): Promise<void> {
		try {
			await work();
		} catch (error) {
			if (error instanceof ClaimLost) this.lose("the pool: another worker has it");
			else this.#setup.log.warn("could not talk to the pool", { what, jobId: this.job.id, error });
		}
	}
}

const knownOf = ({ lines, progress, elapsedMs, bundle }: StoredJob): KnownOfJob => ({
	lines,
	usage: readWorkerProgress(progress)?.usage ?? NO_USAGE,
	elapsedMs,
	bundle,
});

/** Whether this machine caused the failure: without disk space, it must not end a run that others have space for. */
const isOfThisMachine = (outcome: Outcome): boolean =>
	outcome.cause === "crashed" && outcome.error.reason === DISK_FULL;

/** The bundle with what a run changed in its tree here. */
async function bundleOf({ run }: EndedRecord, places: Places): Promise<Buffer | undefined> {
	return run.outcome.changes?.commit ? readFile(changeFiles(places, run.id).bundle) : undefined;
}
