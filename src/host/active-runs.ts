import type { RunQuestions } from "../child/ask.ts";
import { crashOf } from "../child/crash.ts";
import type { ClaimedRun, startWork, Work, WorkServices } from "../child/work.ts";
import { outcomeWithoutHost } from "../collect/outcome.ts";
import { recordAway } from "../ledger/away.ts";
import { messageTaken, waitingMessages } from "../ledger/inbox.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { beginAttempt, recordHop, recordTurn, usageOfParent } from "../ledger/progress.ts";
import { findRun } from "../ledger/records.ts";
import type { Log } from "../log/log.ts";
import { USED_A_TOOL } from "../log/tool-uses.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import type { Ports } from "../ports/ports.ts";
import type { Progress, Question } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import type { Outcome } from "../run/outcome.ts";
import type { ActiveRun } from "./decide.ts";
import type { AskingRun } from "./questions.ts";
import type { Watchers } from "./watchers.ts";

/** How long after a claim a parent may still start to watch the run: it looks for a new host once a second. */
const WATCHED_WITHIN_MS = 2000;

export interface ActiveRunsSetup {
	ledger: Ledger;
	log: Log;
	ports: Ports;
	/** Begins the work on a claimed run. */
	startWork: typeof startWork;
	childServices(
		plan: Pick<LaunchPlan, "principal" | "cwd">,
	): Pick<WorkServices, "agentDir" | "openModels" | "redactor" | "trees" | "ui">;
}

/** What runs need from the rest of the host. */
export interface HostForRuns {
	watchers(): Watchers | undefined;
	assertLeaseHeld(): void;
	/** Does bookkeeping whose failure must not end the work: the next write repeats it, or other processes notice. */
	orLog(what: string, runId: RunId, write: () => unknown): void;
	questionsOf(run: AskingRun): RunQuestions;
	onOutcome(record: ClaimedRun, outcome: Outcome): void;
	/** The child of a run has stopped completely. */
	onOver(): void;
	/** The child of a run was aborted and does not settle. */
	onStuck(id: RunId): void;
}

interface Active {
	record: ClaimedRun;
	work: Work;
	/** False once another host has the run: this one must then write nothing about it. */
	ours: boolean;
	/** Whether the stop was logged: every look finds the request again. */
	stopping: boolean;
}

/** The runs that this host works on, and those taken from it whose child has not finished yet. */
export class ActiveRuns {
	readonly #setup: ActiveRunsSetup;
	readonly #host: HostForRuns;
	readonly #active = new Map<RunId, Active>();

	constructor(setup: ActiveRunsSetup, host: HostForRuns) {
		this.#setup = setup;
		this.#host = host;
	}

	get size(): number {
		return this.#active.size;
	}

