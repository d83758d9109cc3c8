import type { Run } from "./run.ts";

/**
 * What a user sees of a run. Derived whenever it is shown, never stored.
 *
 * - queued: for a place in the lane, or for the run before it in its session.
 * - running: a host has it.
 * - stopping: a stop was requested.
 */
export type Phase = "queued" | "running" | "stopping" | "ended";

export function phaseOf(run: Run): Phase {
	if (run.state === "ended") return "ended";
	if (run.stop) return "stopping";
	return run.state;
}
