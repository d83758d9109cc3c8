import { randomUUID } from "node:crypto";
import type { Ledger } from "../ledger/ledger.ts";
import { requestStop } from "../ledger/progress.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { openRunIds, type RunScope } from "../ledger/run-list.ts";
import type { RunId } from "../run/ids.ts";
import type { StopRequest } from "../run/run.ts";

/** What became of a request to stop. It is kept in the ledger: whoever holds the run, or finds it, ends it. */
export type Stopped = { runId: RunId; was: "open" | "stopping" | "ended" };

/** Who asks. */
export type Stopper = Pick<StopRequest, "by" | "command">;

/** The user, with one command or key: make one for each, and pass it for all runs that it stops. */
export const userStops = (by = "the user"): Stopper => ({ by, command: randomUUID() });

export function stopRun(ledger: Ledger, { run }: RunRecord, stopper: Stopper): Stopped {
	if (run.state === "ended") return { runId: run.id, was: "ended" };
	const asked = requestStop(ledger, run.id, { at: Date.now(), ...stopper });
	if (!asked) return { runId: run.id, was: "ended" };
	return { runId: run.id, was: run.stop ? "stopping" : "open" };
}

/** All in scope that have not ended. */
export function stopAll(ledger: Ledger, scope: RunScope, stopper: Stopper): Stopped[] {
	return openRunIds(ledger, scope)
		.flatMap((id) => findRun(ledger, id) ?? [])
		.map((record) => stopRun(ledger, record, stopper));
}
