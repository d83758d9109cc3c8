import type { HostId } from "./ids.ts";
import type { Cause } from "./outcome.ts";
import type { Usage } from "./usage.ts";

/**
 * One try at a run: a claim by a host, or a retry by the same host, with the same or another model, after the model
 * provider failed.
 */
export interface Attempt {
	/** 1 is the first. */
	number: number;
	hostId: HostId;
	/** provider/id of the model that was asked; absent if none answered, or it is not known. */
	model?: string;
	startedAt: number;
	/** Absent while it lasts. */
	end?: { at: number; cause: AttemptCause };
	/**
	 * What it spent, as far as that was recorded. Absent while it lasts, and where it cannot be separated from earlier
	 * ones.
	 */
	usage?: Usage;
}

/** Why an attempt ended: the run ended with it, for this cause, or the run continued without it. */
export type AttemptCause = Cause | keyof typeof RUN_CONTINUED;

const RUN_CONTINUED = {
	/** The host died or fell silent, and the run was taken from it. */
	host_lost: true,
	/** The host left and gave the run back. */
	released: true,
	/** The model provider failed, and the host began another attempt. */
	tried_again: true,
	/** The model could not be used, and the host continued with the next one. */
	hopped: true,
	/** A newer pi-geon wrote a cause that this one does not know. */
	unknown: true,
} as const;

/** Whether a run continues after an attempt that ends for this cause. */
export const runContinued = (cause: string): cause is keyof typeof RUN_CONTINUED => Object.hasOwn(RUN_CONTINUED, cause);
