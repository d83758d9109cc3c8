import type { Answer, Question } from "../processes/protocol.ts";
import type { RunId } from "../run/ids.ts";

/** There is no user here. Another who watches the same run may have one. */
export const NOBODY = Symbol("nobody");

/** Puts a question of a child's extension before the user. Answers undefined to decline. */
export type AskUser = (runId: RunId, question: Question, signal: AbortSignal) => Promise<Answer | typeof NOBODY>;
