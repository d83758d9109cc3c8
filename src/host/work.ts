import type { AgentSession, ModelRuntime } from "@earendil-works/pi-coding-agent";
import { Collector } from "../collect/collector.ts";
import { outcomeOf } from "../collect/outcome.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import type { RunRecord } from "../ledger/records.ts";
import type { ContextUse, EndCause, Outcome } from "../run/outcome.ts";
import type { RunningRun } from "../run/run.ts";
import { addUsage, NO_USAGE, type Usage } from "../run/usage.ts";
import { budgetGuard, exhaustedBudget } from "./budget.ts";
import { converse } from "./converse.ts";
import { Corrections } from "./corrections.ts";
import { childDialogs, type DialogSetup } from "./dialogs.ts";
import { watchIdleness } from "./endings/idle-limit.ts";
import { watchOutput } from "./endings/output-limit.ts";
import { EndingRace } from "./endings/race.ts";
import { watchRuntime } from "./endings/runtime-limit.ts";
import { watchTools } from "./endings/tool-limit.ts";
import { finalization } from "./finalize.ts";
import { endLeftovers } from "./leftovers.ts";
import { lspGuard } from "./lsp-guard.ts";
import type { Progress } from "./protocol.ts";
import { ProviderWatch } from "./provider-watch.ts";
import { resultCheck } from "./result-check.ts";
import { type ChildSetup, openChildSession, SetupFailed } from "./session.ts";
import { type Inbox, Steering } from "./steering.ts";

/** How long an aborted child may take to settle before its host gives up on it. */
const SETTLE_MS = 5000;

/** Of what a child said last: enough to go by, should its host die. */
const MOST_KEPT = 64 * 1024;

/** A claimed run: what the ledger says of it, and that it is ours. */
export type ClaimedRun = RunRecord & { run: RunningRun };

export interface WorkServices extends Pick<ChildSetup, "agentDir" | "ui">, Pick<DialogSetup, "ask" | "onNotice"> {
	/** The models and credentials of the run's principal. */
	openModels(): Promise<ModelRuntime>;
	/** Everything that leaves the child goes through it. */
	redactor: Redactor;
	/** Messages to this run. */
	inbox: Inbox;
	/** What all runs of the same parent session have used so far, this one included. */
	parentSessionUsage(): Usage;
	/** Asked for only when somebody is to be told. */
	onProgress(progress: () => Progress): void;
	onUsage(usage: Usage): void;
	/** A request is made once more. */
	onRetry(retries: number): void;
	/** What the child has last said. */
	onSaid(partial: string): void;
}

export interface Work {
	/** Ends the work early. */
	stop(cause: EndCause): void;
	/** The outcome, and whether the child really came to rest. Never fails. */
	done: Promise<{ outcome: Outcome; settled: boolean }>;
}

/** Works on one run, from its claim to its outcome. */
export function startWork(record: ClaimedRun, services: WorkServices): Work {
	const race = new EndingRace();
	return { stop: (cause) => race.declare(cause), done: work(record, services, race) };
}

