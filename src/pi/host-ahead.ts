import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { parentLog } from "./parent-log.ts";
import type { SessionServices } from "./session-services.ts";

/**
 * Starts a host when the first turn of a session begins, while the model thinks about whom to ask: a delegation that
 * comes finds it ready. Not in one-shot modes, most of which never delegate, and not in sessions that never prompt.
 */
export function hostAhead(services: SessionServices): (ctx: ExtensionContext) => void {
	let done = false;
	return (ctx) => {
		if (done || !ctx.hasUI) return;
		done = true;
		// A hint only: whoever delegates looks for a host itself, and reports what is wrong with that.
		services
			.use(ctx, async ({ supervisor }) => supervisor.prepare())
			.catch((error) => parentLog.warn("no host could be started ahead", { error }));
	};
}
