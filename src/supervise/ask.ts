import type { Answer, Question } from "../host/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** Puts a question of a child's extension before the user. Answers undefined to decline. */
export type AskUser = (runId: RunId, question: Question, signal: AbortSignal) => Promise<Answer>;
