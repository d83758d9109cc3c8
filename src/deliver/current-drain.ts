import type { RunId } from "../run/ids.ts";
import type { Announce } from "./announce.ts";
import type { DeliveryState } from "./decide.ts";
import type { StoppedMessage } from "./stopped.ts";

/** A pi that is about to exit, and waits for the runs of its session. */
export interface Drain {
	deadline: number;
	/** Tells the user. */
	sayAwaited(open: readonly RunId[], forMs: number): void;
	sayLeft(open: readonly RunId[]): void;
}

/** What a draining pi puts into its conversation. */
export type DrainMessages = readonly (Announce | StoppedMessage)[];

/** The drain that is under way, if any. */
export class CurrentDrain {
	#drain: (Drain & { endWith(messages: DrainMessages): void }) | undefined;

	/** Resolves with the announces of the runs that finish next; with none if there is no time left. */
	begin(drain: Drain): Promise<DrainMessages> {
		const { promise, resolve } = Promise.withResolvers<DrainMessages>();
		this.#drain = { ...drain, endWith: resolve };
		return promise;
	}

	/** The drain as decisions see it; `sayAt` is when the user hears of it next. */
	stateUntil(sayAt: number): DeliveryState["drain"] {
		return this.#drain && { deadline: this.#drain.deadline, sayAt };
	}

	isOverdue(now: number): boolean {
		return this.#drain !== undefined && now >= this.#drain.deadline;
	}

	/** Ends the drain with these messages. */
	endWith(messages: DrainMessages): void {
		this.#drain?.endWith(messages);
		this.#drain = undefined;
	}

	sayAwaited(open: readonly RunId[], forMs: number): void {
		this.#drain?.sayAwaited(open, forMs);
	}

	sayLeft(open: readonly RunId[]): void {
		this.#drain?.sayLeft(open);
	}
}
