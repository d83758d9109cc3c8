import { inLegibleLine } from "../collect/plain.ts";
import type { Redactor } from "../collect/redact/redactor.ts";
import { changesText } from "../deliver/changes-text.ts";
import { type ChildsWords, childsWords } from "../deliver/childs-words.ts";
import { pick, type RunView, viewOf } from "../deliver/run-view.ts";
import { shownToModel } from "../deliver/whole-answer.ts";
import { isOurMessage } from "../deliver/whose-words.ts";
import type { EndedRecord } from "../ledger/records.ts";
import type { ReportedChanges } from "../run/changes.ts";
import { joined, ours, type Redacted } from "../run/redacted.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";

interface About extends Pick<RunView, "runId" | "sessionKey"> {
	/** On a reply that is cut. */
	note?: Redacted;
	/** What the run lacked, one line each. A reply counts as delivered, so nothing else reports it. */
	warning?: Redacted;
	/** What the run changed in its tree; absent if it had none. */
	changes?: ReportedChanges<Redacted>;
	/** What confined the run. */
	sandbox?: SandboxReport<Redacted>;
}

/** A child's answer to a message: the outcome of the run that received it. */
export type Reply =
	| ({ status: "ok"; reply: Redacted } & About)
	| ({ status: "error"; error: Redacted; reply?: Redacted } & About);

interface Replying {
	/** Whether the run received the message. */
	taken: boolean;
	/** For a model: marks the child's text. */
	words?: ChildsWords;
}

export function replyOf(record: EndedRecord, redactor: Redactor, { taken, words }: Replying): Reply {
	const { outcome } = record.run;
	const marked = (text: Redacted): Redacted => (words ? words.around(text) : text);
	const { text, whereabouts } = shownToModel(outcome.output ?? ours``, record, redactor);
	const warnings = outcome.warnings.map(inLegibleLine);
	const about = {
		...pick(viewOf(record, redactor), ["runId", "sessionKey"]),
		...(whereabouts !== undefined && { note: whereabouts }),
		...(warnings.length > 0 && { warning: joined(warnings, "\n") }),
		...(outcome.changes && { changes: outcome.changes }),
		...(outcome.sandbox && { sandbox: outcome.sandbox }),
	};
	if (outcome.status === "success" && taken) return { status: "ok", reply: marked(text), ...about };
	const failure =
		outcome.status === "success" ? [] : [isOurMessage(outcome) ? outcome.error.message : marked(outcome.error.message)];
	const error = joined([...failure, ...(taken ? [] : [ours`Your message was not received.`])], " ");
	return { status: "error", error, ...(text !== "" && { reply: marked(text) }), ...about };
}

/**
 * A reply for a model. The child chose the names of the files, so they are marked and in words, as in other results. The
 * report on the sandbox is left out: it is for the user.
 */
export function markedReply(record: EndedRecord, redactor: Redactor, { taken }: { taken: boolean }): object {
	const words = childsWords();
	const { changes: _changes, sandbox: _sandbox, ...reply } = replyOf(record, redactor, { taken, words });
	const changed = changesText(record);
	return {
		about: words.sentence,
		...reply,
		...(changed && { changes: changed.sentence }),
		...(changed?.files !== undefined && { changedFiles: words.around(changed.files) }),
	};
}
