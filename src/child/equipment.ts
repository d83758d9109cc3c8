import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { Collector } from "../collect/collector.ts";
import { ASK_TOOL } from "../run/question.ts";
import { addUsage, NO_USAGE, type Usage } from "../run/usage.ts";
import { Asking } from "./ask.ts";
import { Attempts } from "./attempts.ts";
import { budgetGuard, type Spending } from "./budget.ts";
import { Corrections } from "./corrections.ts";
import { childDialogs, type Dialogs } from "./dialogs.ts";
import type { EndingRace } from "./endings/race.ts";
import { type Finalization, finalization } from "./finalize.ts";
import { ForkFit } from "./fork-fit.ts";
import { lspGuard } from "./lsp-guard.ts";
import { ModelLine } from "./model-line.ts";
import { ProviderWatch } from "./provider-watch.ts";
import { resultCheck } from "./result-check.ts";
import type { ChildRing } from "./ring.ts";
import { Steering } from "./steering.ts";
import type { ClaimedRun, WorkServices } from "./work.ts";

/** Everything that one run's child works with. */
export interface Equipment {
	collector: Collector;
	corrections: Corrections;
	finalize: Finalization;
	provider: ProviderWatch;
	attempts: Attempts;
	models: ModelLine;
	dialogs: Dialogs;
	steering: Steering;
	/** For a session that begins with a copy of its parent's conversation. */
	fork?: ForkFit;
	/** Absent: the child cannot ask. */
	asking?: Asking;
	/** Over all attempts. */
	totalUsage(): Usage;
	spending(): Spending;
	/** Extensions that watch the child from inside. */
	guards: ExtensionFactory[];
	/** Aborted once the ending is decided. */
	decided: AbortController;
	/** What confines the child, once it is set up. */
	ring?: ChildRing | undefined;
	/** What the child lacks, besides what was known when the run was planned. */
	warnings: string[];
	/** Closes what the child has used. */
	atEnd: (() => Promise<unknown>)[];
}

export function equip(record: ClaimedRun, services: WorkServices, race: EndingRace): Equipment {
	const { plan, run } = record;
	const { redactor } = services;
	const decided = new AbortController();
	void race.first.then(() => decided.abort());

	const collector = new Collector(redactor);
	const corrections = new Corrections(plan.limits.maxCorrections);
	const finalize = finalization({
		checkResult: resultCheck(plan.outputSchema, decided.signal),
		onUncheckable: (problem, result) =>
			race.declare({ kind: "uncheckable", file: plan.definition.file, problem, result }),
		calledTogether: () => collector.lastToolCalls,
		corrections,
	});
	const isFinalized = () => finalize.answer !== undefined;
	const totalUsage = () => addUsage(record.usage, collector.usage);
	const sharesBudget = Object.keys(plan.limits.parentSession).length > 0;
	const spending = () => ({
		run: totalUsage(),
		parentSession: sharesBudget ? services.parentSessionUsage() : NO_USAGE,
	});
	const provider = new ProviderWatch();
	const attempts = new Attempts(run, services.beginAttempt);
	const models = new ModelLine(plan, run.hops ?? [], (hop) => {
		if (!services.recordHop(hop)) return false;
		attempts.hopped();
		return true;
	});
	const steering = new Steering(services.inbox, () => decided.signal.aborted || isFinalized());
	const budget = budgetGuard({
		limits: plan.limits,
		spending,
		isFinalized,
		onSpent: (limit) => race.declare({ kind: "budget", limit }),
	});
	const dialogs = childDialogs({
		base: services.ui,
		ask: services.ask,
		redact: redactor.redact,
		onNotice: services.onNotice,
		over: decided.signal,
	});
	const fork = plan.session.fork === undefined ? undefined : new ForkFit();
	const asking = plan.tools.includes(ASK_TOOL)
		? new Asking({
				runId: run.id,
				questions: services.questions,
				redact: redactor.redact,
				over: decided.signal,
			})
		: undefined;
	return {
		collector,
		corrections,
		finalize,
		provider,
		attempts,
		models,
		dialogs,
		steering,
		...(fork && { fork }),
		...(asking && { asking }),
		totalUsage,
		spending,
		// Steering comes after the budget, whose entries would otherwise replace its messages.
		guards: [lspGuard(plan.lspActions), budget, steering.guard, ...(fork ? [fork.guard] : [])],
		decided,
		warnings: [],
		atEnd: [],
	};
}
