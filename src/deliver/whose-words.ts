import type { FailureCause, FailureOutcome } from "../run/outcome.ts";

/** Whether we write the message of such an ending from the first word to the last. Others quote the child, a provider or a program. */
const OURS: Readonly<Record<FailureCause, boolean>> = {
	timeout: true,
	stopped: true,
	budget: true,
	output_limit: true,
	lost: true,
	reported_error: false,
	not_finalized: false,
	uncheckable: false,
	provider: false,
	refused: false,
	crashed: false,
	// What git says of the tree names files, which the child named.
	not_harvested: false,
	unreadable: false,
};

export const isOurMessage = ({ cause }: FailureOutcome): boolean => OURS[cause];
