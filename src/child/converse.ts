import type { AgentSession } from "@earendil-works/pi-coding-agent";
import type { Collector } from "../collect/collector.ts";
import { inOneLine } from "../collect/plain.ts";
import { type EndCause, FINALIZE_TOOL } from "../run/outcome.ts";
import { type Redacted, reshaped } from "../run/redacted.ts";
import { TASK_MARK } from "../run/task-mark.ts";
import type { Asking } from "./ask.ts";
import type { Attempts } from "./attempts.ts";
import { exhaustedBudget, type Spending } from "./budget.ts";
import type { Corrections } from "./corrections.ts";
import { crashOf } from "./crash.ts";
import type { Finalization } from "./finalize.ts";
import type { ForkFit } from "./fork-fit.ts";
import type { ModelLine, Unusable } from "./model-line.ts";
import type { ProviderWatch } from "./provider-watch.ts";
import { failedWriteOf } from "./session-file.ts";
import type { Steering } from "./steering.ts";
import type { ClaimedRun } from "./work.ts";

export interface ChildTalk {
	session: AgentSession;
	record: ClaimedRun;
	collector: Collector;
	finalize: Finalization;
	corrections: Corrections;
	provider: ProviderWatch;
	attempts: Attempts;
	models: ModelLine;
	redact: (text: string) => Redacted;
	spending: () => Spending;
	/** Whether the run has finished, for any reason: the child then gets no more messages. */
	isOver: () => boolean;
	steering: Steering;
	fork?: ForkFit;
	asking?: Asking;
}

/** Gives the child its task, and prompts it again until it has finalized or no attempts or corrections are left. */
export async function converse(conversation: ChildTalk): Promise<EndCause> {
	const { session, collector, finalize, corrections, provider, attempts } = conversation;
	const early = await fitFork(conversation);
	if (early) return early;
	const words = firstPrompt(conversation);
	// Only now is the spending of earlier attempts known.
	const limit = exhaustedBudget(conversation.record.plan.limits, conversation.spending());
	if (limit !== undefined) return { kind: "budget", limit };
	await say(conversation, words);
	for (;;) {
		const { answer } = finalize;
		if (answer?.status === "SUCCESS") return { kind: "finalized", finalized: answer };
		if (answer) return { kind: "reported_error", finalized: answer };
		if (collector.lastStop?.reason === "error") {
			const unwritten = failedWriteOf(session.sessionManager);
			if (unwritten) {
				const { file } = conversation.record.plan.session;
				return crashOf(unwritten, file, `The session file cannot be written: ${unwritten.message}`);
			}
			// pi's own retries of this request have run out, or pi considers the failure final.
			if (await continueWithNextModel(conversation)) {
				await say(conversation, MODEL_CHANGED);
				continue;
			}
			if (conversation.isOver() || !provider.mayPass(retriesAreOn(session)) || !attempts.next()) {
				return { kind: "provider", message: collector.lastStop.errorMessage ?? "no reason was given" };
			}
			await say(conversation, PROVIDER_FAILED);
			continue;
		}
		if (!corrections.take(corrections.lastProblem)) {
			return { kind: "not_finalized", problem: corrections.lastProblem };
		}
		await say(conversation, CORRECTION);
	}
}

/**
 * Makes the copy that the session begins with fit the model's window before the task is given. A child is not started
 * without the conversation that it was asked to know: its task may be one sentence that means nothing by itself.
 */
async function fitFork(conversation: ChildTalk): Promise<EndCause | undefined> {
	const { session, record, provider, attempts, fork, isOver } = conversation;
	if (!fork || session.sessionManager.getBranch().some(isMark)) return undefined;
	for (;;) {
		const problem = await fork.fit(session, record.plan.task);
		if (isOver()) throw new Error("The run has finished.");
		if (!problem) return undefined;
		const message = `${problem.message}. Compact the conversation (/compact), or start the subagent with context "fresh".`;
		if (problem.why === "size") {
			const error = {
				code: "SUBAGENT_FAILED",
				message: `It was not started: ${message}`,
				reason: "fork_too_large",
			} as const;
			return { kind: "refused", error };
		}
		if (await continueWithNextModel(conversation)) continue;
		if (isOver() || !provider.mayPass(retriesAreOn(session)) || !attempts.next()) return { kind: "provider", message };
	}
}

