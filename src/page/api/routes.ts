/* The requests and answers between the server and the page. Every request carries `Authorization: Bearer <token>`.
   Answers are JSON, except the two streams (`events`, `doctor`), which are server-sent events whose `data` is JSON.
   Every text in an answer is redacted, and is still the text of others: it may hold markup, control characters and
   anything else. Times are milliseconds since 1970 unless a field says otherwise. Failures: 400, 403, 404, 409 and 413
   answer with `ApiFailure`; 503 with `ApiFailure` whose `ledger` says what is wrong with the ledger; 401 and 421 answer
   with an empty body. */

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
 * with the token as its key. A page asks for it before it sends its token to a server that was away: by then, another program
 * may have taken the port.
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
 * ok: it can be read. absent: nothing was ever delegated here. locked: another process has locked it; try again. damaged: it
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
	/** Why the page cannot change anything; absent if it can. */
	readOnly?: string;
}
