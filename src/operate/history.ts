import { pick, type RunView, viewOf } from "../deliver/run-view.ts";
import type { RunRecord } from "../ledger/records.ts";
import { plural } from "../run/amounts.ts";
import type { Redacted } from "../run/redacted.ts";
import { findChild } from "./child.ts";
import { type Denial, isDenial } from "./denial.ts";
import { excerpt } from "./excerpt.ts";
import { type ChildMessage, messagesIn, transcriptOfRun } from "./messages.ts";
import type { RunSources } from "./runs.ts";

const DEFAULT_MESSAGES = 50;
const MOST_MESSAGES = 200;
const HISTORY_MESSAGE_CHARS = 4000;
/** As much as pi passes to a model of any tool's output. */
const ALL_BYTES = 50 * 1024;

export interface HistoryRequest {
	parentSession: string;
	sessionKey: string;
	limit?: number;
	includeTools?: boolean;
}

export interface History extends Pick<RunView, "sessionKey" | "agent" | "state"> {
	/** Where the archived transcript is. */
	transcript?: Redacted;
	messages: ChildMessage[];
	/** What is missing, and where it is. */
	note?: string;
}

/** The latest messages of one of this parent's child sessions. */
export function sessionHistory(request: HistoryRequest, sources: RunSources): History | Denial {
	const child = findChild(sources.ledger, request.parentSession, request);
	return isDenial(child) ? child : historyOf(child, request, sources);
}

/** The latest messages in the session of a run. */
export function historyOf(
	record: RunRecord,
	request: { limit?: number; includeTools?: boolean },
	{ ledger, redactor }: RunSources,
): History {
	const file = transcriptOfRun(record, ledger);
	const limits = {
		messages: Math.min(Math.max(1, Math.floor(request.limit ?? DEFAULT_MESSAGES)), MOST_MESSAGES),
		chars: HISTORY_MESSAGE_CHARS,
		bytes: ALL_BYTES,
	};
	const said = file === undefined ? [] : messagesIn(file, { includeTools: request.includeTools ?? false });
	const { messages, earlier, shortened } = excerpt(said, limits, redactor);
	const left = [
		...(file === undefined ? ["There is no transcript"] : []),
		...(earlier > 0 ? [`${messagesAre(earlier, "earlier message")} left out`] : []),
		...(shortened > 0 ? [`${messagesAre(shortened, "message")} shortened`] : []),
	];
	return {
		...pick(viewOf(record, redactor), ["sessionKey", "agent", "state"]),
		...(file !== undefined && { transcript: redactor.redact(file) }),
		messages,
		...(left.length > 0 && { note: `${left.join(", ")}.` }),
	};
}

const messagesAre = (count: number, noun: string): string => `${plural(count, noun)} ${count === 1 ? "is" : "are"}`;
