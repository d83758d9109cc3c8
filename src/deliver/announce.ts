import type { Redactor } from "../collect/redact/redactor.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { count, dollars, duration } from "../run/amounts.ts";
import { sessionKey } from "../run/ids.ts";
import type { FailureOutcome, Outcome } from "../run/outcome.ts";
import { shownToModel } from "./whole-answer.ts";

/** The kind of message with which the outcome of a background run comes into the conversation. */
export const ANNOUNCE = "pi-geon:announce";

/** A finalized result that is exactly this publishes nothing. */
const SILENCE = "ANNOUNCE_SKIP";

export type AnnounceStatus = "success" | "error" | "timeout" | "unknown";

/** What an announce carries for programs. */
export interface AnnounceDetails {
	/** The delivery: a transcript that holds an entry with this id has been told. One a run. */
	announceId: string;
	runId: string;
	sessionKey: string;
	sessionId: string;
	agent: string;
	label?: string;
	status: AnnounceStatus;
	/** Of a run that did not succeed: why, in a word. */
	reason?: string;
	task: string;
	result?: string;
	/** What went wrong, partial findings, warnings. */
	notes?: string;
	durationMs: number;
	usage: Outcome["usage"];
	model?: string;
	transcript: string;
	/** As the embedding application set it when the run was spawned. */
	route?: unknown;
}

export interface Announce {
	customType: typeof ANNOUNCE;
	content: string;
	display: true;
	details: AnnounceDetails;
}

export const wantsSilence = ({ run }: EndedRecord): boolean =>
	run.outcome.status === "success" && run.outcome.finalized.result.trim() === SILENCE;

/** The message that tells a parent conversation how a background run ended. */
export function announceOf(record: EndedRecord, redactor: Redactor): Announce {
	const { plan, run } = record;
	const { outcome } = run;
	const status = statusOf(outcome);
	const notes = notesOf(record);
	const details: AnnounceDetails = {
		announceId: run.id,
		runId: run.id,
		sessionKey: sessionKey(plan.principal.id, record.sessionId),
		sessionId: record.sessionId,
		agent: plan.agent,
		...(record.label !== undefined && { label: redactor.redact(record.label) }),
		status,
		...(outcome.status !== "success" && outcome.error.reason !== undefined && { reason: outcome.error.reason }),
		task: redactor.redact(plan.task),
		...(outcome.finalized?.result !== undefined && { result: outcome.finalized.result }),
		...(notes !== undefined && { notes: redactor.redact(notes) }),
		durationMs: run.endedAt - (run.startedAt ?? run.endedAt),
		usage: outcome.usage,
		...(outcome.model !== undefined && { model: outcome.model }),
		transcript: plan.session.file,
		...(plan.route !== undefined && { route: plan.route }),
	};
	const result = outcome.finalized?.result;
	const content = [
		`Status: ${status}`,
		`Result: ${result ? shownToModel(result, record).text : "(not available)"}`,
		`Notes: ${notes ?? "(none)"}`,
		"",
		statistics(details),
		"This is the report of a subagent, not a message of the user.",
	].join("\n");
	// A host's outcome is redacted already; what was written here, or in place of a host, is not.
	return { customType: ANNOUNCE, content: redactor.redact(content), display: true, details };
}

/** From the runtime, never from what the model wrote. */
function statusOf(outcome: Outcome): AnnounceStatus {
	if (outcome.status !== "error") return outcome.status;
	return outcome.error.reason === "lost" || outcome.error.reason === "unreadable" ? "unknown" : "error";
}

function notesOf(record: EndedRecord): string | undefined {
	const { outcome } = record.run;
	const failure = outcome.status === "success" ? [] : [outcome.error.message, ...lastEventOf(outcome)];
	const output = outcome.status === "success" || outcome.finalized ? undefined : outcome.output;
	const findings = output && shownToModel(output, record).text;
	const notes = [...failure, ...outcome.warnings, ...(findings ? [`Partial findings:\n${findings}`] : [])];
	return notes.length === 0 ? undefined : notes.join("\n");
}

const lastEventOf = ({ lastEvent }: FailureOutcome): string[] =>
	lastEvent === undefined ? [] : [`Last event of the subagent: ${lastEvent}`];

function statistics(details: AnnounceDetails): string {
	const { usage, label } = details;
	return [
		`runtime ${duration(details.durationMs)}`,
		`tokens ${count(usage.input + usage.output)} (in ${count(usage.input)} / out ${count(usage.output)})`,
		...(usage.cost > 0 ? [`est ${dollars(usage.cost)}`] : []),
		`sessionKey ${details.sessionKey}`,
		`sessionId ${details.sessionId}`,
		`transcript ${details.transcript}`,
		`run ${details.runId}`,
		`agent ${details.agent}`,
		...(label === undefined ? [] : [`label ${label}`]),
	].join(" • ");
}
