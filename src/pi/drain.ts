import type {
	AgentBeforeSettleEvent,
	AgentBeforeSettleEventResult,
	ExtensionContext,
} from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import type { Services } from "../delegate.ts";
import { ANNOUNCE } from "../deliver/announce.ts";
import type { Announcer } from "../deliver/announcer.ts";
import { findRun } from "../ledger/records.ts";
import type { Clock } from "../ports/clock.ts";
import { duration } from "../run/amounts.ts";
import type { RunId } from "../run/ids.ts";
import type { PiConversation } from "./pi-conversation.ts";
import { type SessionServices, wasEverUsed } from "./session-services.ts";

/**
 * In one-shot modes, pi would exit before it receives the reports of its background runs. This waits for them before pi
 * settles, up to `headless.drainSeconds`, and lets the model answer their announces.
 */
export function headlessDrain(
	announcer: Announcer<PiConversation>,
	services: SessionServices,
	talkIn: (ctx: ExtensionContext) => PiConversation,
	clock: Clock,
) {
	let deadline: number | undefined;
	return async (
		event: AgentBeforeSettleEvent,
		ctx: ExtensionContext,
	): Promise<AgentBeforeSettleEventResult | undefined> => {
		if (ctx.mode === "tui" || ctx.mode === "rpc" || event.outcome !== "completed") return undefined;
		if (!announcer.isConcerned || !wasEverUsed()) return undefined;
		const talk = talkIn(ctx);
		return services.use(ctx, async (available) => {
			deadline ??= clock.elapsed() + available.config.headless.drainSeconds * 1000;
			const messages = await announcer.drain(talk, {
				deadline,
				sayAwaited: (open, forMs) =>
					tellUser(`waiting for ${namesOfRuns(open, available)}, up to ${duration(forMs)} more`),
				sayLeft: (open) => tellUser(`still running: ${namesOfRuns(open, available)}. ${whereToHear(talk)}`),
			});
			if (messages.length === 0) return undefined;
			const entries = messages.map((message) => ({ type: "custom_message" as const, ...message }));
			// Runs that the user stopped are not a reason for another answer of the model.
			return { entries, continue: messages.some(({ customType }) => customType === ANNOUNCE) };
		});
	};
}

/** In one line, since it contains labels that a model chose. */
const tellUser = (text: string): void => {
	process.stderr.write(`pi-geon: ${inOneLine(text)}\n`);
};

function namesOfRuns(ids: readonly RunId[], { ledger }: Services): string {
	const names = ids.slice(0, 3).map((id) => {
		const record = findRun(ledger, id);
		return `${record?.label ?? record?.plan.agent ?? "run"} ${id} (${record?.run.state ?? "gone"})`;
	});
	const more = ids.length - names.length;
	return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

function whereToHear({ file }: PiConversation): string {
	return file === undefined
		? "Their answers stay in the ledger: this session is not kept."
		: `Their answers will be in this session when it is opened again: pi --session ${file}`;
}
