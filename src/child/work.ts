import type { AgentSession, ModelRuntime } from "@earendil-works/pi-coding-agent";
import { outcomeOf } from "../collect/outcome.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import type { Away } from "../ledger/away.ts";
import type { RunRecord } from "../ledger/records.ts";
import type { ToolUse } from "../log/tool-uses.ts";
import type { LaunchPlan } from "../plan/plan.ts";
import { endLeftovers } from "../processes/leftovers.ts";
import type { Progress } from "../processes/protocol.ts";
import { type Hop, hopInWords } from "../run/hop.ts";
import { messageOf } from "../run/message-of.ts";
import type { ContextUse, EndCause, Outcome } from "../run/outcome.ts";
import type { Redacted } from "../run/redacted.ts";
import type { RunningRun } from "../run/run.ts";
import type { Usage } from "../run/usage.ts";
import type { RunQuestions } from "./ask.ts";
import { exhaustedBudget } from "./budget.ts";
import { converse } from "./converse.ts";
import { crashOf } from "./crash.ts";
import type { DialogSetup } from "./dialogs.ts";
import { watchIdleness } from "./endings/idle-limit.ts";
import { watchOutput } from "./endings/output-limit.ts";
import { EndingRace } from "./endings/race.ts";
import { watchRuntime } from "./endings/runtime-limit.ts";
import { watchTools } from "./endings/tool-limit.ts";
import { type Equipment, equip } from "./equipment.ts";
import { observe } from "./observe.ts";
import { RingUnavailable, ringForRun } from "./ring.ts";
import { type ChildSetup, openChildSession } from "./session.ts";
import { SetupFailed } from "./session-file.ts";
import type { Inbox } from "./steering.ts";
import {
	bringTreeHome,
	causeAfterHarvest,
	NOTHING_HOME,
	notHarvestedWarning,
	type TreeServices,
	treeForRun,
	treeGuard,
} from "./tree.ts";

/** How long an aborted child may take to settle before its host gives up on it. */
const SETTLE_MS = 5000;

/** A claimed run: its record in the ledger, which says that it is ours. */
export type ClaimedRun = RunRecord & { run: RunningRun };

export interface WorkServices
	extends Pick<ChildSetup, "ui" | "openTranscript">,
		Pick<DialogSetup, "ask" | "onNotice">,
		TreeServices {
	/** The models and credentials of the run's principal, with the providers of some extensions. */
	openModels(extensions: readonly string[]): Promise<ModelRuntime>;
	/** Everything that leaves the child goes through it. */
	redactor: Redactor;
	/** Messages to this run. */
	inbox: Inbox;
	/** What this run asks the user. */
	questions: RunQuestions;
	/** Does not return if the run was given to another host, so that nothing more is written. */
	assertLeaseHeld(): void;
	/** What all runs of the same parent session have used so far, this one included. */
	parentSessionUsage(): Usage;
	/** `progress` is called only if a watcher needs it now. */
	onProgress(progress: () => Progress): void;
	/** What the run has used so far, the child's latest text, if any, and the model that was asked. */
	onTurn(turn: { usage: Usage; said?: Redacted; model?: string }): void;
	/** The child has used one of this package's other tools. */
	onToolUse(use: ToolUse): void;
	/**
	 * Warnings about what the child lacks are known only here until the run ends. This logs them, in case this host dies
	 * first.
	 */
	onWarning(warning: string): void;
	/** pi retries a request. `retry`: how often so far. */
	onRetry(retry: number): void;
	/** Reports where a run of a pool is now. */
	onAway(away: Away): void;
	/** Counts another attempt of the run; false if it must not have one. */
	beginAttempt(): boolean;
	/** Records that the run continues with its next model; false if it must not. */
	recordHop(hop: Hop): boolean;
}

export interface Work {
	/** Ends the work early. */
	stop(cause: EndCause): void;
	/** Says that the ledger may have a message for the run. A child on this machine finds messages itself, between turns. */
	look?(): void;
	/** The outcome, and whether the child has really stopped. Never rejects. */
	done: Promise<{ outcome: Outcome; settled: boolean }>;
}

