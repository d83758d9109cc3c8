import type { Ledger } from "../ledger/ledger.ts";
import { recover } from "../processes/recover.ts";
import { systemPorts } from "../processes/system-ports.ts";
import { cliLog, redactorHere } from "./surroundings.ts";
import { endedHere } from "./traces-here.ts";

/** Releases the runs of dead hosts. If their parents died too, no other process does it before the next pi starts. */
export function recoverHere(ledger: Ledger): void {
	for (const runId of recover({ ledger, log: cliLog(redactorHere()), ports: systemPorts })) endedHere(runId, ledger);
}
