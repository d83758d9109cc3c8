import { existsSync } from "node:fs";
import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import { inLegibleLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import type { EndedRecord, RunRecord } from "../ledger/records.ts";
import type { Progress } from "../processes/protocol.ts";
import type { Refusal, SubagentError, SubagentErrorCode } from "../run/errors.ts";
import type { FailureOutcome } from "../run/outcome.ts";
import { joined, ours, type Redacted } from "../run/redacted.ts";
import { NO_USAGE, type Usage } from "../run/usage.ts";
import type { WhyQueued } from "../supervise/calls.ts";
import { changesText } from "./changes-text.ts";
import { type ChildsWords, childsWords } from "./childs-words.ts";
import type { SingleResult, SubagentDetails } from "./details.ts";
import { pick, viewOf } from "./run-view.ts";
import { type ScriptValue, scriptValue } from "./script-value.ts";
import { resultDetails } from "./stored-details.ts";
import { shownToModel } from "./whole-answer.ts";
import { isOurMessage } from "./whose-words.ts";

export interface SubagentResult extends AgentToolResult<SubagentDetails> {
	/** For scripts, where pi has them. */
	structuredContent?: ScriptValue;
}

/** An ended run as the tool result the parent's model reads. Failures are results too. */
export function toolResult(record: EndedRecord, redactor: Redactor): SubagentResult {
	const { plan, run, sessionId } = record;
	const { outcome } = run;
	const view = viewOf(record, redactor);
	const sessionFile = existsSync(plan.session.file) ? plan.session.file : undefined;
	const result: SingleResult = {
		...pick(view, ["agent", "task"]),
		exitCode: outcome.exitCode,
		cause: outcome.cause,
		...pick(view, ["usage", "error"]),
		...(outcome.warnings.length > 0 && { warnings: outcome.warnings }),
		...(sessionFile && { sessionFile }),
		...(outcome.output !== undefined && { output: outcome.output }),
		displayItems: outcome.displayItems,
		...(outcome.status !== "success" && outcome.timeoutReason && { timeoutReason: outcome.timeoutReason }),
		...(outcome.status !== "success" && outcome.lastEvent !== undefined && { lastEvent: outcome.lastEvent }),
		...(outcome.model !== undefined && { model: outcome.model }),
		attempts: outcome.attempts,
		...(run.startedAt !== undefined && { durationMs: run.endedAt - run.startedAt }),
		...(outcome.context && { context: outcome.context }),
		...(outcome.sandbox && { sandbox: outcome.sandbox }),
		...(outcome.changes && { changes: outcome.changes }),
	};
	const shown = shownToModel(outcome.output ?? ours``, record, redactor);
	const error = outcome.status === "success" ? shown.note && truncationOf(shown.note) : outcome.error;
	const words = childsWords();
	const said = [
		...(shown.text === "" ? [] : [words.around(shown.text)]),
		...(shown.whereabouts === undefined ? [] : [shown.whereabouts]),
	];
	const changes = changesText(record);
	const changed = changes ? [ours``, changes.sentence, ...(changes.files ? [words.around(changes.files)] : [])] : [];
	const place = sessionFile === undefined ? undefined : redactor.redact(sessionFile);
	const body =
		outcome.status === "success"
			? [words.sentence, ...said, ...changed]
			: failureText(outcome, {
					words,
					said,
					changed,
					quotes: said.length > 0 || changes?.files !== undefined,
					agent: redactor.redact(plan.agent),
					sessionFile: place,
				});
	const details = resultDetails({
		mode: "single",
		runId: run.id,
		sessionId,
		...(outcome.finalized && { finalized: outcome.finalized }),
		results: [result],
		...(error && { error }),
	});
	return {
		content: [{ type: "text", text: [headerOf(record), "", "---", "", ...body].join("\n") }],
		details,
		usage: piUsage(outcome.usage),
		structuredContent: scriptValue(details),
	};
}

/** A success whose answer does not fit into the text. */
const truncationOf = (message: string): SubagentError => ({ code: "SUBAGENT_OUTPUT_TRUNCATED", message });

/**
 * How the run ended, and in which session, for clients that do not show `details`. The warnings belong here because they are
 * our words; each is on one line, whatever it quotes. The rule below the header needs a blank line before it: otherwise,
 * markdown would take the last line for a heading.
 */
function headerOf({ run: { outcome }, sessionId }: EndedRecord): Redacted {
	const [first, ...others] = outcome.warnings.map(inLegibleLine);
	const lines = [
		ours`**Status:** ${STATUS_WORDS[outcome.status]}`,
		ours`**Session ID:** \`${sessionId}\``,
		...(first === undefined ? [] : others.length === 0 ? [ours`**Warning:** ${first}`] : [ours`**Warnings:**`]),
		...(first === undefined || others.length === 0 ? [] : [first, ...others].map((warning) => ours`- ${warning}`)),
	];
	return joined(lines, "\n");
}

const STATUS_WORDS = { success: ours`SUCCESS`, timeout: ours`TIMEOUT`, error: ours`ERROR` };

interface FailureText {
	agent: Redacted;
	words: ChildsWords;
	/** The text so far, marked as the child's. */
	said: Redacted[];
	/** The changes, with the child's words marked. */
	changed: Redacted[];
	/** Whether either of the two contains words of the child. */
	quotes: boolean;
	sessionFile: Redacted | undefined;
}

function failureText(outcome: FailureOutcome, facts: FailureText): Redacted[] {
	const { agent, words, said, changed, quotes, sessionFile } = facts;
	const { error, exitCode, lastEvent } = outcome;
	const ending = ours`${agent} did not finish (${error.code}, exit code ${exitCode})`;
	const isReported = !isOurMessage(outcome);
	return [
		isReported ? ours`${ending}, reason ${error.reason ?? ours`unknown`}.` : ours`${ending}: ${error.message}`,
		...(isReported || quotes ? [words.sentence] : []),
		...(isReported ? [words.around(error.message)] : []),
		...(lastEvent === undefined ? [] : [ours``, ours`Last event of the subagent: ${inLegibleLine(lastEvent)}`]),
		...(said.length === 0 ? [] : [ours``, ours`Partial output:`, ...said]),
		...changed,
		...(sessionFile === undefined ? [] : [ours``, ours`Its session is in ${sessionFile}`]),
	];
}

/** The codes of refusals that do not depend on what was requested. */
const MANAGEMENT: SubagentErrorCode[] = ["SUBAGENT_DEPTH_EXCEEDED", "SUBAGENTS_DISABLED"];

export function refusalResult({ error }: Refusal): SubagentResult {
	const mode = MANAGEMENT.includes(error.code) ? "management" : "single";
	const details = resultDetails({ mode, results: [], error });
	return { content: [{ type: "text", text: error.message }], details, structuredContent: scriptValue(details) };
}

/** The answer to a call whose run the user sent to the background. */
export function backgroundResult({ run, plan, sessionId }: RunRecord): SubagentResult {
	const details = resultDetails({ mode: "single", sessionId, results: [], continues: { runId: run.id } });
	const text = [
		`${plan.agent} continues in the background as run ${run.id}: the user sent it there.`,
		"Its report comes into this conversation by itself. Do not wait for it, and do not start it again.",
	].join(" ");
	return { content: [{ type: "text", text }], details, structuredContent: scriptValue(details) };
}

/** A running run, for the partial updates of the tool call. */
export function progressResult(record: RunRecord, progress: Progress): SubagentResult {
	return partial(record, lastActivity(progress), progress);
}

/** A run that this process cannot watch right now. */
export function troubleResult(record: RunRecord, message: string): SubagentResult {
	return partial(record, `Waiting: ${message} Retrying.`, undefined);
}

/** A queued run. */
export function queuedResult(record: RunRecord, waiting: WhyQueued): SubagentResult {
	const { position, starting } = waiting;
	const standing = starting ? { starting: true } : { queuePosition: position };
	return partial(record, queuedText(waiting), { displayItems: [], usage: NO_USAGE, turnCount: 0, ...standing });
}

function queuedText({ position, sessionBusy, starting }: WhyQueued): string {
	if (starting) return "Starting.";
	if (sessionBusy) return "Queued: the session is busy with an earlier task.";
	return position === 0 ? "Queued: it is next." : `Queued: ${position} ahead.`;
}

function partial(record: RunRecord, text: string, streaming: SubagentDetails["streaming"]): SubagentResult {
	return {
		content: [{ type: "text", text }],
		details: resultDetails({
			mode: "single",
			runId: record.run.id,
			sessionId: record.sessionId,
			results: [],
			...(streaming && { streaming }),
		}),
	};
}

function lastActivity({ displayItems }: Progress): string {
	const last = displayItems.at(-1);
	if (!last) return "Working.";
	return last.type === "text" ? last.text : `${last.name} ${JSON.stringify(last.args)}`;
}

/** The usage that pi adds to its own session totals. */
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