	get all(): ActiveRun[] {
		return [...this.#active.values()].map(({ record }) => ({ id: record.run.id, fence: record.run.fence }));
	}

	stop(id: RunId, by: string): void {
		const active = this.#active.get(id);
		if (!active) return;
		if (!active.stopping) this.#setup.log.info("stopping", { runId: id, by });
		active.stopping = true;
		active.work.stop({ kind: "stopped", by });
	}

	look(): void {
		for (const { work, ours } of this.#active.values()) if (ours) work.look?.();
	}

	letGo(id: RunId): void {
		const active = this.#active.get(id);
		if (!active) return;
		if (active.ours) this.#setup.log.warn("given to another host", { runId: id });
		active.ours = false;
		active.work.stop({ kind: "lost", message: "The run was given to another host." });
	}

	async workOn(claimed: ClaimedRun): Promise<void> {
		const { ledger, log } = this.#setup;
		const { id } = claimed.run;
		// If the run was taken away and is ours again, its earlier child may still write into the same session.
		const before = this.#active.get(id);
		if (before) await before.work.done;
		const attempt = { record: claimed };
		try {
			const work = this.#setup.startWork(claimed, this.#servicesFor(attempt));
			const active: Active = { record: claimed, work, ours: true, stopping: false };
			this.#active.set(id, active);
			this.#host.watchers()?.started(id);
			log.info("started", { runId: id, agent: claimed.plan.agent, session: claimed.parentSession });
			const { outcome, settled } = await work.done;
			if (active.ours) this.#host.onOutcome(attempt.record, outcome);
			else log.info("ended, but it was no longer ours", { runId: id });
			if (!settled) this.#host.onStuck(id);
		} catch (error) {
			log.error("work failed", { runId: id, error });
			this.#host.onOutcome(
				attempt.record,
				outcomeWithoutHost(attempt.record, crashOf(error, claimed.plan.session.file), ledger.redact),
			);
		} finally {
			this.#active.delete(id);
			this.#host.onOver();
		}
	}

	/** `attempt` holds the run as it is now, since the same host may try again. */
	#servicesFor(attempt: { record: ClaimedRun }): WorkServices {
		const { ledger, log, ports, childServices } = this.#setup;
		const { watchers, assertLeaseHeld, orLog } = this.#host;
		const { plan, parentSession } = attempt.record;
		const { id, fence } = attempt.record.run;
		const watchedBy = ports.clock.elapsed() + WATCHED_WITHIN_MS;
		return {
			...childServices(plan),
			assertLeaseHeld: () => orLog("lease", id, assertLeaseHeld),
			ask: async (question: Question, signal) => {
				log.info("asks the user", { runId: id, kind: question.kind });
				return watchers()?.ask(id, question, { signal, patienceMs: watchedBy - ports.clock.elapsed() });
			},
			onWarning: (warning) => log.warn("the child goes without something", { runId: id, warning }),
			onRetry: (retry) => log.warn("asks the model again", { runId: id, retry }),
			beginAttempt: () => {
				const { run } = attempt.record;
				let begun = false;
				orLog("attempt", id, () => {
					begun = beginAttempt(ledger, id, { fence, at: ports.clock.now() });
				});
				if (!begun) return false;
				attempt.record = { ...attempt.record, run: { ...run, attempt: run.attempt + 1 } };
				log.warn("tries again after the model provider failed", { runId: id, attempt: run.attempt + 1 });
				return true;
			},
			recordHop: (hop) => {
				const { run } = attempt.record;
				let recorded = false;
				orLog("hop", id, () => {
					recorded = recordHop(ledger, id, { fence, at: ports.clock.now(), hop });
				});
				if (!recorded) {
					// A run with a stop request does not hop. It ends as stopped, since the failure of its model is not the
					// reason.
					orLog("stop", id, () => {
						const stop = findRun(ledger, id)?.run.stop;
						if (stop) this.stop(id, stop.by);
					});
					return false;
				}
				const { attempt: number, maxAttempts, hops = [] } = run;
				const hopped = { ...run, attempt: number + 1, maxAttempts: maxAttempts + 1, hops: [...hops, hop] };
				attempt.record = { ...attempt.record, run: hopped };
				log.warn("continues with another model", { runId: id, from: hop.from, to: hop.to, why: hop.why });
				return true;
			},
			onNotice: (notice, kind) => log.info("an extension says", { runId: id, notice, kind }),
			onProgress: (progress: () => Progress) => watchers()?.progress(id, progress),
			onToolUse: (use) => log.info(USED_A_TOOL, { runId: id, agent: plan.agent, session: parentSession, ...use }),
			onTurn: (turn) => orLog("turn", id, () => recordTurn(ledger, id, fence, turn)),
			onAway: (away) => orLog("away", id, () => recordAway(ledger, id, fence, away)),
			parentSessionUsage: () => usageOfParent(ledger, parentSession),
			questions: this.#host.questionsOf({ id, fence, askMs: (plan.askMinutes ?? 0) * 60_000 }),
			inbox: {
				runId: id,
				waiting: () => waitingMessages(ledger, id),
				taken: (seq) => orLog("inbox", id, () => messageTaken(ledger, { seq, fence, at: ports.clock.now() })),
			},
		};
	}
}
