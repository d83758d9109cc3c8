import type { AttemptCause } from "./attempt.ts";
import type { Cause } from "./outcome.ts";

/** How a run ended, in one or two words, wherever that is shown. */
export const ENDED: Readonly<Record<Cause, string>> = {
	finalized: "finished",
	timeout: "timed out",
	stopped: "stopped",
	lost: "lost",
	budget: "over budget",
	reported_error: "failed",
	not_finalized: "failed",
	uncheckable: "failed",
	output_limit: "failed",
	provider: "failed",
	refused: "failed",
	crashed: "failed",
	not_harvested: "failed",
	unreadable: "failed",
};

/** How one attempt of a run ended, in more detail. */
export const ATTEMPT_ENDED: Readonly<Record<AttemptCause, string>> = {
	finalized: "finished",
	reported_error: "reported an error",
	not_finalized: "stopped without a result",
	uncheckable: "its result could not be checked",
	timeout: "timed out",
	stopped: "stopped",
	budget: "over budget",
	output_limit: "wrote too much",
	provider: "the model provider failed",
	refused: "could not be started",
	crashed: "failed",
	not_harvested: "failed",
	lost: "lost",
	unreadable: "its record could not be read",
	host_lost: "its host died or went silent",
	released: "its host left",
	tried_again: "the model provider failed, tried again",
	hopped: "the model could not be used, another one continued",
	unknown: "ended",
};
