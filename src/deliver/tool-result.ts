import { existsSync } from "node:fs";
import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import type { Redactor } from "../collect/redact/redactor.ts";
import type { Progress } from "../host/protocol.ts";
import type { EndedRecord, RunRecord } from "../ledger/records.ts";
import type { Refusal, SubagentError, SubagentErrorCode } from "../run/errors.ts";
import type { FailureOutcome } from "../run/outcome.ts";
import { NO_USAGE, type Usage } from "../run/usage.ts";
import type { SingleResult, SubagentDetails } from "./details.ts";
import { shownToModel } from "./whole-answer.ts";

export type SubagentResult = AgentToolResult<SubagentDetails>;

/** An ended run as the tool result the parent's model reads. Failures are results too. */
export function toolResult(record: EndedRecord, redactor: Redactor): SubagentResult {
	const { plan, run, sessionId } = record;
	const { outcome } = run;
	const sessionFile = existsSync(plan.session.file) ? plan.session.file : undefined;
	const result: SingleResult = {
		agent: plan.agent,
		task: redactor.redact(plan.task),
		exitCode: outcome.exitCode,
		usage: outcome.usage,
		...(outcome.status !== "success" && { error: redactor.redact(outcome.error.message) }),
		...(outcome.warnings.length > 0 && { warnings: redactor.redactValue(outcome.warnings) }),
		...(sessionFile && { sessionFile }),
		...(outcome.output !== undefined && { output: outcome.output }),
		displayItems: outcome.displayItems,
		...(outcome.status !== "success" && outcome.timeoutReason && { timeoutReason: outcome.timeoutReason }),
		...(outcome.status !== "success" && outcome.lastEvent !== undefined && { lastEvent: outcome.lastEvent }),
		...(outcome.model !== undefined && { model: outcome.model }),
		attempts: outcome.attempts,
		...(run.startedAt !== undefined && { durationMs: run.endedAt - run.startedAt }),
		...(outcome.context && { context: outcome.context }),
	};
	const { text: shown, note } = shownToModel(outcome.output ?? "", record);
	const body = outcome.status === "success" ? shown : failureText(plan.agent, outcome, { partial: shown, sessionFile });
	const error = outcome.status === "success" ? note && truncationOf(note) : outcome.error;
	const status = outcome.status === "success" ? "SUCCESS" : outcome.status === "timeout" ? "TIMEOUT" : "ERROR";
	const header = [
		`**Status:** ${status}`,
		`**Session ID:** ${sessionId}`,
		...outcome.warnings.map((warning) => `**Warning:** ${warning}`),
	].join("\n");
	return {
		// What a host handed over is redacted already; what was written here, or in place of a host, is not.
		content: [{ type: "text", text: redactor.redact(`${header}\n\n${body}`) }],
		details: {
			mode: "single",
			runId: run.id,
			sessionId,
			...(outcome.finalized && { finalized: outcome.finalized }),
			results: [result],
			...(error && { error: redactor.redactValue(error) }),
		},
		usage: piUsage(outcome.usage),
		// Where pi passes tool results on to scripts, a result that met a schema goes as data.
		...(outcome.finalized && "value" in outcome.finalized && { structuredContent: outcome.finalized.value }),
	};
}

/** A success whose answer is not all in the text. */
const truncationOf = (message: string): SubagentError => ({ code: "SUBAGENT_OUTPUT_TRUNCATED", message });

function failureText(
	agent: string,
	outcome: FailureOutcome,
	{ partial, sessionFile }: { partial: string; sessionFile: string | undefined },
): string {
	return [
		`${agent} did not finish (${outcome.error.code}, exit code ${outcome.exitCode}): ${outcome.error.message}`,
		outcome.lastEvent && `Last event of the subagent: ${outcome.lastEvent}`,
		partial && `Partial output:\n${partial}`,
		sessionFile && `Its session is in ${sessionFile}`,
	]
		.filter(Boolean)
		.join("\n\n");
}

/** Codes of requests that were turned down without regard to what was asked. */
const MANAGEMENT: SubagentErrorCode[] = ["SUBAGENT_DEPTH_EXCEEDED", "SUBAGENTS_DISABLED"];

export function refusalResult({ error }: Refusal): SubagentResult {
	return {
		content: [{ type: "text", text: error.message }],
		details: { mode: MANAGEMENT.includes(error.code) ? "management" : "single", results: [], error },
	};
}

/** A run at work, for the partial updates of the tool call. */
export function progressResult(record: RunRecord, progress: Progress): SubagentResult {
	return partial(record, lastActivity(progress), progress);
}

/** A run that waits its turn. */
export function queuedResult(record: RunRecord, waiting: { position: number; sessionBusy: boolean }): SubagentResult {
	const { position, sessionBusy } = waiting;
	const inLine = position === 0 ? "next in line" : `${position} before it`;
	const text = sessionBusy ? "Waiting: the session is busy with an earlier task." : `Waiting to start: ${inLine}.`;
	return partial(record, text, { displayItems: [], usage: NO_USAGE, turnCount: 0, queuePosition: position });
}

function partial(record: RunRecord, text: string, streaming: SubagentDetails["streaming"]): SubagentResult {
	return {
		content: [{ type: "text", text }],
		details: {
			mode: "single",
			runId: record.run.id,
			sessionId: record.sessionId,
			results: [],
			...(streaming && { streaming }),
		},
	};
}

function lastActivity({ displayItems }: Progress): string {
	const last = displayItems.at(-1);
	if (!last) return "Working.";
	return last.type === "text" ? last.text : `${last.name} ${JSON.stringify(last.args)}`;
}

/** What pi adds to its own session totals. */
export function piUsage(usage: Usage) {
	const { input, output, cacheRead, cacheWrite, cost } = usage;
	return {
		input,
		output,
		cacheRead,
		cacheWrite,
		totalTokens: input + output + cacheRead + cacheWrite,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
	};
}
