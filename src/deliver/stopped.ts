import { inLegibleLine, inOneLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { openRunsOfCommands } from "../ledger/deliveries.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { EndedRecord } from "../ledger/records.ts";
import { plural } from "../run/amounts.ts";
import type { ReportedChanges } from "../run/changes.ts";
import type { RunId } from "../run/ids.ts";
import type { Redacted } from "../run/redacted.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";
import { changesText } from "./changes-text.ts";
import { pick, type RunView, viewOf } from "./run-view.ts";
import { stoppedDetails } from "./stored-details.ts";

/** The kind of message that tells the conversation which runs the user stopped. It starts no turn. */
export const STOPPED_BY_USER = "pi-geon:stopped";

/** With more names, the line would be too long to read. */
const RUNS_IN_A_LINE = 10;

export interface StoppedRun extends Pick<RunView, "runId" | "sessionKey" | "sessionId" | "agent" | "label" | "usage"> {
	/** Identifies the delivery, as in an announce. */
	announceId: string;
	/** provider/id of the model that really answered. */
	model?: Redacted;
	/** What the requester should know: messages that the run did not receive, changes that it made. */
	notes?: Redacted[];
	/** What it changed in its tree; absent if it had none. */
	changes?: ReportedChanges<Redacted>;
	/** What confined it. Absent if it never started, and in messages of earlier versions. */
	sandbox?: SandboxReport<Redacted>;
	/** As the embedding application set it when the run was spawned. */
	route?: unknown;
}

export interface StoppedDetails {
	/** The version of these details, see `stored-details.ts`. */
	version: number;
	runs: StoppedRun[];
}

export interface StoppedMessage {
	customType: typeof STOPPED_BY_USER;
	content: string;
	display: true;
	details: StoppedDetails;
}

/** A run that finished before the stop reached it is reported like any other. */
export const isStoppedByUser = ({ run }: EndedRecord): boolean =>
	run.outcome.cause === "stopped" && run.stop?.command !== undefined;

/**
 * The runs that can be reported because everything that the same command stopped has finished too. The others wait, so that
 * one line reports them all.
 */
export function wholeStops(ledger: Ledger, parentSession: string, stopped: readonly EndedRecord[]): Set<RunId> {
	if (stopped.length === 0) return new Set();
	const underway = openRunsOfCommands(ledger, parentSession);
	const whole = stopped.filter(({ run }) => run.stop?.command !== undefined && !underway.has(run.stop.command));
	return new Set(whole.map(({ run }) => run.id));
}

/** One line for all of them, for the model to read with the next prompt. */
export function stoppedMessage(records: readonly EndedRecord[], redactor: Redactor): StoppedMessage {
	const runs = records.map((record) => stoppedRun(record, redactor));
	const more = runs.length - RUNS_IN_A_LINE;
	const names = [
		...runs.slice(0, RUNS_IN_A_LINE).map(stoppedName),
		...(more > 0 ? [`${more} more (see sessions_list)`] : []),
	];
	const line = [
		`The user stopped ${plural(runs.length, "subagent run")}: ${names.join(", ")}.`,
		"Do not start them again unless the user asks.",
		"sessions_history shows what a run had found.",
	].join(" ");
	const notes = runs.flatMap((run) => (run.notes ?? []).map((note) => `Run ${run.runId}: ${note}`));
	const content = [line, ...notes].join("\n");
	return { customType: STOPPED_BY_USER, content, display: true, details: stoppedDetails({ runs }) };
}

function stoppedRun(record: EndedRecord, redactor: Redactor): StoppedRun {
	const { run, plan } = record;
	const { model, changes, sandbox } = run.outcome;
	const notes = stopNotes(record);
	return {
		announceId: run.id,
		...pick(viewOf(record, redactor), ["runId", "sessionKey", "sessionId", "agent", "label", "usage"]),
		...(model !== undefined && { model }),
		...(notes.length > 0 && { notes }),
		...(changes && { changes }),
		...(sandbox && { sandbox }),
		...(plan.route !== undefined && { route: plan.route }),
	};
}

function stopNotes(record: EndedRecord): Redacted[] {
	const changes = record.run.outcome.changes?.commit === null ? undefined : changesText(record);
	return [...record.run.outcome.warnings.map(inLegibleLine), ...(changes ? [changes.sentence] : [])];
}

const stoppedName = ({ agent, label, runId, sessionKey }: StoppedRun): string =>
	inOneLine(`${agent}${label === undefined ? "" : ` "${label}"`} (run ${runId}, sessionKey ${sessionKey})`);
