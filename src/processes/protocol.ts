import { isRunId, type RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { ContextUse, DisplayItem } from "../run/outcome.ts";
import { isDisplayItem } from "../run/outcome-check.ts";
import type { Redacted } from "../run/redacted.ts";
import type { Usage } from "../run/usage.ts";

/**
 * The messages on a host's socket: one JSON value a line. All of them are hints that may get lost: a process that watches
 * looks at the ledger too.
 */
export type ToHost =
	| { type: "wake" } // There is something new in the ledger: a queued run, a stop request, a message.
	| { type: "ping" } // Answered with a pong: a process that listens may still not be able to work.
	// Quiet: without progress. User: there is a user here to answer questions. The latest message counts.
	| { type: "watch"; runId: RunId; quiet?: boolean; user?: boolean }
	// Like watch, from an observer: see Watchers. It is a separate message, so that an older host, which would treat an
	// observer as a watcher, ignores it.
	| { type: "observe"; runId: RunId }
	| { type: "answer"; runId: RunId; askId: number; answer?: Answer }
	| { type: "pass"; runId: RunId; askId: number }; // No user is here to answer: ask others, or decline.

export type FromHost = { type: "pong" } | OfRun;

/** What the watchers of a run hear. */
export type OfRun =
	| { type: "progress"; runId: RunId; progress: Progress }
	| { type: "started" | "ended" | "asks"; runId: RunId }
	| { type: "ask"; runId: RunId; askId: number; question: Question }
	| { type: "withdrawn"; runId: RunId; askId: number }; // Answered by another watcher, or obsolete.

/** A dialog that an extension in a child opens. */
export type Question =
	| { kind: "confirm"; title: Redacted; message: Redacted }
	| { kind: "select"; title: Redacted; options: Redacted[] }
	| { kind: "input"; title: Redacted; placeholder?: Redacted };

/** The text that the user entered; true or false for a confirm; the number of the chosen option; undefined if declined. */
export type Answer = string | boolean | number | undefined;

export interface Progress {
	displayItems: DisplayItem[];
	usage: Usage;
	turnCount: number;
	model?: Redacted;
	startedAt?: number;
	context?: ContextUse;
}

/** Undefined if a message does not have the shape above: the sender may have another version, or not be ours at all. */
export function asToHost(message: unknown): ToHost | undefined {
	if (!isRecord(message)) return undefined;
	const { type, runId, askId, answer, quiet, user } = message;
	if (type === "wake" || type === "ping") return { type };
	if (!isRun(runId)) return undefined;
	if (type === "watch") return { type, runId, quiet: quiet === true, user: user === true };
	if (type === "observe") return { type, runId };
	if (typeof askId !== "number") return undefined;
	if (type === "pass") return { type, runId, askId };
	if (type !== "answer") return undefined;
	if (answer === undefined) return { type, runId, askId };
	return isAnswerOfUser(answer) ? { type, runId, askId, answer } : undefined;
}

/** Hosts redact the texts before they send them. */
export function asFromHost(message: unknown): FromHost | undefined {
	if (!isRecord(message)) return undefined;
	const { type, runId, askId, question, progress } = message;
	if (type === "pong") return { type };
	if (!isRun(runId)) return undefined;
	if (type === "started" || type === "ended" || type === "asks") return { type, runId };
	if (type === "progress") return isProgress(progress) ? { type, runId, progress } : undefined;
	if (typeof askId !== "number") return undefined;
	if (type === "withdrawn") return { type, runId, askId };
	return type === "ask" && isQuestion(question) ? { type, runId, askId, question } : undefined;
}

const isRun = (id: unknown): id is RunId => typeof id === "string" && isRunId(id);
const isAnswerOfUser = (answer: unknown): answer is string | boolean | number =>
	typeof answer === "string" || typeof answer === "boolean" || typeof answer === "number";

function isQuestion(question: unknown): question is Question {
	if (!isRecord(question) || typeof question.title !== "string") return false;
	const { kind, message, options, placeholder } = question;
	if (kind === "confirm") return typeof message === "string";
	if (kind === "select") return Array.isArray(options) && options.every((option) => typeof option === "string");
	return kind === "input" && (placeholder === undefined || typeof placeholder === "string");
}

/** Checks the parts that are used unchecked. The code that draws the rest checks it there. */
export function isProgress(progress: unknown): progress is Progress {
	if (!isRecord(progress) || !isRecord(progress.usage) || typeof progress.turnCount !== "number") return false;
	return Array.isArray(progress.displayItems) && progress.displayItems.every(isDisplayItem);
}
