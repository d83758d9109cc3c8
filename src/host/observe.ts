import type { AgentSession } from "@earendil-works/pi-coding-agent";
import type { Collector } from "../collect/collector.ts";
import type { ContextUse } from "../run/outcome.ts";
import type { Usage } from "../run/usage.ts";
import type { Equipment } from "./equipment.ts";
import type { Progress } from "./protocol.ts";
import type { ClaimedRun, WorkServices } from "./work.ts";

/** Of what a child said last: enough to go by, should its host die. */
const MOST_KEPT = 64 * 1024;

export interface Observation {
	/** How full the child's context was after its last answer. */
	context(): ContextUse | undefined;
	stop(): void;
}

/** Follows a child's events: counts and keeps what is to be known of it, and tells who watches. */
export function observe(
	session: AgentSession,
	{ collector, steering, provider, totalUsage }: Equipment,
	{ record, services }: { record: ClaimedRun; services: WorkServices },
): Observation {
	const { redactor } = services;
	let context: ContextUse | undefined;
	const stop = session.subscribe((event) => {
		// First: right after this, pi writes the message into the session file.
		services.holdOn();
		collector.take(event);
		steering.observe(session.sessionManager);
		if (event.type === "auto_retry_start") {
			// Not at once: pi announces the retry before it can be called off.
			if (!provider.mayAnswerAgain()) setImmediate(() => session.abortRetry());
		}
		if (event.type === "message_end" && event.message.role === "assistant") {
			services.onUsage(totalUsage());
			if (collector.lastText) services.onSaid(redactor.redact(collector.lastText.slice(0, MOST_KEPT)));
			context = contextUse(session);
		}
		services.onProgress(() =>
			redactor.redactValue({
				...progressOf(collector, totalUsage()),
				startedAt: record.run.startedAt,
				...(context && { context }),
			}),
		);
	});
	return { context: () => context, stop };
}

function contextUse(session: AgentSession): ContextUse | undefined {
	const usage = session.getContextUsage();
	return usage?.tokens ? { tokens: usage.tokens, window: usage.contextWindow } : undefined;
}

/** What watchers see: the latest of it, since a snapshot is sent ten times a second. */
function progressOf(collector: Collector, usage: Usage): Progress {
	const latest = collector.displayItems
		.slice(-20)
		.map((item) => (item.type === "text" ? { ...item, text: item.text.slice(-2000) } : item));
	// Without its last word: a key that is only half written does not look like one yet.
	const writing = collector.streamingText.slice(-2000).replace(/\S*$/, "");
	return {
		displayItems: writing ? [...latest, { type: "text", text: writing }] : latest,
		usage,
		turnCount: usage.turns,
		...(collector.model !== undefined && { model: collector.model }),
	};
}
