import type { Ledger } from "../ledger/ledger.ts";
import { endQuestion, findQuestion } from "../ledger/questions.ts";
import type { RunId } from "../run/ids.ts";
import type { ChildQuestion, QuestionEnd } from "../run/question.ts";

/** How much of an answer a child gets. */
const LONGEST_ANSWER = 50_000;

/**
 * Records the answer to a child's question. False if the question is no longer open: the first answer counts. The caller
 * wakes the hosts afterwards.
 */
export function answerQuestion(
	ledger: Ledger,
	{ runId, seq, given, at }: { runId: RunId; seq: number; given: unknown; at: number },
): boolean {
	const asked = findQuestion(ledger, seq);
	if (!asked || asked.runId !== runId || asked.end) return false;
	return endQuestion(ledger, seq, { end: questionEnd(asked.question, given), at });
}

/** An empty answer does not help a child, so it counts as no answer. */
export function questionEnd({ options }: ChildQuestion, given: unknown): QuestionEnd {
	const chosen = typeof given === "number" ? options?.[given] : undefined;
	if (typeof given === "number" && chosen !== undefined) return { answered: true, answer: chosen, option: given };
	if (typeof given !== "string" || given.trim() === "") return { answered: false, declined: "user" };
	if (given.length <= LONGEST_ANSWER) return { answered: true, answer: given };
	return { answered: true, answer: `${given.slice(0, LONGEST_ANSWER).toWellFormed()}… (cut)` };
}
