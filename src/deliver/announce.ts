import { inLegibleLine, inOneLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { truncateForModel } from "../collect/truncate.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { count, dollars, duration } from "../run/amounts.ts";
import type { ReportedChanges } from "../run/changes.ts";
import { sessionKey } from "../run/ids.ts";
import type { Cause, FailureOutcome } from "../run/outcome.ts";
import { joined, ours, type Redacted, reshaped } from "../run/redacted.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";
import { SILENCE } from "../run/silence.ts";
import { inputTokens, NO_USAGE } from "../run/usage.ts";
import { changesText } from "./changes-text.ts";
import { childsWords } from "./childs-words.ts";
import { pick, type RunView, viewOf } from "./run-view.ts";
import { announceDetails } from "./stored-details.ts";
import { shownToModel } from "./whole-answer.ts";
import { isOurMessage } from "./whose-words.ts";

/** The kind of message that brings the outcome of a background run into the conversation. */
export const ANNOUNCE = "pi-geon:announce";

export type AnnounceStatus = "success" | "error" | "timeout" | "unknown";

/** What an announce carries for programs. */
export interface AnnounceDetails
	extends Pick<RunView, "runId" | "sessionKey" | "sessionId" | "agent" | "label" | "task" | "usage"> {
	/** The version of these details, see `stored-details.ts`. */
	version: number;
	/** Identifies the delivery: a transcript that contains an entry with this id has the outcome. Each run has its own. */
	announceId: string;
	status: AnnounceStatus;
	/** Why it ended: a closed set. */
	cause: Cause;
	/** The reason of the error, if the run did not succeed. */
	reason?: Redacted;
	result?: Redacted;
	/** What went wrong, partial findings, warnings. */
	notes?: Redacted;
	durationMs: number;
	/** provider/id of the model that really answered. */
	model?: Redacted;
	transcript: string;
	/** What it changed in its tree; absent if it had none. */
	changes?: ReportedChanges<Redacted>;
	/** What confined it. Absent if it never started, and in announces of earlier versions. */
	sandbox?: SandboxReport<Redacted>;
	/** As the embedding application set it when the run was spawned. */
	route?: unknown;
}

export interface Announce {
	customType: typeof ANNOUNCE;
	content: string;
	display: true;
	details: AnnounceDetails;
}

/**
 * Only a background run may be silent: a caller that waits for a run always gets an answer.
 */
export const wantsSilence = ({ run, mode }: EndedRecord): boolean =>
	mode === "background" && run.outcome.status === "success" && run.outcome.finalized.result.trim() === SILENCE;

export interface Announcing {
	redactor: Redactor;
	/** Where the transcript will be after the delivery. */
	transcript: string;
	/** How much of the child's text the model sees, if that is less than usual. */
	maxBytes?: number | undefined;
}

/** The message that tells a parent conversation how a background run ended. */
export function announceOf(record: EndedRecord, announcing: Announcing): Announce {
	const { redactor, transcript } = announcing;
	const { plan, run } = record;
	const { outcome } = run;
	const view = viewOf(record, redactor);
	const notes = notesOf(record, announcing);
	const details = announceDetails({
		announceId: run.id,
		...pick(view, ["runId", "sessionKey", "sessionId", "agent", "label"]),
		status: STATUS_OF_CAUSE[outcome.cause],
		cause: outcome.cause,
		...(outcome.status !== "success" && outcome.error.reason !== undefined && { reason: outcome.error.reason }),
		...pick(view, ["task"]),
		...(outcome.finalized?.result !== undefined && { result: outcome.finalized.result }),
		...(notes.length > 0 && { notes: textOfPieces(notes) }),
		durationMs: run.endedAt - (run.startedAt ?? run.endedAt),
		...pick(view, ["usage"]),
		...(outcome.model !== undefined && { model: outcome.model }),
		transcript,
		...(outcome.changes && { changes: outcome.changes }),
		...(outcome.sandbox && { sandbox: outcome.sandbox }),
		...(plan.route !== undefined && { route: plan.route }),
	});
	const result = outcome.finalized?.result;
	const content = contentOf(
		{ result: result ? childPieces(result, record, announcing) : [], notes, details },
		redactor,
	);
	return { customType: ANNOUNCE, content, display: true, details };
}

/**
 * Replaces an announce that cannot be made, so that this run is not lost silently, and the other runs are announced.
 */
export function poorAnnounceOf(
	{ run, plan, sessionId }: EndedRecord,
	why: string,
	{ redactor, transcript }: Announcing,
): Announce {
	const reason = inLegibleLine(redactor.redact(why));
	const notes = ours`The report of run ${run.id} cannot be made: ${reason}. What it found may be in its transcript.`;
	const details = announceDetails({
		...{ announceId: run.id, runId: run.id, sessionKey: sessionKey("main", sessionId), sessionId, agent: "unknown" },
		...{ status: STATUS_OF_CAUSE.unreadable, cause: "unreadable", reason: ours`unreadable` },
		...{ task: ours`(its task cannot be read)`, notes, durationMs: 0, usage: NO_USAGE, transcript },
		...(plan.route !== undefined && { route: plan.route }),
	});
	return {
		customType: ANNOUNCE,
		content: contentOf({ result: [], notes: [us(notes)], details }, redactor),
		display: true,
		details,
	};
}

/** A piece of an announce, and whether the text is ours or the child's. */
interface Piece {
	by: "us" | "child";
	text: Redacted;
}

const us = (text: Redacted): Piece => ({ by: "us", text });
const child = (text: Redacted): Piece => ({ by: "child", text });
const textOfPieces = (pieces: Piece[]): Redacted =>
	joined(
		pieces.map(({ text }) => text),
		"\n",
	);

/** Derived from the runtime's facts, never from the model's text. */
const STATUS_OF_CAUSE: Readonly<Record<Cause, AnnounceStatus>> = {
	finalized: "success",
	timeout: "timeout",
	lost: "unknown",
	unreadable: "unknown",
	reported_error: "error",
	not_finalized: "error",
	uncheckable: "error",
	stopped: "error",
	budget: "error",
	output_limit: "error",
	provider: "error",
	refused: "error",
	crashed: "error",
	not_harvested: "error",
};

/** The part of the child's text that a model sees, and where the rest is. */
function childPieces(text: Redacted, record: EndedRecord, { redactor, maxBytes }: Announcing): Piece[] {
	const { text: shown, whereabouts } = shownToModel(text, record, { redact: redactor.redact, maxBytes });
	return [child(shown), ...(whereabouts === undefined ? [] : [us(whereabouts)])];
}

function notesOf(record: EndedRecord, announcing: Announcing): Piece[] {
	const { outcome } = record.run;
	const warnings = outcome.warnings.map((warning) => us(inLegibleLine(warning)));
	const changes = changedPieces(record);
	if (outcome.status === "success") return [...warnings, ...changes];
	const { error, finalized, output } = outcome;
	const failure = isOurMessage(outcome)
		? [us(error.message)]
		: [us(ours`${error.code}, reason ${error.reason ?? ours`unknown`}:`), ...inShort(error.message, announcing)];
	const findings =
		finalized || !output ? [] : [us(ours`Partial findings:`), ...childPieces(output, record, announcing)];
	return [...failure, ...lastEventOf(outcome), ...warnings, ...changes, ...findings];
}

/** Keeps the beginning only: the transcript, which the statistics name, has the whole text. */
function inShort(text: Redacted, { maxBytes }: Announcing): Piece[] {
	if (maxBytes === undefined) return [child(text)];
	const { text: head, note } = truncateForModel(text, maxBytes);
	if (note === undefined) return [child(text)];
	return [child(reshaped(text, () => head)), us(ours`[This is the beginning. The transcript has all of it.]`)];
}

function changedPieces(record: EndedRecord): Piece[] {
	const changes = changesText(record);
	if (!changes) return [];
	return [us(changes.sentence), ...(changes.files === undefined ? [] : [child(changes.files)])];
}

/**
 * The text for the model. The sentence about the child's words comes before the first of them, and the statistics come
 * last.
 */
function contentOf(
	{ result, notes, details }: { result: Piece[]; notes: Piece[]; details: AnnounceDetails },
	redactor: Redactor,
): string {
	const words = childsWords();
	const lines = (pieces: Piece[]) => pieces.map(({ by, text }) => (by === "us" ? text : words.around(text)));
	const isFirst = result.length === 0 && notes.some(({ by }) => by === "child");
	return [
		`Status: ${details.status}`,
		...(result.length === 0 ? ["Result: (not available)"] : [`Result: ${words.sentence}`, ...lines(result)]),
		`Notes: ${[...(isFirst ? [words.sentence] : []), ...lines(notes)].join("\n") || "(none)"}`,
		"",
		statistics(details, redactor.redact(details.transcript)),
	].join("\n");
}

const lastEventOf = ({ lastEvent }: FailureOutcome): Piece[] =>
	lastEvent === undefined ? [] : [us(ours`Last event of the subagent: ${inLegibleLine(lastEvent)}`)];

function statistics(details: AnnounceDetails, transcript: Redacted): string {
	const { usage, label } = details;
	const input = inputTokens(usage);
	return inOneLine(
		[
			`runtime ${duration(details.durationMs)}`,
			`tokens ${count(input + usage.output)} (in ${count(input)} / out ${count(usage.output)})`,
			...(usage.cost > 0 ? [`est ${dollars(usage.cost)}`] : []),
			`sessionKey ${details.sessionKey}`,
			`sessionId ${details.sessionId}`,
			`transcript ${transcript}`,
			`run ${details.runId}`,
			`agent ${details.agent}`,
			...(label === undefined ? [] : [`label ${label}`]),
		].join(" • "),
	);
}
