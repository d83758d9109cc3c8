import type { RunView } from "../deliver/run-view.ts";
import type { LogLine } from "../log/read-logs.ts";
import type { ChangeDone } from "../operate/apply.ts";
import type { CostSum, CostSummary } from "../operate/costs.ts";
import type { CheckResult } from "../operate/doctor/check.ts";
import type { RunInfo } from "../operate/info.ts";
import type { Fact } from "../operate/report/layout.ts";
import type { RunSpan } from "../operate/run-spans.ts";
import type { RunSummary } from "../operate/runs.ts";
import type { Stopped } from "../operate/stop.ts";
import type { Progress } from "../processes/protocol.ts";
import type { ChangedFile, ChangesState } from "../run/changes.ts";
import type { PoolLook } from "../run/pool-status.ts";
import type { SandboxReport } from "../run/sandbox-report.ts";
import type { Usage } from "../run/usage.ts";

/* The requests and answers between the server and the page. Every request carries `Authorization: Bearer <token>`.
   Answers are JSON, except the two streams (`events`, `doctor`), which are server-sent events whose `data` is JSON.
   Every text in an answer is redacted, and is still the text of others: it may hold markup, control characters and
   anything else. Times are milliseconds since 1970 unless a field says otherwise. Failures: 400, 403, 404, 409 and 413
   answer with `ApiFailure`; 503 with `ApiFailure` whose `ledger` says what is wrong with the ledger; 401 and 421 answer
   with an empty body. */

export type { RunSpan };
export type Costs = CostSummary;
export type CostRow = CostSum;

/** GET, with the query of each. `:id` is a run's id. */
export const ROUTES = {
	hello: "/api/hello", // Hello
	overview: "/api/overview", // Overview
	runs: "/api/runs", // RunQuery → RunPage
	run: "/api/runs/:id", // RunDetail
	transcript: "/api/runs/:id/transcript", // TranscriptQuery → TranscriptPage
	turns: "/api/runs/:id/turns", // PageTurns
	diff: "/api/runs/:id/diff", // Diff
	export: "/api/runs/:id/export", // { format } → Exported
	agents: "/api/agents", // { cwd? } → AgentsHere
	costs: "/api/costs", // { days? } → Costs
	pools: "/api/pools", // Pools
	logs: "/api/logs", // LogQuery → Logs
	doctor: "/api/doctor", // stream of DoctorEvents
	events: "/api/events", // EventsQuery → stream of LiveEvents
} as const;

/**
 * GET without a token: `?nonce=<32 to 128 hex digits>` is answered with the HMAC-SHA-256 of `PROOF_WORDS` and the nonce, in hex,
 * with the token as its key. A page asks for it before it sends its token to a server that was away: another program may have
 * taken the port meanwhile.
 */
export const PROOF_ROUTE = "/proof";
export const PROOF_WORDS = "pi-geon page ";

/** POST, with `Content-Type: application/json`. A body without fields is `{}`. */
export const ACTION_ROUTES = {
	stop: "/api/runs/:id/stop", // {} → Stopped
	send: "/api/runs/:id/send", // SendBody → SendDone. Steers an open run, resumes an ended one
	answer: "/api/runs/:id/answer", // AnswerBody → AnswerDone
	apply: "/api/runs/:id/apply", // {} → ChangeDone
	undo: "/api/runs/:id/undo", // {} → ChangeDone
	branch: "/api/runs/:id/branch", // BranchBody → ChangeDone
	discard: "/api/runs/:id/discard", // {} → ChangeDone
} as const;

export interface ApiFailure {
	error: string;
	/** Files that conflict, if changes could not be applied or undone. */
	conflicts?: string[];
	/** The problem of the ledger, with 503. */
	ledger?: LedgerState;
}

/**
 * ok: it can be read. absent: nothing was ever delegated here. locked: another process holds it; try again. damaged: it
 * cannot be read. newer: a newer pi-geon wrote it. unusable: anything else, such as a folder that may not be read.
 */
