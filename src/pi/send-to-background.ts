import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { sendToBackground } from "../ledger/to-background.ts";
import { plural } from "../run/amounts.ts";
import { messageOf } from "../run/message-of.ts";
import type { SessionServices } from "./session-services.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** Sends the runs that the turn waits for to the background, and answers their calls. */
export async function sendCallsToBackground(
	ctx: ExtensionContext,
	{ calls, services }: { calls: WaitingCalls; services: SessionServices },
): Promise<void> {
	const waiting = calls.open.flatMap((call) => (call.runId === undefined ? [] : [{ call, id: call.runId }]));
	if (waiting.length === 0) {
		return void ctx.ui.notify(
			"The turn is not waiting for a subagent, so there is nothing to send to the background.",
			"info",
		);
	}
	try {
		const sent = await services.use(ctx, async ({ ledger }) =>
			sendToBackground(
				ledger,
				waiting.map(({ id }) => id),
			),
		);
		// Runs that have just finished answer their calls themselves.
		for (const { call, id } of waiting) if (sent.has(id)) call.leaveRun();
		if (sent.size > 0) ctx.ui.notify(`${plural(sent.size, "run")} sent to the background.`, "info");
	} catch (error) {
		ctx.ui.notify(`pi-geon could not send runs to the background: ${messageOf(error)}`, "error");
	}
}
