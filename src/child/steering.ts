import type { ExtensionContext, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { type InboxMessage, messagesHeldBy, STEERING, type SteeringDetails } from "../ledger/inbox.ts";
import { diskFiles } from "../ports/session-files.ts";
import type { RunId } from "../run/ids.ts";

type SessionManager = ExtensionContext["sessionManager"];

/** How the child of one run gets its messages, through its host. */
export interface Inbox {
	runId: RunId;
	waiting(): InboxMessage[];
	taken(seq: number): void;
}

export interface SteeringMessage {
	customType: typeof STEERING;
	content: string;
	display: true;
	details: SteeringDetails;
}

const FROM_PARENT = "A message from the agent that gave you your task:";
const FROM_USER = "A message from the user:";

/**
 * Brings messages to a running child. Messages are rows of the ledger, and the child's session shows which of them it
 * contains. The next host of the run can find out everything that this object knows, so no message is lost or given twice.
 */
export class Steering {
	readonly #inbox: Inbox;
	readonly #isOver: () => boolean;
	/** Given to pi, but not yet seen in the session. */
	readonly #given = new Set<number>();

	/**
	 * `isOver`: the child has returned its answer, or is being stopped. Messages that still wait then are left for another
	 * run.
	 */
	constructor(inbox: Inbox, isOver: () => boolean) {
		this.#inbox = inbox;
		this.#isOver = isOver;
	}

	/** Gives the child its waiting messages at the end of a turn, before the next model call. */
	readonly guard: ExtensionFactory = (pi) => {
		pi.on("turn_end", ({ entries, outcome }, ctx) => {
			// After a failed call, it is unknown whether the model ever sees the message.
			if (this.#isOver() || outcome !== "completed") return;
			const messages = this.next(ctx.sessionManager);
			if (messages.length === 0) return;
			// The result of a handler replaces those of the handlers before it.
			const given = messages.map((message) => ({ type: "custom_message" as const, ...message }));
			return { entries: [...entries, ...given], continue: true };
		});
	};

	/** The messages that the session does not contain yet; the caller gives them to the child. */
	next(transcript: SessionManager): SteeringMessage[] {
		const waiting = this.#inbox.waiting();
		if (waiting.length === 0) return [];
		const held = messagesHeldBy(transcript.getBranch(), this.#inbox.runId);
		this.#settle(
			transcript,
			waiting.map(({ seq }) => seq).filter((seq) => held.has(seq)),
		);
		const missing = waiting.filter(({ seq }) => !held.has(seq));
		for (const { seq } of missing) this.#given.add(seq);
		return missing.map(({ seq, body, sender }) => ({
			customType: STEERING,
			content: `${sender === "user" ? FROM_USER : FROM_PARENT}\n\n${body}`,
			display: true,
			details: { seq, runId: this.#inbox.runId, ...(sender && { sender }) },
		}));
	}

	/** Call this whenever the session has changed. Marks the messages that it now contains. */
	observe(transcript: SessionManager): void {
		if (this.#given.size === 0) return;
		const held = messagesHeldBy(transcript.getBranch(), this.#inbox.runId);
		this.#settle(
			transcript,
			[...this.#given].filter((seq) => held.has(seq)),
		);
	}

	#settle(transcript: SessionManager, seqs: number[]): void {
		if (seqs.length === 0) return;
		const file = transcript.getSessionFile();
		if (file !== undefined) diskFiles.flush(file);
		for (const seq of seqs) {
			this.#inbox.taken(seq);
			this.#given.delete(seq);
		}
	}
}
