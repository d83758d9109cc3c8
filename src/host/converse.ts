import type { AgentSession } from "@earendil-works/pi-coding-agent";
import type { Collector } from "../collect/collector.ts";
import { type EndCause, FINALIZE_TOOL } from "../run/outcome.ts";
import type { Finalization } from "./finalize.ts";
import type { ClaimedRun } from "./work.ts";

/** Marks in the child's session file where a run begins, so that a later attempt knows whether its task was given. */
const TASK_MARK = "pi-geon:task";

export interface Conversation {
	session: AgentSession;
	record: ClaimedRun;
	collector: Collector;
	finalize: Finalization;
}

/** Gives the child its task and keeps at it until it has finalized, or shows that it will not. */
export async function converse({ session, record, collector, finalize }: Conversation): Promise<EndCause> {
	await say(session, firstWords(session, record));
	for (let corrections = 0; ; corrections++) {
		if (finalize.answer) return { kind: "finalized", finalized: finalize.answer };
		if (collector.lastStop?.reason === "error") {
			return { kind: "provider", message: collector.lastStop.errorMessage ?? "no reason was given" };
		}
		if (corrections === record.plan.limits.maxCorrections) return { kind: "not_finalized" };
		await say(session, CORRECTION);
	}
}

const CORRECTION =
	`You stopped without calling ${FINALIZE_TOOL}, so your answer has not been delivered. ` +
	`Call ${FINALIZE_TOOL} now: status SUCCESS with your complete answer as result, or status ERROR with what went wrong.`;

const INTERRUPTION =
	"The process you ran in was interrupted and your work continues in a new one. " +
	"What you did before the interruption is above; a tool call without a result may or may not have taken effect. " +
	`Go on with your task and end it with ${FINALIZE_TOOL}.`;

/** The task, or, where a host died after it was given, a note that goes on from there. */
function firstWords(session: AgentSession, record: ClaimedRun): string {
	const manager = session.sessionManager;
	const given = manager
		.getEntries()
		.some(
			(entry) => entry.type === "custom" && entry.customType === TASK_MARK && markedRun(entry.data) === record.run.id,
		);
	if (given) return INTERRUPTION;
	manager.appendCustomEntry(TASK_MARK, { runId: record.run.id });
	return record.plan.task;
}

const markedRun = (data: unknown): unknown =>
	typeof data === "object" && data !== null && "runId" in data ? data.runId : undefined;

/** A task that begins with a slash is a task, not a command. */
const say = (session: AgentSession, text: string): Promise<void> =>
	session.prompt(text, { expandPromptTemplates: false, source: "extension" });
