import type { Run } from "./run.ts";

/**
 * What a user sees of a run. Derived whenever it is shown, never stored.
 *
 * - waiting: for a place in the lane, or for the run before it in its session.
 * - starting: a host has it, and its child has not answered yet.
 * - working: its child has answered at least once.
 * - finalizing: its child is calling the tool that ends its work. Only the live events of its host tell.
 * - stopping: somebody asked for it to be stopped.
 */
export type Phase = "waiting" | "starting" | "working" | "finalizing" | "stopping" | "ended";

export function phaseOf(run: Run, { turns, isFinalizing = false }: { turns: number; isFinalizing?: boolean }): Phase {
	if (run.state === "ended") return "ended";
	if (run.stop) return "stopping";
	if (run.state === "queued") return "waiting";
	if (isFinalizing) return "finalizing";
	return turns > 0 ? "working" : "starting";
}
