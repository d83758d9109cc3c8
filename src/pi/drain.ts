import type {
	AgentBeforeSettleEvent,
	AgentBeforeSettleEventResult,
	ExtensionContext,
} from "@earendil-works/pi-coding-agent";
import { inOneLine } from "../collect/plain.ts";
import type { Services } from "../delegate.ts";
import type { Announcer } from "../deliver/announcer.ts";
import { findRun } from "../ledger/records.ts";
import { duration } from "../run/amounts.ts";
import type { RunId } from "../run/ids.ts";
import type { PiConversation } from "./pi-conversation.ts";
import { type SessionServices, wasEverUsed } from "./session-services.ts";

const PROGRESS_EVERY_MS = 5000;

/**
 * In one-shot modes pi would exit with its background runs unread. Before it settles, this waits for them and lets the
 * model answer their announces, up to `headless.drainSeconds`.
 */
export function headlessDrain(
	announcer: Announcer<PiConversation>,
	services: SessionServices,
	talkIn: (ctx: ExtensionContext) => PiConversation,
) {
	let deadline: number | undefined;
	return async (
		event: AgentBeforeSettleEvent,
		ctx: ExtensionContext,
	): Promise<AgentBeforeSettleEventResult | undefined> => {
		if (ctx.mode === "tui" || ctx.mode === "rpc" || event.outcome !== "completed") return undefined;
		if (!announcer.isConcerned || !wasEverUsed()) return undefined;
		return services.use(ctx, async (available) => {
			deadline ??= Date.now() + available.config.headless.drainSeconds * 1000;
			const announces = await nextAnnounces(announcer, talkIn(ctx), available, deadline);
			if (announces.length === 0) return undefined;
			return { entries: announces.map((announce) => ({ type: "custom_message", ...announce })), continue: true };
		});
	};
}

/** Those of the next runs to end; none if there is nothing to wait for, or no time left. */
async function nextAnnounces(
	announcer: Announcer<PiConversation>,
	talk: PiConversation,
	services: Services,
	deadline: number,
) {
	let nextReport = Date.now() + 1000;
	for (;;) {
		const { open, due } = await announcer.look(talk, services);
		const announces = announcer.take(talk, services, due);
		if (announces.length > 0) return announces;
		if (open.length === 0) return [];
		const ids = open.map(({ id }) => id);
		if (Date.now() >= deadline) {
			say(`still running: ${described(ids, services)}. ${whereToHear(talk)}`);
			return [];
		}
		if (Date.now() >= nextReport) {
			say(`waiting for ${described(ids, services)}, up to ${duration(deadline - Date.now())} more`);
			nextReport = Date.now() + PROGRESS_EVERY_MS;
		}
		await announcer.pause(Math.min(500, deadline - Date.now()));
	}
}

/** In one line, since it names labels that a model chose. */
const say = (text: string): boolean => process.stderr.write(`pi-geon: ${inOneLine(text)}\n`);

function described(ids: RunId[], { ledger }: Services): string {
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
