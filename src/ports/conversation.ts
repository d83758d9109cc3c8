import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { RunId } from "../run/ids.ts";
import type { Usage } from "../run/usage.ts";

/** A parent's session in the pi that has it open. */
export interface Conversation {
	readonly sessionId: string;
	/** Where it is saved; undefined if it is not. */
	readonly file: string | undefined;
	/** Whether pi stays after it has answered, so that a message can wake it. */
	readonly isInteractive: boolean;
	/** Whether pi has nothing to do, as far as it knows. */
	isIdle(): boolean;
	/** Whether pi has messages waiting that are not in the conversation yet. */
	hasPending(): boolean;
	/** All entries that pi has in its memory. */
	entries(): readonly SessionEntry[];
	/** Puts messages into the conversation, and starts one turn for all of them. */
	send(messages: readonly ConversationMessage[]): void;
	/** Puts a message into the conversation and starts no turn: the model reads it with the next prompt. */
	add(message: ConversationMessage): void;
	/** Adds the cost of announced runs to pi's own totals, each once. */
	countUsage(): void;
	/** The same for a run that is not announced: no entry of the conversation has its cost. */
	countUsageOf(run: SilentRun): void;
	/** Tells the user, not the model. */
	notify(text: string, kind: "info" | "warning" | "error"): void;
}

export interface ConversationMessage {
	customType: string;
	content: string;
	display: boolean;
	details: unknown;
}

/** The cost of a run that asked for silence. */
export interface SilentRun {
	runId: RunId;
	/** provider/id of the model that really answered. */
	model?: string;
	usage: Usage;
}
