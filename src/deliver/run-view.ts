import type { Redactor } from "../collect/redact/redactor.ts";
import type { Away } from "../ledger/away.ts";
import type { RunMode, RunRecord } from "../ledger/records.ts";
import { hopInWords } from "../run/hop.ts";
import { type RunId, type SessionId, sessionKey } from "../run/ids.ts";
import type { Cause, Outcome } from "../run/outcome.ts";
import { type Phase, phaseOf } from "../run/phase.ts";
import type { Redacted } from "../run/redacted.ts";
import type { Delivery, Run, RunState, StopRequest } from "../run/run.ts";
import type { Usage } from "../run/usage.ts";

/** The current state of a run. */
export interface Standing {
	phase: Phase;
	/** How it ended. */
	status?: Outcome["status"];
	cause?: Cause;
	/** The reason of its error, for readers of these facts as JSON. */
	reason?: string;
	/** The question whose answer it waits for, if the caller has looked for one. */
	asks?: Redacted;
	/** Where a run of a pool is. */
	away?: AwayView;
}

/** Whether a run of a pool waits for a worker, or which worker has it. */
export interface AwayView {
	pool: Redacted;
	worker?: Redacted;
	since: number;
	/** Why this machine gets no news about it. */
	trouble?: Redacted;
}

/**
 * Everything that can be shown about a run. Lists, facts, events, results, announces and rows on the screen each show a part
 * of it. Texts may still contain line breaks and control characters.
 */
export interface RunView extends Standing {
	runId: RunId;
	sessionId: SessionId;
	sessionKey: string;
	/** The conversation that asked. */
	parentSession: string;
	principal: string;
	agent: string;
	label?: Redacted;
	task: Redacted;
	kind: RunMode;
	state: RunState;
	delivery?: Delivery["state"];
	deliveredAt?: number;
	/** provider/id of the model that answered, or else of the one that was chosen. */
	model: Redacted;
	usage: Usage;
	/** Milliseconds since 1970, like all times here. */
	createdAt: number;
	/** When it was first claimed. */
	startedAt?: number;
	endedAt?: number;
	attempt: number;
	maxAttempts: number;
	host?: string;
	stop?: StopRequest;
	cwd: Redacted;
	/** The file of the agent's definition. */
	agentFile: Redacted;
	/** What it lacks, as far as is known. */
	warnings: Redacted[];
	/** Its answer, or its latest text. */
	answer?: Redacted;
	error?: Redacted;
	exitCode?: number;
}

/**
 * Redacts texts of the request only when they are read: a task may be long, and many callers do not show it.
 */
export function viewOf(record: RunRecord, { redact }: Pick<Redactor, "redact">): RunView {
	const { run, plan, sessionId, label } = record;
	const ended = run.state === "ended" ? run : undefined;
	const outcome = ended?.outcome;
	return {
		...standingOf(run),
		away: record.away && awayOf(record.away, redact),
		runId: run.id,
		sessionId,
		sessionKey: sessionKey(plan.principal.id, sessionId),
		parentSession: record.parentSession,
		principal: plan.principal.id,
		agent: plan.agent,
		get label() {
			return label === undefined ? undefined : redact(label);
		},
		get task() {
			return redact(plan.task);
		},
		kind: record.mode,
		state: run.state,
		delivery: ended?.delivery.state,
		deliveredAt: ended && ended.delivery.state !== "owed" ? ended.delivery.at : undefined,
		get model() {
			return outcome?.model ?? redact(run.hops?.at(-1)?.to ?? `${plan.model.provider}/${plan.model.id}`);
		},
		usage: outcome?.usage ?? record.usage,
		createdAt: record.createdAt,
		startedAt: run.startedAt,
		endedAt: ended?.endedAt,
		attempt: run.attempt,
		maxAttempts: run.maxAttempts,
		host: run.state === "running" ? run.hostId : undefined,
		stop: run.stop,
		get cwd() {
			return redact(plan.cwd);
		},
		get agentFile() {
			return redact(plan.definition.file);
		},
		get warnings() {
			return outcome?.warnings ?? [...plan.warnings, ...(run.hops ?? []).map(hopInWords)].map(redact);
		},
		answer: outcome ? outcome.output : record.partial,
		error: outcome && outcome.status !== "success" ? outcome.error.message : undefined,
		exitCode: outcome?.exitCode,
	};
}

const awayOf = ({ pool, worker, since, trouble }: Away, redact: (text: string) => Redacted): AwayView => ({
	pool: redact(pool),
	...(worker !== undefined && { worker: redact(worker) }),
	since,
	...(trouble !== undefined && { trouble: redact(trouble) }),
});

function standingOf(run: Run): Standing {
	const phase = phaseOf(run);
	if (run.state !== "ended") return { phase };
	const { outcome } = run;
	const { status, cause } = outcome;
	return { phase, status, cause, reason: status === "success" ? undefined : outcome.error.reason };
}

/** The known ones among these facts of a view, in this order. */
export function pick<View extends object, Fact extends keyof View>(
	view: View,
	facts: readonly Fact[],
): Pick<View, Fact> {
	const known = facts.map((fact) => [fact, view[fact]] as const).filter(([, value]) => value !== undefined);
	return Object.fromEntries(known) as Pick<View, Fact>;
}