export interface LedgerState {
	state: "ok" | "absent" | "locked" | "damaged" | "newer" | "unusable";
	/** The problem and its remedy, for people. */
	message?: string;
}

export interface Hello {
	/** The version of pi-geon. */
	version: string;
	/** The folder that the command was started in. */
	cwd: string;
	ledger: LedgerState;
	/** The server's clock. */
	now: number;
	/** A pool is configured. */
	hasPools?: true;
	/** Why nothing can be changed from here, if it cannot. */
	readOnly?: string;
}

/** The configured pools, in the order of the configuration. */
export interface Pools {
	pools: PoolLook[];
}

/** The numbers on top, and the open runs. */
export interface Overview {
	/** When these numbers were taken. */
	at: number;
	running: number;
	queued: number;
	/** How many runs wait for the user's answer. */
	asking: number;
	/** Since midnight. Cost counts the runs that ended or are open today, as a whole. */
	today: { ended: number; failed: number; cost: number; tokens: number };
	total: number;
	/** All open runs, newest first; 200 at most. */
	open: PageRun[];
	/** Every agent and folder with runs in the ledger, for filters; 200 at most of each. */
	agents: string[];
	folders: string[];
	/** Runs whose record cannot be read, and why. */
	unreadable?: { runId: string; problem: string }[];
}

/** One run in the list and in the waterfall. */
export interface PageRun extends RunSummary {
	/** The order of admission: the list is sorted by it, newest first. */
	seq: number;
	/** The spans to draw, oldest first, without gaps from its creation to its end, or to now. */
	spans: RunSpan[];
	/** The state of its changes, if it made any. */
	changes?: ChangesState;
	/** Its session was archived. */
	archived?: true;
}

export interface RunQuery {
	/** Any of: queued, running, stopping, ended; separated by commas. */
	phase?: string;
	/** success, error, timeout, unknown as `RunView` has them; `failed` means every status but success. */
	status?: string;
	agent?: string;
	cwd?: string;
	/** The conversation that asked. */
	session?: string;
	/** In the task, the label, the agent or the run's id. */
	text?: string;
	/** 1 to 200; 100 by default. */
	limit?: number;
	/** `next` of the page before. */
	before?: number;
}

export interface RunPage {
	runs: PageRun[];
	/** How many match, shown or not. */
	total: number;
	/** Absent on the last page. */
	next?: number;
}

/** Everything that is known about one run. */
export interface RunDetail extends RunInfo, Pick<PageRun, "seq" | "spans"> {
	/** The whole task: `task` is cut. */
	wholeTask: string;
	/** False: an older pi-geon ran some of its attempts and recorded no times. */
	attemptsKnown: boolean;
	hops: { from: string; to: string; words: string }[];
	sandboxReport?: SandboxReport;
	questions: OpenQuestion[];
	changesView?: ChangesInDetail;
	/** Why its changes cannot be shown, if it had a tree and they cannot. */
	changesProblem?: string;
	/** The other runs of the same child session, oldest first; 100 at most. */
	session: Pick<RunView, "runId" | "phase" | "status" | "createdAt">[];
	/** The actions that are possible now. */
	can: Record<keyof typeof ACTION_ROUTES, boolean>;
	/** It has a transcript that can be read. */
	hasTranscript: boolean;
}

export interface ChangesInDetail {
	state: ChangesState;
	files: ChangedFile[];
	total: { files: number; added: number; removed: number };
	branch?: string;
	/** The default name of a branch with the changes. */
	usualBranch: string;
	warnings: string[];
	events: { what: string; by: string; at: number }[];
}

export interface Diff {
	runId: string;
	/** As git writes it. */
	text: string;
	/** How many bytes of it are not shown. */
	cutBytes: number;
	/** The file that has all of it. */
	patch: string;
}

