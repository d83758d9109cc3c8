import type { Usage } from "../../run/usage.ts";

/** Without `before` and `after`: the end of the transcript. */
export interface TranscriptQuery {
	/** Items before this position. */
	before?: number;
	/** Items from this position on. */
	after?: number;
	/** 1 to 200; 100 by default. */
	limit?: number;
	/** 1: the one item at `after`, with all of its text. */
	whole?: number;
}

/** Items are numbered from 0, so that a list of `total` rows can be drawn before they are fetched. */
export interface TranscriptPage {
	/** Changes when items that were sent before are no longer part of the transcript: fetch it again. */
	version: string;
	/** The position of the first item. */
	from: number;
	items: PageItem[];
	total: number;
	/** What is missing, and why: there is no transcript, it is too long, or lines could not be read. */
	note?: string;
}

export interface PageItem {
	/** Its position. */
	n: number;
	/** user: a message to the child. assistant: the child. tool: a tool's answer. note: an event of the session. */
	role: "user" | "assistant" | "tool" | "note";
	text: string;
	/** How many characters of the text are not shown. */
	moreChars?: number;
	/** Nothing was cut, because the request asked for the whole item. */
	whole?: true;
	at?: number;
	/** Only for an assistant. */
	thinking?: string;
	calls?: ToolCall[];
	usage?: Usage;
	model?: string;
	/** Only for a tool's answer. */
	tool?: string;
	callId?: string;
	failed?: true;
	/** The child's final answer, through `subagent_finalize`. */
	final?: true;
}

export interface ToolCall {
	id: string;
	name: string;
	/** JSON, redacted and cut. */
	args: string;
	moreChars?: number;
}

/** What each turn of a run's session cost. At most 2,000 points: neighbours are added up where there are more. */
export interface PageTurns {
	turns: (Usage & { at: number })[];
}
