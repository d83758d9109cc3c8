import { randomUUID } from "node:crypto";
import type { Ledger } from "../ledger/ledger.ts";
import { requestStops } from "../ledger/progress.ts";
import { findRun, type RunRecord } from "../ledger/records.ts";
import { openRunIds, type RunScope } from "../ledger/run-list.ts";
import type { RunId } from "../run/ids.ts";
import type { StopRequest } from "../run/run.ts";

/**
 * The result of a stop request. The ledger keeps the request, and the run's host or another process that finds it ends the
 * run.
 */
export type Stopped = { runId: RunId; was: "open" | "stopping" | "ended" };

/** The requester. */
export type Stopper = Pick<StopRequest, "by" | "command">;

/** The user as the requester. Create one for each command or key press, and pass it for all runs that it stops. */
export const userStops = (by = "the user"): Stopper => ({ by, command: randomUUID() });

export function stopRun(ledger: Ledger, record: RunRecord, stopper: Stopper): Stopped {
	const [stopped] = stopRuns(ledger, [record], stopper);
	return stopped ?? { runId: record.run.id, was: "ended" };
}

/** Stops all unfinished runs in scope. */
export function stopAll(ledger: Ledger, scope: RunScope, stopper: Stopper): Stopped[] {
	const records = openRunIds(ledger, scope).flatMap((id) => findRun(ledger, id) ?? []);
	return stopRuns(ledger, records, stopper);
}

/** All in one transaction, because one report about everything that a command stopped waits for all of these runs. */
function stopRuns(ledger: Ledger, records: readonly RunRecord[], stopper: Stopper): Stopped[] {
	const open = records.filter(({ run }) => run.state !== "ended").map(({ run }) => run.id);
	const asked = open.length === 0 ? new Set() : requestStops(ledger, open, { at: Date.now(), ...stopper });
	return records.map(({ run }) => ({ runId: run.id, was: wasOf(run, asked.has(run.id)) }));
}

function wasOf(run: RunRecord["run"], wasAsked: boolean): Stopped["was"] {
	if (run.state === "ended" || !wasAsked) return "ended";
	return run.stop ? "stopping" : "open";
}
