import type { Services } from "../delegate.ts";
import { type ChildSessionRow, childSessionsOf } from "../ledger/child-sessions.ts";
import { waitingMessages } from "../ledger/inbox.ts";
import { findRun, type RunMode, type RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import { sessionKey } from "../run/ids.ts";
import type { Outcome } from "../run/outcome.ts";
import type { RunState } from "../run/run.ts";
import type { Usage } from "../run/usage.ts";
import { excerpt, shorten } from "./excerpt.ts";
import { type ChildMessage, messagesIn, transcriptOf } from "./messages.ts";

const DEFAULT_ROWS = 20;
const MOST_ROWS = 100;
const MOST_MESSAGES = 20;
const TASK_CHARS = 200;
const MESSAGE_CHARS = 1000;
/** Of the messages of all rows together. */
const MESSAGE_BYTES = 30 * 1024;

export interface ListRequest {
	parentSession: string;
	kinds?: RunMode[];
	limit?: number;
	/** Only those that are open, or were within this time. */
	activeMinutes?: number;
	/** How many of the latest messages to show of each; none by default. */
	messageLimit?: number;
}

export interface SessionRow {
	sessionKey: string;
	sessionId: string;
	runId: string;
	agent: string;
	label?: string;
	kind: RunMode;
	state: RunState;
	/** How it ended. */
	status?: Outcome["status"];
	task: string;
	model: string;
	createdAt: string;
	startedAt?: string;
	endedAt?: string;
	usage: Usage;
	transcript?: string;
	archived?: true;
	/** Sent to it, and not taken in. */
	messagesWaiting?: number;
	messages?: ChildMessage[];
}

export interface SessionList {
	sessions: SessionRow[];
	/** How many there are, shown or not. */
	total: number;
}

/** The child sessions of a parent session, newest first, each with the run that tells its state. */
export function listSessions(request: ListRequest, services: Pick<Services, "ledger" | "redactor">): SessionList {
	const { ledger } = services;
	const chosen = childSessionsOf(ledger, request.parentSession).filter((row) => isWanted(row, request));
	const limit = Math.min(Math.max(1, Math.floor(request.limit ?? DEFAULT_ROWS)), MOST_ROWS);
	let bytes = MESSAGE_BYTES;
	const sessions = chosen.slice(0, limit).flatMap(({ runId }) => {
		const record = findRun(ledger, runId);
		if (!record) return [];
		const row = rowOf(record, services);
		if (!request.messageLimit || bytes <= 0) return [row];
		const messages = latestMessages(record, { messages: request.messageLimit, bytes }, services);
		bytes -= Buffer.byteLength(JSON.stringify(messages));
		return [{ ...row, messages }];
	});
	return { sessions, total: chosen.length };
}

function isWanted({ mode, state, endedAt }: ChildSessionRow, { kinds, activeMinutes }: ListRequest): boolean {
	if (kinds && kinds.length > 0 && !kinds.includes(mode)) return false;
	if (activeMinutes === undefined || state !== "ended") return true;
	return (endedAt ?? 0) >= Date.now() - activeMinutes * 60_000;
}

function rowOf(record: RunRecord, { ledger, redactor }: Pick<Services, "ledger" | "redactor">): SessionRow {
	const { run, plan, sessionId, label } = record;
	const outcome = run.state === "ended" ? run.outcome : undefined;
	const session = findSession(ledger, sessionId) ?? plan.session;
	const transcript = transcriptOf(session);
	// An ended run takes nothing in any more: its outcome says what did not reach it.
	const waiting = outcome ? 0 : waitingMessages(ledger, run.id).length;
	return {
		sessionKey: sessionKey(plan.principal.id, sessionId),
		sessionId,
		runId: run.id,
		agent: plan.agent,
		...(label !== undefined && { label: redactor.redact(label) }),
		kind: record.mode,
		state: run.state,
		...(outcome && { status: outcome.status }),
		task: shorten(redactor.redact(plan.task), TASK_CHARS).text,
		model: outcome?.model ?? `${plan.model.provider}/${plan.model.id}`,
		createdAt: time(record.createdAt),
		...(run.startedAt !== undefined && { startedAt: time(run.startedAt) }),
		...(run.state === "ended" && { endedAt: time(run.endedAt) }),
		usage: outcome?.usage ?? record.usage,
		...(transcript !== undefined && { transcript: redactor.redact(transcript) }),
		...("archivedAt" in session && { archived: true as const }),
		...(waiting > 0 && { messagesWaiting: waiting }),
	};
}

function latestMessages(
	{ plan, sessionId }: RunRecord,
	limits: { messages: number; bytes: number },
	{ ledger, redactor }: Pick<Services, "ledger" | "redactor">,
): ChildMessage[] {
	const file = transcriptOf(findSession(ledger, sessionId) ?? plan.session);
	if (file === undefined) return [];
	const messages = Math.min(Math.max(1, Math.floor(limits.messages)), MOST_MESSAGES);
	const said = messagesIn(file, { includeTools: false });
	return excerpt(said, { messages, chars: MESSAGE_CHARS, bytes: limits.bytes }, redactor).messages;
}

const time = (at: number): string => new Date(at).toISOString();
