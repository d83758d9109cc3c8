import type { RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import { type ChildQuestion, DECLINE_CAUSES, type QuestionEnd } from "../run/question.ts";
import type { Ledger } from "./ledger.ts";
import { readQuestion } from "./open-questions.ts";
import { type Claimable, type Claimer, claimRows } from "./process-claims.ts";

/** A question of a child, as the ledger has it. */
export interface QuestionRecord {
	seq: number;
	runId: RunId;
	question: ChildQuestion;
	createdAt: number;
	/** The claim of the process that shows it, or last showed it. Without a name: that process gave it back. */
	shower: { name?: string; until: number } | undefined;
	/** Undefined while it is open. */
	end: QuestionEnd | undefined;
}

/** A write by a host, which counts only while the run is its own. */
interface ByHost {
	fence: number;
	at: number;
}

/** Asks a question for a run. Undefined if the run no longer belongs to its host, or has a stop request. */
export function askQuestion(
	ledger: Ledger,
	runId: RunId,
	{ question, replaces, fence, at }: ByHost & { question: ChildQuestion; replaces?: number | undefined },
): number | undefined {
	const sql = `INSERT INTO questions (run_id, parent_session, state, created_at, question)
		SELECT id, parent_session, 'open', ?, ? FROM runs
		WHERE id = ? AND fence = ? AND state = 'running' AND stop_at IS NULL RETURNING seq`;
	return ledger.transaction("full", () => {
		const asked = ledger.get<{ seq: number }>(sql, at, JSON.stringify(question), runId, fence)?.seq;
		if (asked !== undefined && replaces !== undefined) {
			closeInTransaction(ledger, replaces, { end: { answered: false, declined: "replaced" }, at });
		}
		return asked;
	});
}

export function findQuestion(ledger: Ledger, seq: number): QuestionRecord | undefined {
	const row = ledger.get<QuestionRow>("SELECT * FROM questions WHERE seq = ?", seq);
	return row && toQuestion(row);
}

/** The last question of a run, unless the child's session holds how it ended. */
export function untakenQuestion(ledger: Ledger, runId: RunId): QuestionRecord | undefined {
	const row = ledger.get<QuestionRow>("SELECT * FROM questions WHERE run_id = ? ORDER BY seq DESC LIMIT 1", runId);
	return row && row.taken_at === null ? toQuestion(row) : undefined;
}

/**
 * Claims questions for the process that shows them: only one of two processes with the same session open shows a question.
 */
export const takeQuestions = (ledger: Ledger, seqs: readonly number[], by: Claimer): Set<number> =>
	claimRows(ledger, SHOWN, seqs, by);

const SHOWN: Claimable = {
	held: "SELECT shower AS name, shower_until AS until FROM questions WHERE seq = ? AND state = 'open'",
	take: "UPDATE questions SET shower = ?, shower_until = ? WHERE seq = ?",
};

/** Gives back the questions that a process shows. The time until which it held them stays recorded. */
export function returnQuestions(ledger: Ledger, shower: string, parentSession: string): void {
	const sql = "UPDATE questions SET shower = NULL WHERE parent_session = ? AND state = 'open' AND shower = ?";
	ledger.transaction("normal", () => ledger.run(sql, parentSession, shower));
}

/** Records the user's answer. False if the question had finished already. */
export function endQuestion(ledger: Ledger, seq: number, { end, at }: { end: QuestionEnd; at: number }): boolean {
	return ledger.transaction("full", () => closeInTransaction(ledger, seq, { end, at }));
}

/**
 * The host of the run declines a question that no parent shows. Does nothing if a parent has begun to show it by now.
 */
export function declineUnseen(
	ledger: Ledger,
	{ seq, shower }: Pick<QuestionRecord, "seq" | "shower">,
	{ end, fence, at }: ByHost & { end: QuestionEnd },
): boolean {
	const isAsSeen = `SELECT 1 FROM questions JOIN runs ON runs.id = questions.run_id
		WHERE questions.seq = ? AND shower IS ? AND shower_until IS ? AND fence = ?`;
	return ledger.transaction("full", () => {
		if (!ledger.get(isAsSeen, seq, shower?.name ?? null, shower?.until ?? null, fence)) return false;
		return closeInTransaction(ledger, seq, { end, at });
	});
}

/**
 * Marks the end of a question as received, once the child's session file contains it: a crash before that repeats the end,
 * but never loses it.
 */
export function questionTaken(ledger: Ledger, seq: number, { fence, at }: ByHost): boolean {
	const sql = `UPDATE questions SET taken_at = ? WHERE seq = ? AND taken_at IS NULL
		AND EXISTS (SELECT 1 FROM runs WHERE runs.id = questions.run_id AND fence = ?)`;
	return ledger.transaction("full", () => ledger.run(sql, at, seq, fence)) === 1;
}

function closeInTransaction(ledger: Ledger, seq: number, { end, at }: { end: QuestionEnd; at: number }): boolean {
	const sql = `UPDATE questions SET state = ?, declined = ?, answer = ?, closed_at = ? WHERE seq = ? AND state = 'open'`;
	const values = end.answered
		? ["answered", null, JSON.stringify({ answer: end.answer, option: end.option })]
		: ["declined", end.declined, null];
	return ledger.run(sql, ...values, at, seq) === 1;
}

interface QuestionRow {
	seq: number;
	run_id: RunId;
	state: "open" | "answered" | "declined";
	declined: string | null;
	created_at: number;
	shower: string | null;
	shower_until: number | null;
	taken_at: number | null;
	question: string;
	answer: string | null;
}

function toQuestion(row: QuestionRow): QuestionRecord {
	const { shower, shower_until: until } = row;
	return {
		seq: row.seq,
		runId: row.run_id,
		question: readQuestion(row.question),
		createdAt: row.created_at,
		shower: until === null ? undefined : { until, ...(shower !== null && { name: shower }) },
		end: questionEndIn(row),
	};
}

/** A row comes from a file, and may be damaged: an unreadable one counts as unanswered. */
function questionEndIn({ state, declined, answer }: QuestionRow): QuestionEnd | undefined {
	if (state === "open") return undefined;
	const given = state === "answered" ? parsedLine(answer ?? "null") : undefined;
	if (isRecord(given) && typeof given.answer === "string") {
		const { option } = given;
		return { answered: true, answer: given.answer, ...(typeof option === "number" && { option }) };
	}
	return { answered: false, declined: DECLINE_CAUSES.find((cause) => cause === declined) ?? "ended" };
}
