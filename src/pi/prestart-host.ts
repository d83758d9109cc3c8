import type { ExtensionAPI, ExtensionContext, MessageUpdateEvent } from "@earendil-works/pi-coding-agent";
import type { Config } from "../config/config.ts";
import { rehearse } from "../operate/rehearse.ts";
import type { RingedPlan } from "../supervise/host-profiles.ts";
import type { UserDecisions } from "./delegation-setup.ts";
import { parentFacts } from "./parent-facts.ts";
import { parentLog } from "./parent-log.ts";
import type { SessionServices } from "./session-services.ts";

/** After this time, the model's request is on its way, and the process is idle. */
const WHEN_IDLE_MS = 200;

/**
 * If we looked for a host this recently, it is still there or on its way. Another look at the ledger is not worth it.
 */
const JUST_PREPARED_MS = 5000;

/** The tools whose calls need a host. */
const DELEGATING: ReadonlySet<string> = new Set(["subagent", "sessions_spawn"]);

export interface Prestart {
	/**
	 * A turn begins: a host can start while the model thinks. Not in one-shot modes, most of which never delegate, and only
	 * for the first turn of a session.
	 */
	turnBegins(ctx: ExtensionContext): void;
	/** The model writes. Once it begins to write a call that needs a host, one is started in every mode. */
	modelWrites(event: MessageUpdateEvent, ctx: ExtensionContext): void;
}

/** Prepares what a delegation needs before its call is complete, so that the call finds it ready. */
export function prestartHost(pi: ExtensionAPI, services: SessionServices): Prestart {
	let isRehearsed = false;
	/** The start time of the assistant message for which a host was last prepared. */
	let preparedFor: number | undefined;
	let preparedAt = Number.NEGATIVE_INFINITY;
	// A hint only: the call itself looks for a host too, and reports problems.
	const onFailure = (error: unknown) => parentLog.warn("nothing could be prepared ahead", { error });
	const prepare = (ctx: ExtensionContext, rehearseInMs: number) => {
		if (performance.now() - preparedAt < JUST_PREPARED_MS) return;
		preparedAt = performance.now();
		services.use(ctx, async ({ supervisor, config }) => supervisor.prepare(likely(config))).catch(onFailure);
		if (isRehearsed) return;
		isRehearsed = true;
		setTimeout(() => rehearseOnce(pi, services, ctx).catch(onFailure), rehearseInMs).unref();
	};
	return {
		turnBegins(ctx) {
			if (!isRehearsed && ctx.hasUI) prepare(ctx, WHEN_IDLE_MS);
		},
		modelWrites({ message, assistantMessageEvent: written }, ctx) {
			// The first event of a call may come without the tool's name.
			if (written.type !== "toolcall_start" && written.type !== "toolcall_delta") return;
			if (message.timestamp === preparedFor) return;
			const part = written.partial.content[written.contentIndex];
			if (part?.type !== "toolCall" || !DELEGATING.has(part.name)) return;
			preparedFor = message.timestamp;
			prepare(ctx, 0);
		},
	};
}

/** Most runs only read. */
const likely = ({ subagents: { sandbox, hooks } }: Config): RingedPlan => ({
	sandbox: { mode: sandbox.mode, write: "none" },
	...(hooks.stop && { stopHook: hooks.stop }),
});

/** The user is not asked about a plan that was only made ahead. */
const NOBODY_ASKED: UserDecisions = { approveProjectAgent: async () => "nobody", askToWrite: async () => "not_asked" };

/** Rehearses a delegation, so that the code and files for the first real one are already read and compiled. */
async function rehearseOnce(pi: ExtensionAPI, services: SessionServices, ctx: ExtensionContext): Promise<void> {
	if (services.isClosing) return;
	await services.use(ctx, async (available) => {
		available.supervisor.lookAhead();
		await rehearse(parentFacts(pi, ctx, NOBODY_ASKED), available);
	});
}
