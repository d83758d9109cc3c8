import type { Outcome } from "../run/outcome.ts";

/** What other extensions hear on `pi.events` about the runs of this session. */
export interface RunEvent {
	version: 1;
	runId: string;
	sessionKey: string;
	agent: string;
	label?: string;
	state: "queued" | "running" | "ended";
	/** From its end on. */
	outcome?: Outcome;
}