/** The file formats that the page offers, a subset of those of `pi-geon export`. */
export type PageFormat = "html" | "md" | "json";

/** A run as a file to share. */
export interface Exported {
	/** The name of the file. */
	name: string;
	text: string;
}

/** A question of a child, or of an extension in it. */
export interface OpenQuestion {
	/** Opaque: goes back with the answer. */
	questionId: string;
	kind: "confirm" | "select" | "input";
	title: string;
	message?: string;
	/** Only for a select. */
	options?: string[];
	placeholder?: string;
}

export interface AnswerBody {
	questionId: string;
	/** Text for an input, true or false for a confirm, the number of the chosen option for a select, null to decline. */
	answer: string | boolean | number | null;
}

/** taken: it counts. late: another user answered first, or the question is obsolete. */
export interface AnswerDone {
	status: "taken" | "late";
}

export interface SendBody {
	message: string;
}

export interface BranchBody {
	/** Absent: `usualBranch`. */
	name?: string;
}

export interface SendDone {
	status: "accepted";
	how: "steered" | "resumed";
	/** The run that has the message: another one than the named one if its session was resumed. */
	runId: string;
	/** False: no host has it yet. `note` says what happens then. */
	underway: boolean;
	note?: string;
}

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

export interface AgentsHere {
	cwd: string;
	isTrusted: boolean;
	agents: AgentRow[];
	/** Agents of the project that are not shown because it is not trusted. */
	untrusted: number;
	/** Problems of agent files. */
	problems: { severity: "error" | "warning"; text: string }[];
}

export interface AgentRow {
	name: string;
	source: string;
	readonly: boolean;
	description: string;
	file: string;
	/** The setting or line that disables it. */
	off?: string;
	/** The tools that it gets here. */
	tools: string[];
	model: string;
	/** Tools that it asks for and does not get, with the reason and the setting. */
	warnings: string[];
	/** All of it in words, in the order of `pi-geon agents`. */
	facts: Fact[];
}

export interface LogQuery {
	/** The id of a run, or its beginning. */
	run?: string;
	agent?: string;
	/** This level and more important ones. */
	level?: string;
	/** 1 to 1,000; 200 by default. */
	limit?: number;
}

/** Oldest first. */
export interface Logs {
	lines: LogLine[];
}

/** `event` → `data` of the stream `doctor`. The stream ends after `done`. */
export interface DoctorEvents {
	checking: { name: string };
	result: CheckResult;
	done: { failed: number; warned: number };
}

/** One stream a page: a browser opens six connections to a server at most. A hidden page should close its stream. */
export interface EventsQuery {
	/** The run that the page shows: its transcript, its live text and its questions are included. */
	run?: string;
	/** The first transcript item that the page does not have. Absent: from the current end on. */
	after?: number;
}

/** `event` → `data` of the stream `events`. After connecting, `ledger` and `overview` come at once, `runs` when some changed. */
export interface LiveEvents {
	ledger: LedgerState;
	overview: Overview;
	/** New ones, and ones that changed since the stream was opened. A page that reconnects fetches its list again. */
	runs: { runs: PageRun[] };
	/** These runs are no longer in the ledger. */
	removed: { runIds: string[] };
	/** The detail of the shown run has changed. */
	run: RunDetail;
	/** Further items; or with another `version`, the end of a transcript that was replaced. */
	transcript: TranscriptPage & { runId: string };
	/** What the child says and does now, about ten times a second while it changes. */
	progress: { runId: string; progress: Progress };
	/** All questions of that run that are open now. */
	questions: { runId: string; questions: OpenQuestion[] };
	/** The server is leaving. */
	bye: Record<string, never>;
}

export type ActionAnswers = {
	stop: Stopped;
	send: SendDone;
	answer: AnswerDone;
	apply: ChangeDone;
	undo: ChangeDone;
	branch: ChangeDone;
	discard: ChangeDone;
};
