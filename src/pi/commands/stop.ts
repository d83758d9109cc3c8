import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { stopReport } from "../../operate/report/stop.ts";
import { stopAll, stopRun, userStops } from "../../operate/stop.ts";
import type { CommandAnswer } from "./command.ts";
import type { RunsOfSession } from "./runs-of-session.ts";

/** `/stop`: the turn of the parent, and every run of this session. */
export async function stopEverything(
	args: string,
	ctx: ExtensionCommandContext,
	{ runs, onStopped }: { runs: RunsOfSession; onStopped: (ctx: ExtensionCommandContext) => void },
): Promise<CommandAnswer> {
	if (args.trim() !== "") {
		return {
			problem: "/stop takes no arguments: it stops everything. Nothing was done. For one run: /subagents stop <id|#>",
		};
	}
	const busy = !ctx.isIdle();
	// Runs first: then the user stops those that the turn waits for, and they are not left by their caller.
	const report = await stopAllRuns(ctx, runs).finally(() => {
		// The turn ends even if the ledger is in trouble.
		if (busy) ctx.abort();
		onStopped(ctx);
	});
	return [busy ? "The turn was stopped." : "No turn was running.", ...report];
}

/** Every run of this session. */
export function stopAllRuns(ctx: ExtensionCommandContext, runs: RunsOfSession): Promise<string[]> {
	return runs.use(
		ctx,
		({ ledger, supervisor }, scope) => {
			const stopped = stopAll(ledger, scope, userStops());
			// Hosts would find the request at their next heartbeat.
			supervisor.wake();
			return stopReport(stopped);
		},
		stopReport([]),
	);
}

export function stopOneRun(ctx: ExtensionCommandContext, runs: RunsOfSession, name: string): Promise<CommandAnswer> {
	return runs.withRun(ctx, name, (record, { ledger, supervisor }) => {
		const stopped = stopRun(ledger, record, userStops());
		supervisor.wake();
		return stopReport([stopped]);
	});
}
