import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { REQUEST, RESPONSE } from "../../operate/requests.ts";
import { messageOf } from "../../run/message-of.ts";
import type { DelegationSetup } from "../delegation-setup.ts";
import { parentLog } from "../parent-log.ts";

/** Answers requests of other extensions on `pi.events`, for the open session. Loads the code at the first request. */
export function answerRequests(setup: DelegationSetup, over: AbortSignal): { begin(ctx: ExtensionContext): void } {
	const { pi } = setup;
	let session: ExtensionContext | undefined;
	const answer = async (given: unknown) => {
		if (!session || over.aborted) return;
		const { answerRequest } = await import("../lazy.ts");
		const response = await answerRequest(given, { setup, ctx: session, over });
		if (!response) parentLog.warn("a request of another extension has no id", { method: REQUEST });
		// After the end of the session, pi accepts no more events from us.
		else if (!over.aborted) pi.events.emit(RESPONSE, response);
	};
	pi.events.on(REQUEST, (given) => {
		answer(given).catch((error) => parentLog.error("cannot answer another extension", { error: messageOf(error) }));
	});
	return {
		begin(ctx) {
			session = ctx;
		},
	};
}
