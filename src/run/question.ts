import type { AllRedacted } from "./redacted.ts";

/** The tool with which a child asks the user, if its agent's file says `ask: true`. */
export const ASK_TOOL = "subagent_ask";

/** A child's question, redacted and without invisible characters. */
export type ChildQuestion = AllRedacted<QuestionWords>;

export interface QuestionWords {
	question: string;
	/** The answers to choose from. Absent: the user enters one. */
	options?: string[];
}

/**
 * Why a question has no answer.
 *
 * - user: the user closed the dialog, or entered nothing.
 * - nobody: no parent with a user was there when it was asked.
 * - time: the parent was closed or died, and was not opened again in time.
 * - ended: its run ended first.
 * - replaced: the next attempt of its run asked something else.
 */
export const DECLINE_CAUSES = ["user", "nobody", "time", "ended", "replaced"] as const;
export type DeclineCause = (typeof DECLINE_CAUSES)[number];

/** How a question ended. A chosen option is identified by its number, and by its words as they were shown. */
export type QuestionEnd =
	| { answered: true; answer: string; option?: number }
	| { answered: false; declined: DeclineCause };

export const isSameQuestion = (one: QuestionWords, other: QuestionWords): boolean =>
	one.question === other.question &&
	(one.options ?? []).length === (other.options ?? []).length &&
	(one.options ?? []).every((option, index) => option === other.options?.[index]);
