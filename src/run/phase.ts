import type { Run } from "./run.ts";

/**
 * What a user sees of a run. Derived whenever it is shown, never stored.
 *
 * - waiting: for a place in the lane, or for the run before it in its session.
 * - starting: a host has it, and its child has not answered yet.
 * - working: its child has answered at least once.
 * - stopping: somebody asked for it to be stopped.
 */
export type Phase = "waiting" | "starting" | "working" | "stopping" | "ended";

export function phaseOf(run: Run, { turns }: { turns: number }): Phase {
	if (run.state === "ended") return "ended";
	if (run.stop) return "stopping";
	if (run.state === "queued") return "waiting";
	return turns > 0 ? "working" : "starting";
}
