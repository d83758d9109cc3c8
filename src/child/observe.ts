import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { ToolUses } from "../log/tool-uses.ts";
import { type ContextUse, FINALIZE_TOOL } from "../run/outcome.ts";
import type { Equipment } from "./equipment.ts";
import type { Assignment } from "./work.ts";

/** How much of the child's latest text is kept, in case its host dies. */
const MOST_KEPT = 64 * 1024;

export interface Observation {
	/** How full the child's context was after its last answer. */
	context(): ContextUse | undefined;
	stop(): void;
}

/** Follows a child's events: counts usage, keeps what other parts need, and informs the watchers. */
export function observe(
	session: AgentSession,
	{ collector, corrections, steering, asking, provider, decided, totalUsage }: Equipment,
	{ record, services, race }: Assignment,
): Observation {
	let context: ContextUse | undefined;
	const toolUses = new ToolUses((use) => services.onToolUse(use));
	const stop = session.subscribe((event) => {
		// First: right after this, pi writes the message into the session file.
		services.assertLeaseHeld();
		collector.take(event);
		// Events during teardown say nothing about why the run ended.
		if (!decided.signal.aborted) collector.lastEvent = event.type;
		steering.observe(session.sessionManager);
		asking?.observe(session.sessionManager);
		if (event.type === "auto_retry_start" || event.type === "summarization_retry_scheduled") {
			provider.retried();
			services.onRetry(event.attempt);
		}
		if (event.type === "tool_execution_start") toolUses.started(event);
		if (event.type === "tool_execution_end") toolUses.ended(event);
		if (event.type === "message_end" && event.message.role === "assistant") {
			if (event.message.stopReason !== "error") provider.answered();
			const said = collector.said(MOST_KEPT);
			const { model } = collector;
			services.onTurn({ usage: totalUsage(), ...(said && { said }), ...(model !== undefined && { model }) });
			context = contextUse(session);
		}
		if (event.type === "compaction_end" && event.result) {
			provider.answered();
			services.onTurn({ usage: totalUsage() });
		}
		// pi itself answers a malformed call. Count it like any other wrong call: otherwise a model that never gets it
		// right would be asked forever.
		if (event.type === "tool_execution_end" && event.toolName === FINALIZE_TOOL && event.isError) {
			const problem = `its arguments were not valid (${firstLineOfResult(event.result)})`;
			if (!corrections.take(problem)) race.declare({ kind: "not_finalized", problem });
		}
		services.onProgress(() => ({
			displayItems: collector.latest,
			usage: totalUsage(),
			turnCount: totalUsage().turns,
			...(collector.model !== undefined && { model: services.redactor.redact(collector.model) }),
			startedAt: record.run.startedAt,
			...(context && { context }),
		}));
	});
	return { context: () => context, stop };
}

/** The first line of a tool's result. */
function firstLineOfResult(result: unknown): string {
	const { content } = (result ?? {}) as { content?: { text?: unknown }[] };
	const text = Array.isArray(content) ? content[0]?.text : undefined;
	return typeof text === "string" ? (text.split("\n", 1)[0] ?? "") : "no reason was given";
}

function contextUse(session: AgentSession): ContextUse | undefined {
	const usage = session.getContextUsage();
	return usage?.tokens ? { tokens: usage.tokens, window: usage.contextWindow } : undefined;
}