async function work(
	record: ClaimedRun,
	services: WorkServices,
	race: EndingRace,
): Promise<{ outcome: Outcome; settled: boolean }> {
	const { plan, run } = record;
	const collector = new Collector((text) => services.redactor.redact(text));
	const corrections = new Corrections(plan.limits.maxCorrections);
	const finalize = finalization({
		checkResult: resultCheck(plan.outputSchema),
		calledTogether: () => collector.lastToolCalls,
		corrections,
	});
	const totalUsage = () => addUsage(record.usage, collector.usage);
	const sharesBudget = Object.keys(plan.limits.parentSession).length > 0;
	const spending = () => ({
		run: totalUsage(),
		parentSession: sharesBudget ? services.parentSessionUsage() : NO_USAGE,
	});
	const provider = new ProviderWatch(plan.maxAttempts - run.attempt, services.onRetry);
	const decided = new AbortController();
	void race.first.then(() => decided.abort());
	const dialogs = childDialogs({
		base: services.ui,
		ask: (question, signal) => services.ask(services.redactor.redactValue(question), signal),
		onNotice: services.onNotice,
		over: decided.signal,
	});
	let context: ContextUse | undefined;
	let settled = true;
	const steering = new Steering(services.inbox, () => decided.signal.aborted || finalize.answer !== undefined);

	const stopWatching = [watchRuntime(race, { startedAt: run.startedAt, timeoutMs: plan.limits.timeoutMs })];
	try {
		// What an earlier attempt left running when its host was killed.
		if (run.attempt > 1) endLeftoversOf(record, services.onNotice);
		const spentOn = exhaustedBudget(plan.limits, spending());
		if (spentOn !== undefined) throw new BudgetSpent(spentOn);
		const guard = budgetGuard({
			limits: plan.limits,
			spending,
			isFinalized: () => finalize.answer !== undefined,
			onSpent: (limit) => race.declare({ kind: "budget", limit }),
		});
		const opening = services.openModels().then((models) =>
			openChildSession({
				plan,
				agentDir: services.agentDir,
				modelRuntime: provider.over(models),
				finalizeTool: finalize.tool,
				// Messages after the budget, whose word on the next turn would take their place.
				guards: [lspGuard(plan.lspActions), guard, provider.guard, steering.guard],
				ui: dialogs.ui,
			}),
		);
		// In the race too: an extension may never come back from its own start.
		const session = await Promise.race([opening, race.first.then(() => undefined)]);
		if (!session) {
			settled = await withinPatience(opening.then((late) => late.dispose()));
			throw new SetupFailed("Ended before the child was set up.");
		}
		race.onDecided = () => {
			decided.abort();
			provider.close();
			void session.abort();
		};
		stopWatching.push(
			session.subscribe((event) => {
				collector.take(event);
				steering.observe(session.sessionManager);
				if (event.type === "auto_retry_start") {
					// Not at once: pi announces the retry before it can be called off.
					if (!provider.mayAnswerAgain()) setImmediate(() => session.abortRetry());
				}
				if (event.type === "message_end" && event.message.role === "assistant") {
					services.onUsage(totalUsage());
					if (collector.lastText) services.onSaid(services.redactor.redact(collector.lastText.slice(0, MOST_KEPT)));
					context = contextUse(session);
				}
				services.onProgress(() =>
					services.redactor.redactValue({
						...progressOf(collector, totalUsage()),
						startedAt: run.startedAt,
						...(context && { context }),
					}),
				);
			}),
			watchIdleness(race, dialogs.alongside(session), plan.limits.idleTimeoutMs),
			watchTools(race, dialogs.alongside(session), plan.limits.toolTimeoutMs),
			watchOutput(race, { events: session, collector, sessionFile: plan.session.file }),
		);
		const isOver = () => decided.signal.aborted;
		const conversing = converse({ session, record, collector, finalize, corrections, steering, isOver }).then(
			(cause) => race.declare(cause),
			(error) => race.declare({ kind: "crashed", message: describe(error) }),
		);
		await race.first;
		// Both: before its first model call, a prompt does not hear of an abort.
		settled = await withinPatience(Promise.all([session.abort(), conversing]));
		steering.observe(session.sessionManager);
		session.dispose();
	} catch (error) {
		race.declare(setupCause(error));
	} finally {
		for (const stop of stopWatching) stop();
	}

	const cause = await race.first;
	// A run that was given to another host: the shells in its session may be that one's by now.
	if (cause.kind !== "lost") endLeftoversOf(record, services.onNotice);
	const outcome = outcomeOf(cause, {
		usage: totalUsage(),
		displayItems: collector.displayItems,
		attempts: run.attempt + provider.retries,
		...(collector.model !== undefined && { model: collector.model }),
		...(context && { context }),
		partialOutput: collector.partialOutput || finalize.rejectedResult,
		warnings: plan.warnings,
	});
	return { outcome: services.redactor.redactValue(outcome), settled };
}

/** What cannot be looked for is no reason to fail a run that has done its work. */
function endLeftoversOf({ sessionId, plan }: ClaimedRun, onNotice: WorkServices["onNotice"]): void {
	try {
		endLeftovers({ id: sessionId, tools: plan.tools });
	} catch (error) {
		onNotice(`could not look for processes that were left running: ${describe(error)}`, "warning");
	}
}

function contextUse(session: AgentSession): ContextUse | undefined {
	const usage = session.getContextUsage();
	return usage?.tokens ? { tokens: usage.tokens, window: usage.contextWindow } : undefined;
}

/** Waits for the child to come to rest, but not for ever. */
async function withinPatience(rest: Promise<unknown>): Promise<boolean> {
	const { promise: tooLong, resolve } = Promise.withResolvers<false>();
	const patience = setTimeout(() => resolve(false), SETTLE_MS);
	// A child that fails to come up, or to stop, is at rest all the same.
	const atRest = rest.then(
		() => true,
		() => true,
	);
	const settled = await Promise.race([atRest, tooLong]);
	clearTimeout(patience);
	return settled;
}

/** There is nothing left to work with, before it has begun. */
class BudgetSpent extends Error {}

function setupCause(error: unknown): EndCause {
	if (error instanceof BudgetSpent) return { kind: "budget", limit: error.message };
	if (!(error instanceof SetupFailed))
		return { kind: "crashed", message: `The child could not be started: ${describe(error)}` };
	return { kind: "refused", error: { code: "SUBAGENT_FAILED", message: error.message, reason: "setup" } };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What watchers see: the latest of it, since a snapshot is sent ten times a second. */
function progressOf(collector: Collector, usage: Usage): Progress {
	const latest = collector.displayItems
		.slice(-20)
		.map((item) => (item.type === "text" ? { ...item, text: item.text.slice(-2000) } : item));
	// Without its last word: a key that is only half written does not look like one yet.
	const writing = collector.streamingText.slice(-2000).replace(/\S*$/, "");
	return {
		displayItems: writing ? [...latest, { type: "text", text: writing }] : latest,
		usage,
		turnCount: usage.turns,
		...(collector.model !== undefined && { model: collector.model }),
	};
}
