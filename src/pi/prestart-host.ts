import type { ExtensionAPI, ExtensionContext, MessageUpdateEvent } from "@earendil-works/pi-coding-agent";
import type { Config } from "../config/config.ts";
import { rehearse } from "../operate/rehearse.ts";
import type { RingedPlan } from "../supervise/host-profiles.ts";
import type { UserDecisions } from "./delegation-setup.ts";
import { parentFacts } from "./parent-facts.ts";
import { parentLog } from "./parent-log.ts";
import type { SessionServices } from "./session-services.ts";

/** After this time, the model's request has been sent, and the process is idle. */
const WHEN_IDLE_MS = 200;

/**
 * If we looked for a host this recently, it still exists or is starting, so another look at the ledger is not worth it.
 */
const JUST_PREPARED_MS = 5000;

/** The tools whose calls need a host. */
const DELEGATING: ReadonlySet<string> = new Set(["subagent", "sessions_spawn"]);

export interface Prestart {
	/**
	 * A turn begins, so a host can start while the model thinks. Does nothing in one-shot modes, which rarely delegate, and
	 * after the first turn of a session.
	 */
	turnBegins(ctx: ExtensionContext): void;
	/** The model writes. Once it begins a call that needs a host, this starts one, in every mode. */
	modelWrites(event: MessageUpdateEvent, ctx: ExtensionContext): void;
}

/** Prepares what a delegation needs before its call is complete, so that the call finds it ready. */
export function prestartHost(pi: ExtensionAPI, services: SessionServices): Prestart {
	let isRehearsed = false;
	/** The start time of the assistant message for which a host was last prepared. */
	let preparedFor: number | undefined;
	let preparedAt = Number.NEGATIVE_INFINITY;
	// Only log it: the call itself also looks for a host, and reports problems.
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

/** The most likely kind of run: one that only reads. */
const likely = ({ subagents: { sandbox, hooks } }: Config): RingedPlan => ({
	sandbox: { mode: sandbox.mode, write: "none" },
	...(hooks.stop && { stopHook: hooks.stop }),
});

/** A plan that is only made ahead does not ask the user. */
const NO_USER_DECISIONS: UserDecisions = {
	approveProjectAgent: async () => "nobody",
	askToWrite: async () => "not_asked",
};

/** Rehearses a delegation, so that the code and files for the first real one are already read and compiled. */
async function rehearseOnce(pi: ExtensionAPI, services: SessionServices, ctx: ExtensionContext): Promise<void> {
	if (services.isClosing) return;
	await services.use(ctx, async (available) => {
		available.supervisor.lookAhead();
		await rehearse(parentFacts(pi, ctx, NO_USER_DECISIONS), available);
	});
}