/** Works on one run, from its claim to its outcome. */
export function startWork(record: ClaimedRun, services: WorkServices): Work {
	const race = new EndingRace();
	return { stop: (cause) => race.declare(cause), done: work({ record, services, race }) };
}

/** A run to work on: its record, its services, and the race to which everything that can end it reports. */
export interface Assignment {
	record: ClaimedRun;
	services: WorkServices;
	race: EndingRace;
}

async function work(assignment: Assignment): Promise<{ outcome: Outcome; settled: boolean }> {
	const { record, services, race } = assignment;
	const { plan } = record;
	const equipment = equip(record, services, race);
	const ended = await runChild(assignment, equipment);

	const declared = await race.first;
	await withinPatience(Promise.all(equipment.atEnd.map((close) => close())));
	// If the run was given to another host, the shells in its session may belong to that host now.
	const isOurs = declared.kind !== "lost";
	if (isOurs) endLeftoversOf(record, services.onNotice);
	const home = isOurs ? await bringTreeHome(record, services) : NOTHING_HOME;
	const cause = causeAfterHarvest(declared, home);
	// The folders stay while something may still run there.
	if (ended.settled) await equipment.ring?.close();
	const { attempts, collector, finalize, totalUsage, ring } = equipment;
	const outcome = outcomeOf(cause, {
		usage: totalUsage(),
		displayItems: collector.displayItems,
		attempts: attempts.count,
		...(collector.model !== undefined && { model: collector.model }),
		...(ended.context && { context: ended.context }),
		...(collector.lastEvent !== undefined && { lastEvent: collector.lastEvent }),
		...(ring && { sandbox: ring.report }),
		partialOutput: collector.partialOutput || finalize.rejectedResult,
		warnings: [
			...plan.warnings,
			...equipment.models.hops.map(hopInWords),
			...equipment.warnings,
			...(home.notHarvested && cause === declared ? [notHarvestedWarning(home.notHarvested)] : []),
		],
	});
	const redacted: Outcome = await services.redactor.redactInSlices(outcome);
	return { outcome: { ...redacted, ...(home.changes && { changes: home.changes }) }, settled: ended.settled };
}

interface EndedWork {
	/** Whether the child has really stopped. */
	settled: boolean;
	context?: ContextUse | undefined;
}

/** Sets the child up and lets it work. When this returns, the race is decided. */
async function runChild(assignment: Assignment, equipment: Equipment): Promise<EndedWork> {
	const { record, services, race } = assignment;
	const { plan, run } = record;
	const startedAt = run.startedAt - (plan.workedMs ?? 0);
	const stopRuntime = watchRuntime(race, { startedAt, timeoutMs: plan.limits.timeoutMs });
	try {
		// Ends processes that an earlier attempt left running when its host was killed.
		if (run.attempt > 1) endLeftoversOf(record, services.onNotice);
		const spentOn = exhaustedBudget(plan.limits, equipment.spending());
		if (spentOn !== undefined) {
			race.declare({ kind: "budget", limit: spentOn });
			return { settled: true };
		}
		const opening = openChild(assignment, equipment);
		// Part of the race, because an extension may never return from its own start.
		const session = await Promise.race([opening, race.first.then(() => undefined)]);
		if (!session) return { settled: await withinPatience(opening.then((late) => late.dispose())) };
		return await converseUntilEnd(session, assignment, equipment);
	} catch (error) {
		race.declare(setupCause(error, plan));
		return { settled: true };
	} finally {
		stopRuntime();
	}
}

async function openChild({ record, services, race }: Assignment, equipment: Equipment): Promise<AgentSession> {
	const warn = (warning: string) => {
		equipment.warnings.push(warning);
		services.onWarning(warning);
	};
	const { plan } = record;
	const [modelRuntime, tree] = await Promise.all([openAllModels(plan, services, warn), treeForRun(record, services)]);
	tree?.warnings.forEach(warn);
	const guards = tree
		? [
				treeGuard(tree, {
					onOpen: ({ warnings }) => warnings.filter((one) => !tree.warnings.includes(one)).forEach(warn),
					onFailure: (error) => race.declare(setupCause(error, plan)),
				}),
			]
		: [];
	const ring = await ringForRun(plan, { agentDir: services.agentDir, tree });
	equipment.ring = ring;
	return openChildSession({
		plan,
		models: equipment.models,
		agentDir: services.agentDir,
		modelRuntime: equipment.provider.wrap(modelRuntime),
		finalizeTool: equipment.finalize.tool,
		...(equipment.asking && { askTool: equipment.asking.tool }),
		guards: [...guards, ...equipment.guards],
		ui: equipment.dialogs.ui,
		ring,
		...(tree && { tree }),
		warn,
		closeAtEnd: (close) => equipment.atEnd.push(close),
		...(services.openTranscript && { openTranscript: services.openTranscript }),
	});
}

