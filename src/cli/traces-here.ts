import { currentRedactor } from "../collect/redact/current-redactor.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunId } from "../run/ids.ts";
import { type RunTraces, runTraces } from "../traces/run-traces.ts";
import { agentDir, cliLog, redactorHere } from "./surroundings.ts";

/** As long as a host that leaves waits for a collector. */
const SENT_WITHIN_MS = 3000;

let traces: RunTraces | undefined;

/** Sends the spans of a run that this process ended because there was no host. */
export function endedHere(runId: RunId, ledger: Ledger): void {
	traces ??= runTraces({
		log: cliLog(redactorHere()),
		redactorFor: ({ principal, cwd }) => currentRedactor(agentDir(), { principal: principal.agentDir, cwd }),
	});
	traces?.ended(runId, ledger);
}

/** Waits for the spans for a limited time, at the end of a command: the user already has the answer. */
export const tracesSent = async (): Promise<void> => traces?.finish(SENT_WITHIN_MS);
