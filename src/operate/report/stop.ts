import { plural } from "../../run/amounts.ts";
import type { Stopped } from "../stop.ts";

const RUNS_NAMED = 5;

/** The results of a stop request. */
export function stopReport(stopped: readonly Stopped[]): string[] {
	if (stopped.length === 0) return ["Nothing to stop: no run is open."];
	const ids = (was: Stopped["was"]) => stopped.filter((one) => one.was === was).map(({ runId }) => runId);
	const [open, stopping, ended] = [ids("open"), ids("stopping"), ids("ended")];
	return [
		...(open.length > 0 ? [`Stopping ${plural(open.length, "run")}: ${named(open)}.`] : []),
		...(stopping.length > 0 ? [`Already stopping: ${named(stopping)}.`] : []),
		...(ended.length > 0 ? [`Already finished: ${named(ended)}. Nothing was changed.`] : []),
	];
}

function named(ids: string[]): string {
	const more = ids.length - RUNS_NAMED;
	return more > 0 ? `${ids.slice(0, RUNS_NAMED).join(", ")} and ${more} more` : ids.join(", ");
}