/** Comes before another attempt with the same model, because the next model may answer at once. */
async function continueWithNextModel({ session, provider, models, isOver, ...talk }: ChildTalk): Promise<boolean> {
	if (isOver()) return false;
	const why = provider.whyUnusable ?? ((await models.lostCredentials()) ? "no_credentials" : undefined);
	if (why === undefined || !(await models.next(session, { why, ...providerMessage(talk) }))) return false;
	provider.changedModel();
	return true;
}

const LONGEST_SAID = 200;

/** The provider's message, in one line. The hop has the status too. */
function providerMessage({ collector, redact }: Pick<ChildTalk, "collector" | "redact">): Pick<Unusable, "said"> {
	const message = collector.lastStop?.errorMessage;
	if (message === undefined) return {};
	const said = reshaped(redact(message), (text) => {
		const line = inOneLine(text).replace(/^\d{3}:? /, "");
		return line.length > LONGEST_SAID ? `${line.slice(0, LONGEST_SAID).toWellFormed()}…` : line;
	});
	return said === "" ? {} : { said };
}

function retriesAreOn({ settingsManager }: AgentSession): boolean {
	const { enabled, maxRetries } = settingsManager.getRetrySettings();
	return enabled && maxRetries > 0;
}

const CORRECTION =
	`You stopped without a valid call of ${FINALIZE_TOOL}, so your answer has not been delivered. ` +
	`Call ${FINALIZE_TOOL} now: status SUCCESS with your complete answer as result, or status ERROR with what went wrong.`;

const PROVIDER_FAILED =
	"The model provider failed, and your work continues now. What you did before is above; do not repeat it. " +
	`Continue with your task and end it with ${FINALIZE_TOOL}.`;

const MODEL_CHANGED =
	"The model that worked on this cannot be used any more, and you continue in its place. What was done before is above; " +
	`do not repeat it. Continue with the task and end it with ${FINALIZE_TOOL}.`;

const INTERRUPTION =
	"The process you ran in was interrupted and your work continues in a new one. " +
	"What you did before the interruption is above; a tool call without a result may or may not have taken effect. " +
	`Continue with your task and end it with ${FINALIZE_TOOL}.`;

/** The task, or, if a host died after giving it, a note that the work continues. */
function firstPrompt({ session, record, collector, asking }: ChildTalk): string {
	const manager = session.sessionManager;
	const entries = manager.getBranch();
	const mark = entries.findIndex((entry) => entry.type === "custom" && isMarkOf(entry, record.run.id));
	if (mark === -1) {
		manager.appendCustomEntry(TASK_MARK, { runId: record.run.id });
		return record.plan.task;
	}
	// The text of an earlier attempt counts.
	const earlier = entries.slice(mark).filter((entry) => entry.type === "message");
	collector.recall(
		earlier.map(({ message }) => message),
		record.usage,
	);
	// If the host was killed between the mark and the task, the child knows nothing yet.
	const wasGiven = earlier.some(({ message }) => message.role === "user");
	return wasGiven ? `${INTERRUPTION}${asking?.recall(manager) ?? ""}` : record.plan.task;
}

/** The mark of any run of the session. */
const isMark = (entry: { type: string; customType?: unknown }): boolean =>
	entry.type === "custom" && entry.customType === TASK_MARK;

const isMarkOf = (entry: { type: string; customType: string; data?: unknown }, runId: string): boolean =>
	isMark(entry) &&
	typeof entry.data === "object" &&
	entry.data !== null &&
	"runId" in entry.data &&
	entry.data.runId === runId;

async function say({ session, steering, isOver }: ChildTalk, text: string): Promise<void> {
	if (isOver()) throw new Error("The run has finished.");
	// The prompt brings messages that were sent before the child began, or between two requests to its model.
	for (const message of steering.next(session.sessionManager)) {
		await session.sendCustomMessage(message, { deliverAs: "nextTurn" });
	}
	// A task that begins with a slash is a task, not a command.
	await session.prompt(text, { expandPromptTemplates: false, source: "extension" });
}
