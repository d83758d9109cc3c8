import { attemptsOf } from "../ledger/attempts.ts";
import { waitingMessages } from "../ledger/inbox.ts";
import type { RunRecord } from "../ledger/records.ts";
import { findSession } from "../ledger/sessions.ts";
import type { Limits } from "../plan/plan.ts";
import type { Attempt } from "../run/attempt.ts";
import type { StopRequest } from "../run/run.ts";
import { transcriptOf } from "./messages.ts";
import { type RunSummary, type Sources, summaryOf } from "./runs.ts";

/** All that is known of one run, redacted. */
export interface RunInfo extends RunSummary {
	/** What is told of its ending: the answer, or what went wrong. */
	answer?: string;
	error?: string;
	exitCode?: number;
	warnings: string[];
	attempt: number;
	maxAttempts: number;
	/** Those that are known: an older pi-geon recorded none. */
	attempts: Attempt[];
	host?: string;
	stop?: StopRequest;
	/** The effective tools, as they were frozen when the run was planned. */
	tools: string[];
	thinking?: string;
	limits: Limits;
	agentFile: string;
	principal: string;
	cleanup: "keep" | "delete";
	archivedAt?: number;
	deliveredAt?: number;
	/** Where the transcript is; absent if there is none. */
	transcript?: string;
	messagesWaiting: number;
}

export function infoOf(record: RunRecord, sources: Sources): RunInfo {
	const { ledger, redactor } = sources;
	const { run, plan, sessionId } = record;
	const session = findSession(ledger, sessionId);
	const transcript = transcriptOf(session ?? plan.session);
	const ended = run.state === "ended" ? run : undefined;
	const failure = ended && ended.outcome.status !== "success" ? ended.outcome.error : undefined;
	const answer = ended ? ended.outcome.output : record.partial;
	return {
		...summaryOf(record, sources),
		...(answer !== undefined && { answer: redactor.redact(answer) }),
		...(failure && { error: redactor.redact(failure.message) }),
		...(ended && { exitCode: ended.outcome.exitCode }),
		warnings: (ended?.outcome.warnings ?? plan.warnings).map((warning) => redactor.redact(warning)),
		attempt: run.attempt,
		maxAttempts: run.maxAttempts,
		attempts: attemptsOf(ledger, run.id).map(({ model, ...attempt }) => ({
			...attempt,
			...(model !== undefined && { model: redactor.redact(model) }),
		})),
		...(run.state === "running" && { host: run.hostId }),
		...(run.stop && { stop: run.stop }),
		tools: plan.tools,
		...(plan.thinking !== undefined && { thinking: plan.thinking }),
		limits: plan.limits,
		agentFile: redactor.redact(plan.definition.file),
		principal: plan.principal.id,
		cleanup: plan.afterwards.cleanup,
		...(session?.archivedAt !== undefined && { archivedAt: session.archivedAt }),
		...(ended && ended.delivery.state !== "owed" && { deliveredAt: ended.delivery.at }),
		...(transcript !== undefined && { transcript: redactor.redact(transcript) }),
		messagesWaiting: ended ? 0 : waitingMessages(ledger, run.id).length,
	};
}
