import type { FailureCause, FailureOutcome } from "../run/outcome.ts";

/** Whether we write the whole message of such an ending. Other messages quote the child, a provider or a program. */
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
	// git's message about the tree contains file names that the child chose.
	not_harvested: false,
	unreadable: false,
};

export const isOurMessage = ({ cause }: FailureOutcome): boolean => OURS[cause];
