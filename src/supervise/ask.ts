import type { QuestionRecord } from "../ledger/questions.ts";
import type { Answer, Question } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";
import type { QuestionEnd } from "../run/question.ts";

/** There is no user here. Another watcher of the same run may have one. */
export const NO_USER = Symbol("no user");

/** Shows a question of a child's extension to the user. Resolves with undefined to decline. */
export type AskUser = (runId: RunId, question: Question, signal: AbortSignal) => Promise<Answer | typeof NO_USER>;

/** Asks the user a question of a child, until the signal says that it is obsolete. */
export type ShowQuestion = (
	asked: Pick<QuestionRecord, "seq" | "runId" | "question">,
	signal: AbortSignal,
) => Promise<QuestionEnd>;
