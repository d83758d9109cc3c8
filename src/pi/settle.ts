import type { ExtensionContext, TurnEndEvent } from "@earendil-works/pi-coding-agent";
import { runToldBy, toldOnDisk } from "../deliver/transcript.ts";
import { settleDeliveries } from "../ledger/deliveries.ts";
import type { Announcer } from "./announcer.ts";
import type { SessionServices } from "./session-services.ts";

/** Pays the debts of runs whose outcome a tool returned: at the end of a turn its results are entries of the session. */
export async function settleToolResults(
	event: TurnEndEvent,
	ctx: ExtensionContext,
	{ services, announcer }: { services: SessionServices; announcer: Announcer },
): Promise<void> {
	const delivered = event.toolResults.flatMap(({ toolName, details }) => runToldBy(toolName, details) ?? []);
	if (delivered.length === 0) return;
	await services.use(ctx, async ({ ledger, log }) => {
		// Told, whatever goes wrong with writing that down: the next look does it.
		for (const id of delivered) announcer.awaited(id);
		const onDisk = toldOnDisk(ctx.sessionManager);
		for (const id of settleDeliveries(
			ledger,
			delivered.filter((id) => onDisk.has(id)),
			Date.now(),
		)) {
			log.info("answered", { runId: id, session: ctx.sessionManager.getSessionId() });
		}
	});
}
