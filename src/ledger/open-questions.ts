import type { RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import { parsedLine } from "../run/json-line.ts";
import type { ChildQuestion } from "../run/question.ts";
import { redactedBefore } from "../run/redacted.ts";
import type { Ledger } from "./ledger.ts";

/** The question that a run is waiting on. */
export function openQuestionOf(ledger: Ledger, runId: RunId): ChildQuestion | undefined {
	const sql = "SELECT question FROM questions WHERE run_id = ? AND state = 'open' ORDER BY seq DESC LIMIT 1";
	const row = ledger.get<{ question: string }>(sql, runId);
	return row && readQuestion(row.question);
}

/** The open questions of a session's runs, oldest first. */
export function openQuestionsOf(ledger: Ledger, parentSession: string): number[] {
	const sql = "SELECT seq FROM questions WHERE parent_session = ? AND state = 'open' ORDER BY seq";
	return ledger.all<{ seq: number }>(sql, parentSession).map(({ seq }) => seq);
}

/** Part of the transaction that ends the run: no child waits for an answer any more. */
export function closeQuestionsInTransaction(ledger: Ledger, runId: string, at: number): void {
	const sql = `UPDATE questions SET state = 'declined', declined = 'ended', closed_at = ? WHERE run_id = ? AND state = 'open'`;
	ledger.run(sql, at, runId);
}

/** Its host redacted it before it was stored. */
export function readQuestion(stored: string): ChildQuestion {
	const words = parsedLine(stored);
	const question = isRecord(words) && typeof words.question === "string" ? words.question : "(cannot be read)";
	const options = isRecord(words) && Array.isArray(words.options) ? words.options.map(String) : undefined;
	return redactedBefore({ question, ...(options && { options }) });
}

/** The open questions of a run, oldest first, each with its number. */
export function openQuestionsOfRun(ledger: Ledger, runId: RunId): { seq: number; question: ChildQuestion }[] {
	const sql = "SELECT seq, question FROM questions WHERE run_id = ? AND state = 'open' ORDER BY seq";
	return ledger
		.all<{ seq: number; question: string }>(sql, runId)
		.map(({ seq, question }) => ({ seq, question: readQuestion(question) }));
}

/** How many runs wait for an answer. */
export const countAsking = (ledger: Ledger): number =>
	ledger.get<{ n: number }>("SELECT count(DISTINCT run_id) AS n FROM questions WHERE state = 'open'")?.n ?? 0;
