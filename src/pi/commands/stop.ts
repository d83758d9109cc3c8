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
	// Stop the runs first, so that those that the turn waits for are stopped by the user, and not by the end of their call.
	const report = await stopAllRuns(ctx, runs).finally(() => {
		// Stop the turn even if the ledger is in trouble.
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
			// Otherwise, hosts would find the request only at their next heartbeat.
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
