import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { inBackground } from "../plan/in-background.ts";
import type { RunId } from "../run/ids.ts";
import type { Cause, Outcome } from "../run/outcome.ts";
import { quoted } from "../run/quoted.ts";
import { ours, type Redacted, reshaped } from "../run/redacted.ts";
import type { EndedRun } from "../run/run.ts";
import { admitInTransaction, laneLimitOf } from "./admit.ts";
import type { Ledger } from "./ledger.ts";
import type { RunRecord } from "./records.ts";
import { currentBranch, entriesIn } from "./transcript.ts";

/** The type of a message's entry in the child's session. */
export const STEERING = "pi-geon:message";

/** A message that its run has not received yet. */
export interface InboxMessage {
	seq: number;
	body: string;
	/** Who wrote it: the user, or else the agent that gave the task. */
	sender?: MessageSender | null;
}

export type MessageSender = "user";

interface NewMessage {
	body: string;
	at: number;
	sender?: MessageSender | undefined;
}

/** Leaves a message for a run. Undefined if the run has finished or is unknown: it would never be read. */
export function sendToRun(ledger: Ledger, runId: RunId, message: NewMessage): number | undefined {
	const sql = `INSERT INTO inbox (run_id, body, created_at, sender)
		SELECT id, ?, ?, ? FROM runs WHERE id = ? AND state <> 'ended' RETURNING seq`;
	const { body, at, sender = null } = message;
	return ledger.transaction("full", () => ledger.get<{ seq: number }>(sql, body, at, sender, runId))?.seq;
}

export function waitingMessages(ledger: Ledger, runId: RunId): InboxMessage[] {
	return ledger.all<InboxMessage>(
		"SELECT seq, body, sender FROM inbox WHERE run_id = ? AND taken_at IS NULL ORDER BY seq",
		runId,
	);
}

/**
 * Marks a message as received, once the child's session file contains it: a crash before that repeats the message, but
 * never loses it. Checks the fence, because a host that lost the run wrote into a branch that is never continued.
 */
export function messageTaken(ledger: Ledger, taken: { seq: number; fence: number; at: number }): boolean {
	const sql = `UPDATE inbox SET taken_at = ? WHERE seq = ? AND taken_at IS NULL
		AND EXISTS (SELECT 1 FROM runs WHERE runs.id = inbox.run_id AND fence = ?)`;
	return ledger.transaction("full", () => ledger.run(sql, taken.at, taken.seq, taken.fence)) === 1;
}

/** The run that has a message now, and when that run received it, if it did. */
export function findMessage(ledger: Ledger, seq: number): { runId: RunId; takenAt?: number } | undefined {
	const sql = "SELECT run_id, taken_at FROM inbox WHERE seq = ?";
	const row = ledger.get<{ run_id: RunId; taken_at: number | null }>(sql, seq);
	return row && { runId: row.run_id, ...(row.taken_at !== null && { takenAt: row.taken_at }) };
}

/**
 * Kept with the entry. The number alone is not enough: once its run is removed, another message may get the same number.
 */
export interface SteeringDetails {
	seq: number;
	runId: RunId;
	sender?: MessageSender;
}

/** The messages to a run that a session holds, by their number. */
export function messagesHeldBy(branch: readonly SessionEntry[], runId: RunId): Set<unknown> {
	return new Set(
		branch.map((entry) => {
			if (entry.type !== "custom_message" || entry.customType !== STEERING) return undefined;
			const details = entry.details as Partial<SteeringDetails> | null | undefined;
			return details?.runId === runId ? details.seq : undefined;
		}),
	);
}

/**
 * Messages that their run did not receive become the task of another one, which continues in the same session under the
 * same plan. Part of the transaction that ends the run: there is no moment at which a message belongs to no run.
 */
export function followUpInTransaction(ledger: Ledger, record: RunRecord): void {
	const { run, plan } = record;
	if (run.state !== "ended") return;
	// The requester of a guest knows which messages the guest did not receive, and continues with them.
	if (plan.guest || !canContinue(run.outcome)) return;
	const waiting = notTakenIn(ledger, record, run.endedAt);
	if (waiting.length === 0) return;
	const next = admitInTransaction(ledger, {
		plan: {
			...inBackground(plan),
			task: waiting.map(({ body }) => body).join("\n\n"),
			// A run without a turn may have no session file yet, so it cannot count as missing.
			session: { ...plan.session, resumed: plan.session.resumed || run.outcome.usage.turns > 0 },
		},
		mode: "background",
		parentSession: record.parentSession,
		...(record.label !== undefined && { label: record.label }),
		profile: record.profile.digest,
		laneLimit: laneLimitOf(ledger, run.id),
		at: run.endedAt,
	});
	const move = "UPDATE inbox SET run_id = ?, taken_at = ? WHERE run_id = ? AND taken_at IS NULL";
	ledger.run(move, next.run.id, run.endedAt, run.id);
}

/** A line for each message that no run will get when this one ends like this, for the reader of the outcome. */
export function undelivered(ledger: Ledger, record: RunRecord, { endedAt, outcome }: EndedRun): Redacted[] {
	if (record.plan.guest || canContinue(outcome)) return [];
	return notTakenIn(ledger, record, endedAt).map(
		({ body }) =>
			ours`This message was not delivered, because the run ended first: ${reshaped(ledger.redact(body), quoted)}`,
	);
}

/** Checks the session file, because a host may have written a message into it and died before marking the message. */
function notTakenIn(ledger: Ledger, { run, plan }: RunRecord, at: number): InboxMessage[] {
	const waiting = waitingMessages(ledger, run.id);
	if (waiting.length === 0) return [];
	const held = heldOnDisk(ledger, plan.session.file, run.id);
	for (const { seq } of waiting) {
		if (held.has(seq)) ledger.run("UPDATE inbox SET taken_at = ? WHERE seq = ?", at, seq);
	}
	return waiting.filter(({ seq }) => !held.has(seq));
}

/** The messages that have reached the disk when this returns. */
function heldOnDisk({ files }: Ledger, file: string, runId: RunId): Set<unknown> {
	try {
		const held = messagesHeldBy(currentBranch(entriesIn(file, files)), runId);
		// A path that is not a file, or no longer one, holds no messages.
		if (held.size > 0) files.flush(file);
		return held;
	} catch (error) {
		if (error instanceof Error && "code" in error && UNREADABLE.has(error.code)) return new Set();
		throw error; // The process that wanted to end the run tries again.
	}
}

/** If the file is gone for good, the run that continues in it finds out. */
const UNREADABLE = new Set<unknown>(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EROFS"]);

/** A stopped run stays stopped, and a child that could not be started cannot continue either. */
const CAN_CONTINUE: Readonly<Record<Cause, boolean>> = {
	stopped: false,
	refused: false,
	finalized: true,
	reported_error: true,
	not_finalized: true,
	uncheckable: true,
	timeout: true,
	budget: true,
	output_limit: true,
	provider: true,
	crashed: true,
	not_harvested: true,
	lost: true,
	unreadable: true,
};

const canContinue = ({ cause }: Outcome): boolean => CAN_CONTINUE[cause];
