import type { Usage } from "../../run/usage.ts";

/** Without `before` and `after`: the end of the transcript. */
export interface TranscriptQuery {
	/** Items before this position. */
	before?: number;
	/** Items from this position on. */
	after?: number;
	/** 1 to 200; 100 by default. */
	limit?: number;
	/** 1: only the item at `after`, with all of its text. */
	whole?: number;
}

/** Items are numbered from 0, so that a list of `total` rows can be drawn before they are fetched. */
export interface TranscriptPage {
	/** Changes when earlier items are no longer part of the transcript, so that it has to be fetched again. */
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

/** The cost of each turn of a run's session. At most 2,000 points: if there are more, neighbours are added up. */
export interface PageTurns {
	turns: (Usage & { at: number })[];
}
