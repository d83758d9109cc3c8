import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Config } from "../config/config.ts";
import { planLaunch } from "../plan/launch.ts";
import type { RingedPlan } from "../supervise/host-profiles.ts";
import type { UserDecisions } from "./delegation-setup.ts";
import { parentFacts } from "./parent-facts.ts";
import { parentLog } from "./parent-log.ts";
import type { SessionServices } from "./session-services.ts";

/** By then the model has been asked, and the process has nothing to do. */
const WHEN_IDLE_MS = 200;

/**
 * Starts a host when the first turn of a session begins, while the model thinks about whom to ask: a delegation that
 * comes finds it ready. Not in one-shot modes, most of which never delegate, and not in sessions that never prompt.
 */
export function prestartHost(pi: ExtensionAPI, services: SessionServices): (ctx: ExtensionContext) => void {
	let done = false;
	return (ctx) => {
		if (done || !ctx.hasUI) return;
		done = true;
		// A hint only: whoever delegates looks for a host itself, and reports what is wrong with that.
		const onFailure = (error: unknown) => parentLog.warn("nothing could be prepared ahead", { error });
		services.use(ctx, async ({ supervisor, config }) => supervisor.prepare(likely(config))).catch(onFailure);
		const timer = setTimeout(() => planAhead(pi, services, ctx).catch(onFailure), WHEN_IDLE_MS);
		timer.unref();
	};
}

/** Most runs only read. */
const likely = ({ subagents: { sandbox, hooks } }: Config): RingedPlan => ({
	sandbox: { mode: sandbox.mode, write: "none" },
	...(hooks.stop && { stopHook: hooks.stop }),
});

/** The user hears nothing of a plan that nobody asked for. */
const NOBODY_ASKED: UserDecisions = { approveProjectAgent: async () => "nobody", askToWrite: async () => "not_asked" };

/** Makes a plan that nobody asked for, so that what the first one needs is read and compiled when that comes. */
async function planAhead(pi: ExtensionAPI, services: SessionServices, ctx: ExtensionContext): Promise<void> {
	if (services.isClosing) return;
	await services.use(ctx, async (available) => {
		const parent = parentFacts(pi, ctx, NOBODY_ASKED);
		await planLaunch({ agent: available.catalog.agents[0]?.name ?? "", task: "None." }, parent, available);
		available.redactor.redact("");
		available.supervisor.lookAhead();
	});
}
