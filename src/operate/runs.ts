import type { Redactor } from "../collect/redact/redactor.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { findRun, type RunMode, type RunRecord } from "../ledger/records.ts";
import { countRuns, listRunIds, numberOfRun, type RunCount, type RunScope } from "../ledger/run-list.ts";
import { findUnreadable, unreadableRuns } from "../ledger/unreadable.ts";
import { sessionKey } from "../run/ids.ts";
import type { Cause, Outcome } from "../run/outcome.ts";
import { type Phase, phaseOf } from "../run/phase.ts";
import type { Delivery, Run } from "../run/run.ts";
import type { Usage } from "../run/usage.ts";
import { shorten } from "./excerpt.ts";

const TASK_CHARS = 500;

/** How a run stands. */
export interface Standing {
	phase: Phase;
	/** How it ended. */
	status?: Outcome["status"];
	cause?: Cause;
	/** The reason of its error, for those who read these facts as JSON. */
	reason?: string;
}

/** One run, as lists show it. Redacted; texts may still hold line breaks and control characters. */
export interface RunSummary extends Standing {
	runId: string;
	/** Its number in its conversation. */
	number: number;
	agent: string;
	label?: string;
	task: string;
	kind: RunMode;
	delivery?: Delivery["state"];
	model: string;
	/** Milliseconds since 1970, like all times here. */
	createdAt: number;
	startedAt?: number;
	endedAt?: number;
	usage: Usage;
	sessionId: string;
	sessionKey: string;
	parentSession: string;
	cwd: string;
}

export interface RunList {
	runs: RunSummary[];
	/** How many there are, shown or not. */
	count: RunCount;
	/** Those of which the ledger's record cannot be read, and why; absent if there is none. */
	unreadable?: { runId: string; problem: string }[];
}

export interface Sources {
	ledger: Ledger;
	redactor: Redactor;
}

/** The runs in scope: open ones first, the newest first. */
export function listRuns(request: RunScope & { limit: number }, sources: Sources): RunList {
	const { ledger } = sources;
	const ids = listRunIds(ledger, request, request.limit);
	const records = ids.flatMap((id) => findRun(ledger, id) ?? []);
	const count = countRuns(ledger, request);
	const missing = Math.min(request.limit, count.total) - records.length;
	const named = missing > 0 ? ids.flatMap((id) => findUnreadable(ledger, id) ?? []) : [];
	// One whose id or state cannot be read either is found by no list.
	const unreadable = missing > named.length ? unreadableRuns(ledger) : named;
	return {
		runs: records.map((record) => summaryOf(record, sources)),
		count,
		...(unreadable.length > 0 && { unreadable: unreadable.map(({ id, problem }) => ({ runId: id, problem })) }),
	};
}

export function summaryOf(record: RunRecord, { ledger, redactor }: Sources): RunSummary {
	const { run, plan, sessionId, label } = record;
	const outcome = run.state === "ended" ? run.outcome : undefined;
	const usage = outcome?.usage ?? record.usage;
	return {
		runId: run.id,
		number: numberOfRun(ledger, run.id) ?? 0,
		agent: plan.agent,
		...(label !== undefined && { label: redactor.redact(label) }),
		task: shorten(redactor.redact(plan.task), TASK_CHARS).text,
		kind: record.mode,
		...standingOf(run),
		...(run.state === "ended" && { delivery: run.delivery.state }),
		model: outcome?.model ?? `${plan.model.provider}/${plan.model.id}`,
		createdAt: record.createdAt,
		...(run.startedAt !== undefined && { startedAt: run.startedAt }),
		...(run.state === "ended" && { endedAt: run.endedAt }),
		usage,
		sessionId,
		sessionKey: sessionKey(plan.principal.id, sessionId),
		parentSession: record.parentSession,
		cwd: redactor.redact(plan.cwd),
	};
}

export function standingOf(run: Run): Standing {
	const phase = phaseOf(run);
	if (run.state !== "ended") return { phase };
	const { outcome } = run;
	const reason = outcome.status === "success" ? undefined : outcome.error.reason;
	return { phase, status: outcome.status, cause: outcome.cause, ...(reason !== undefined && { reason }) };
}
