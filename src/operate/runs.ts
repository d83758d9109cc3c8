import type { Redactor } from "../collect/redact/redactor.ts";
import { pick, type RunView, type Standing, viewOf } from "../deliver/run-view.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { openQuestionOf } from "../ledger/open-questions.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { countRuns, listRunIds, numberOfRun, type RunCount, type RunScope } from "../ledger/run-list.ts";
import { findUnreadable, unreadableRuns } from "../ledger/unreadable.ts";
import { headOfText } from "./excerpt.ts";
import { type InQueue, lookAtQueue, type QueueLook } from "./queue-position.ts";

const TASK_CHARS = 500;

/** One run, as lists show it. */
export interface RunSummary
	extends Standing,
		InQueue,
		Pick<RunView, "runId" | "agent" | "label" | "task" | "kind" | "delivery" | "model" | "usage">,
		Pick<RunView, "createdAt" | "startedAt" | "endedAt" | "sessionId" | "sessionKey" | "parentSession" | "cwd"> {
	/** Its number in its conversation. */
	number: number;
}

export interface RunList {
	runs: RunSummary[];
	/** How many there are, shown or not. */
	count: RunCount;
	/** Runs whose record in the ledger cannot be read, and why; absent if there are none. */
	unreadable?: { runId: string; problem: string }[];
}

export interface RunSources {
	ledger: Ledger;
	redactor: Redactor;
}

/** The runs in scope: open ones first, each group newest first. */
export function listRuns(request: RunScope & { limit: number }, sources: RunSources): RunList {
	const { ledger } = sources;
	const ids = listRunIds(ledger, request, request.limit);
	const records = ids.flatMap((id) => findRun(ledger, id) ?? []);
	const count = countRuns(ledger, request);
	const missing = Math.min(request.limit, count.total) - records.length;
	const named = missing > 0 ? ids.flatMap((id) => findUnreadable(ledger, id) ?? []) : [];
	// A run whose id or state cannot be read is in no list, so search all rows.
	const unreadable = missing > named.length ? unreadableRuns(ledger) : named;
	const inQueue = lookAtQueue(ledger);
	return {
		runs: records.map((record) => summaryOf(record, sources, inQueue)),
		count,
		...(unreadable.length > 0 && { unreadable: unreadable.map(({ id, problem }) => ({ runId: id, problem })) }),
	};
}

/** `inQueue`: one look at the queue for all runs of a list. */
export function summaryOf(record: RunRecord, sources: RunSources, inQueue?: QueueLook): RunSummary {
	return summarized(viewOf(record, sources.redactor), sources, inQueue);
}

export function summarized(
	view: RunView,
	{ ledger }: Pick<RunSources, "ledger">,
	inQueue: QueueLook = lookAtQueue(ledger),
): RunSummary {
	const asked = view.phase === "ended" ? undefined : openQuestionOf(ledger, view.runId);
	return {
		...pick(view, ["runId"]),
		number: numberOfRun(ledger, view.runId) ?? 0,
		...pick(view, ["agent", "label"]),
		task: headOfText(view.task, TASK_CHARS),
		...pick(view, [
			"kind",
			"phase",
			"status",
			"cause",
			"reason",
			"delivery",
			"model",
			"createdAt",
			"startedAt",
			"endedAt",
			"away",
		]),
		...pick(view, ["usage", "sessionId", "sessionKey", "parentSession", "cwd"]),
		...inQueue(view),
		...(asked && { asks: asked.question }),
	};
}
