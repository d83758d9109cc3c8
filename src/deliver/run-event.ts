import type { Outcome } from "../run/outcome.ts";
import type { RunView } from "./run-view.ts";

/** The event that other extensions receive on `pi.events` about a run of this session. */
export interface RunEvent extends Pick<RunView, "runId" | "sessionKey" | "agent" | "label" | "state"> {
	version: 1;
	/** From the end of the run on. */
	outcome?: Outcome;
}
