import { pick, type RunView, viewOf } from "../deliver/run-view.ts";
import { type ChildSessionRow, childSessionsOf } from "../ledger/child-sessions.ts";
import { waitingMessages } from "../ledger/inbox.ts";
import { openQuestionOf } from "../ledger/open-questions.ts";
import { findRun, type RunMode, type RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import type { Redacted } from "../run/redacted.ts";
import { excerpt, headOfText } from "./excerpt.ts";
import { type ChildMessage, messagesIn, transcriptOf, transcriptOfRun } from "./messages.ts";
import { type InQueue, lookAtQueue, type QueueLook } from "./queue-position.ts";
import type { RunSources } from "./runs.ts";

const DEFAULT_ROWS = 20;
const MOST_SESSIONS = 100;
const MOST_LISTED_MESSAGES = 20;
const LISTED_TASK_CHARS = 200;
const LISTED_MESSAGE_CHARS = 1000;
/** Limit for the messages of all rows together. */
const MESSAGE_BYTES = 30 * 1024;

export interface ListRequest {
	parentSession: string;
	kinds?: RunMode[];
	limit?: number;
	/** Only sessions that are open, or were within this time. */
	activeMinutes?: number;
	/** How many of the latest messages of each to show; none by default. */
	messageLimit?: number;
}

export interface SessionRow
	extends Pick<RunView, "sessionKey" | "sessionId" | "runId" | "agent" | "label" | "kind" | "state" | "status">,
		Pick<RunView, "task" | "model" | "usage">,
		InQueue {
	createdAt: string;
	startedAt?: string;
	endedAt?: string;
	transcript?: Redacted;
	archived?: true;
	/** Messages that it has not received yet. */
	messagesWaiting?: number;
	/** The question that it waits for the user to answer. */
	asks?: Redacted;
	/** Where a run of a pool is. */
	away?: RunView["away"];
	messages?: ChildMessage[];
}

export interface SessionList {
	sessions: SessionRow[];
	/** How many there are, shown or not. */
	total: number;
}

/** The child sessions of a parent session, newest first, each with the run that determines its state. */
export function listSessions(request: ListRequest, services: RunSources): SessionList {
	const { ledger } = services;
	const chosen = childSessionsOf(ledger, request.parentSession).filter((row) => isListed(row, request));
	const limit = Math.min(Math.max(1, Math.floor(request.limit ?? DEFAULT_ROWS)), MOST_SESSIONS);
	const inQueue = lookAtQueue(ledger);
	let bytes = MESSAGE_BYTES;
	const sessions = chosen.slice(0, limit).flatMap(({ runId }) => {
		const record = findRun(ledger, runId);
		if (!record) return [];
		const row = rowOf(record, services, inQueue);
		if (!request.messageLimit || bytes <= 0) return [row];
		const messages = latestMessages(record, { messages: request.messageLimit, bytes }, services);
		bytes -= Buffer.byteLength(JSON.stringify(messages));
		return [{ ...row, messages }];
	});
	return { sessions, total: chosen.length };
}

function isListed({ mode, state, endedAt }: ChildSessionRow, { kinds, activeMinutes }: ListRequest): boolean {
	if (kinds && kinds.length > 0 && !kinds.includes(mode)) return false;
	if (activeMinutes === undefined || state !== "ended") return true;
	return (endedAt ?? 0) >= Date.now() - activeMinutes * 60_000;
}

function rowOf(record: RunRecord, { ledger, redactor }: RunSources, inQueue: QueueLook): SessionRow {
	const view = viewOf(record, redactor);
	const { startedAt, endedAt } = view;
	const session = findSession(ledger, record.sessionId) ?? record.plan.session;
	const transcript = transcriptOf(session);
	// A finished run receives no more messages: its outcome says which did not reach it.
	const waiting = view.state === "ended" ? 0 : waitingMessages(ledger, view.runId).length;
	const asked = view.state === "ended" ? undefined : openQuestionOf(ledger, view.runId);
	return {
		...pick(view, ["sessionKey", "sessionId", "runId", "agent", "label", "kind", "state", "status"]),
		...inQueue(view),
		task: headOfText(view.task, LISTED_TASK_CHARS),
		model: view.model,
		createdAt: time(view.createdAt),
		...(startedAt !== undefined && { startedAt: time(startedAt) }),
		...(endedAt !== undefined && { endedAt: time(endedAt) }),
		usage: view.usage,
		...(transcript !== undefined && { transcript: redactor.redact(transcript) }),
		...("archivedAt" in session && { archived: true as const }),
		...(waiting > 0 && { messagesWaiting: waiting }),
		...(asked && { asks: headOfText(asked.question, LISTED_TASK_CHARS) }),
		...(view.away && { away: view.away }),
	};
}

function latestMessages(
	record: RunRecord,
	limits: { messages: number; bytes: number },
	{ ledger, redactor }: RunSources,
): ChildMessage[] {
	const file = transcriptOfRun(record, ledger);
	if (file === undefined) return [];
	const messages = Math.min(Math.max(1, Math.floor(limits.messages)), MOST_LISTED_MESSAGES);
	const said = messagesIn(file, { includeTools: false });
	return excerpt(said, { messages, chars: LISTED_MESSAGE_CHARS, bytes: limits.bytes }, redactor).messages;
}

const time = (at: number): string => new Date(at).toISOString();
