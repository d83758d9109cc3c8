import type { ChangeDone } from "../../operate/apply.ts";
import type { Stopped } from "../../operate/stop.ts";

/** A question of a child, or of an extension in it. */
export interface OpenQuestion {
	/** Opaque. The page sends it back with the answer. */
	questionId: string;
	kind: "confirm" | "select" | "input";
	title: string;
	message?: string;
	/** Only for a select. */
	options?: string[];
	placeholder?: string;
}

export interface AnswerBody {
	questionId: string;
	/** Text for an input, true or false for a confirm, the number of the chosen option for a select, null to decline. */
	answer: string | boolean | number | null;
}

/** taken: the answer counts. late: another user answered first, or the question is obsolete. */
export interface AnswerDone {
	status: "taken" | "late";
}

export interface SendBody {
	message: string;
}

export interface BranchBody {
	/** Absent: `usualBranch`. */
	name?: string;
}

export interface SendDone {
	status: "accepted";
	how: "steered" | "resumed";
	/** The run that has the message. It is not the named one if the session was resumed. */
	runId: string;
	/** False: no host has it yet. `note` says what happens then. */
	underway: boolean;
	note?: string;
}

export type ActionAnswers = {
	stop: Stopped;
	send: SendDone;
	answer: AnswerDone;
	apply: ChangeDone;
	undo: ChangeDone;
	branch: ChangeDone;
	discard: ChangeDone;
};
