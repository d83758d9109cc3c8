import type { Ledger } from "../ledger/ledger.ts";
import { stopReport } from "../operate/report/stop.ts";
import { type Stopped, stopAll, stopRun, userStops } from "../operate/stop.ts";
import { systemPorts } from "../processes/system-ports.ts";
import { wakeHosts } from "../supervise/wake-hosts.ts";
import type { Call, Command, ExitCode } from "./command.ts";
import { withRunNamed } from "./named-run.ts";
import { recoverHere } from "./recover-here.ts";
import { SCOPE_OPTIONS, SCOPE_TAKES, scopeOf } from "./scope.ts";
import { cliLog, isInsideSubagent, ONLY_LOOKS, redactorHere, withLedger } from "./surroundings.ts";

const BY = "the user, with pi-geon stop";

export const stop: Command = {
	name: "stop",
	takes: `<run|all> ${SCOPE_TAKES}`,
	does: "stop a run, or all open ones; each conversation gets one line about it",
	words: [1, 1],
	completes: "runs",
	options: SCOPE_OPTIONS,
	async run(call) {
		const { words, options, out } = call;
		if (isInsideSubagent()) return out.failed(ONLY_LOOKS);
		if (words[0] !== "all") {
			return withRunNamed(call, (record, ledger) =>
				reportStopped(call, ledger, [stopRun(ledger, record, userStops(BY))]),
			);
		}
		const ended = await withLedger((ledger) =>
			reportStopped(call, ledger, stopAll(ledger, scopeOf(options, ledger), userStops(BY))),
		);
		if (ended !== undefined) return ended;
		if (out.isJson) out.document({ stopped: [] });
		else out.lines(stopReport([]));
		return 0;
	},
};

async function reportStopped({ out }: Call, ledger: Ledger, stopped: Stopped[]): Promise<ExitCode> {
	const log = cliLog(redactorHere());
	for (const { runId } of stopped.filter(({ was }) => was === "open")) log.info("stop requested", { runId, by: BY });
	// Do not wait for heartbeats: this makes hosts end their runs now, and ends queued runs here.
	await wakeHosts(ledger, systemPorts);
	recoverHere(ledger);
	if (out.isJson) out.document({ stopped });
	else out.lines(stopReport(stopped));
	return 0;
}