/** Includes the providers of the fallback models. If one of their extensions fails, the run has no such fallbacks. */
async function openAllModels(
	{ model, fallbackModels = [] }: LaunchPlan,
	{ openModels }: WorkServices,
	warn: (warning: string) => void,
): Promise<ModelRuntime> {
	const own = model.extensions ?? [];
	const all = [...new Set([...own, ...fallbackModels.flatMap(({ extensions = [] }) => extensions)])];
	if (all.length === own.length) return openModels(own);
	try {
		return await openModels(all);
	} catch (error) {
		if (!(error instanceof SetupFailed)) throw error;
		const models = await openModels(own);
		warn(`Fallback models of extensions are left out: ${error.message}`);
		return models;
	}
}

/** Talks to the child until the first cause to end the run, and until the child has stopped. */
async function converseUntilEnd(
	session: AgentSession,
	assignment: Assignment,
	equipment: Equipment,
): Promise<EndedWork> {
	const { record, services, race } = assignment;
	const { collector, provider, steering, asking, dialogs, decided } = equipment;
	const { limits, session: sessionPlace } = record.plan;
	race.onDecided = () => {
		decided.abort();
		provider.close();
		void session.abort();
	};
	const observation = observe(session, equipment, assignment);
	const stopWatching = [
		observation.stop,
		watchIdleness(race, dialogs.alongside(session), limits.idleTimeoutMs),
		watchTools(race, dialogs.alongside(session), limits.toolTimeoutMs),
		watchOutput(race, { events: session, collector, sessionFile: sessionPlace.file }),
	];
	try {
		const conversing = converse({
			session,
			record,
			...equipment,
			redact: services.redactor.redact,
			isOver: () => decided.signal.aborted,
		}).then(
			(cause) => race.declare(cause),
			(error) => race.declare(crashOf(error, sessionPlace.file)),
		);
		await race.first;
		// Wait for both: before its first model call, a prompt does not notice an abort.
		const settled = await withinPatience(Promise.all([session.abort(), conversing]));
		steering.observe(session.sessionManager);
		asking?.observe(session.sessionManager);
		session.dispose();
		return { settled, context: observation.context() };
	} finally {
		for (const stop of stopWatching) stop();
	}
}

function endLeftoversOf({ sessionId, plan }: ClaimedRun, onNotice: WorkServices["onNotice"]): void {
	endLeftovers({ id: sessionId, tools: plan.tools }, (trouble) => onNotice(trouble, "warning"));
}

/** Waits for the child to stop, for a limited time. */
async function withinPatience(rest: Promise<unknown>): Promise<boolean> {
	const { promise: tooLong, resolve } = Promise.withResolvers<false>();
	const patience = setTimeout(() => resolve(false), SETTLE_MS);
	// A child that fails to start, or to stop, has stopped anyway.
	const atRest = rest.then(
		() => true,
		() => true,
	);
	const settled = await Promise.race([atRest, tooLong]);
	clearTimeout(patience);
	return settled;
}

function setupCause(error: unknown, { session }: LaunchPlan): EndCause {
	if (error instanceof RingUnavailable) {
		const { message } = error;
		return { kind: "refused", error: { code: "SUBAGENT_DISABLED", message, reason: "sandbox_unavailable" } };
	}
	if (!(error instanceof SetupFailed))
		return crashOf(error, session.file, `The subagent could not be started: ${messageOf(error)}`);
	return { kind: "refused", error: { code: "SUBAGENT_FAILED", message: error.message, reason: "setup" } };
}
