import type { RunId, SessionId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/** The runs of one parent session, the runs that work in one directory, or all runs. */
export interface RunScope {
	parentSession?: string;
	cwd?: string;
}

/** The ids of the runs in scope: open ones first, then the others, each newest first. */
export function listRunIds(ledger: Ledger, scope: RunScope, limit: number): RunId[] {
	const open = ids(ledger, `${where(scope)} AND state <> 'ended' ORDER BY seq DESC LIMIT ?`, scope, limit);
	if (open.length >= limit) return open;
	const ended = `${where(scope)} AND state = 'ended' ORDER BY seq DESC LIMIT ?`;
	return [...open, ...ids(ledger, ended, scope, limit - open.length)];
}

/** The ids of all unfinished runs in scope, oldest first. */
export function openRunIds(ledger: Ledger, scope: RunScope): RunId[] {
	return ids(ledger, `${where(scope)} AND state <> 'ended' ORDER BY seq LIMIT ?`, scope, Number.MAX_SAFE_INTEGER);
}

export interface RunCount {
	total: number;
	queued: number;
	running: number;
}

export function countRuns(ledger: Ledger, scope: RunScope): RunCount {
	const count = (condition: string) =>
		ledger.get<{ n: number }>(`SELECT count(*) AS n FROM runs WHERE ${where(scope)}${condition}`, ...values(scope))
			?.n ?? 0;
	return { total: count(""), queued: count(" AND state = 'queued'"), running: count(" AND state = 'running'") };
}

/**
 * The number of a run in its conversation: 1 for the oldest that is kept. Later runs do not change it. It becomes smaller
 * when older ones expire and are removed.
 */
export function numberOfRun(ledger: Ledger, id: RunId): number | undefined {
	const sql = `SELECT (SELECT count(*) FROM runs AS other
			WHERE other.parent_session = mine.parent_session AND other.seq <= mine.seq) AS number
		FROM runs AS mine WHERE id = ?`;
	return ledger.get<{ number: number }>(sql, id)?.number;
}

export function runWithNumber(ledger: Ledger, parentSession: string, number: number): RunId | undefined {
	const sql = "SELECT id FROM runs WHERE parent_session = ? ORDER BY seq LIMIT 1 OFFSET ?";
	return ledger.get<{ id: RunId }>(sql, parentSession, number - 1)?.id;
}

/** The latest run in scope. */
export function lastRunId(ledger: Ledger, scope: RunScope): RunId | undefined {
	return ids(ledger, `${where(scope)} ORDER BY seq DESC LIMIT ?`, scope, 1)[0];
}

/** The runs whose id begins with `prefix`, at most `limit` of them. */
export function runsWithPrefix(ledger: Ledger, scope: RunScope, prefix: string, limit: number): RunId[] {
	// Ids are hexadecimal, so "g" sorts after every possible next character.
	const sql = `SELECT id FROM runs WHERE ${where(scope)} AND id >= ? AND id < ? ORDER BY seq DESC LIMIT ?`;
	return ledger.all<{ id: RunId }>(sql, ...values(scope), prefix, `${prefix}g`, limit).map(({ id }) => id);
}

/** The run that decides the state of a session: the oldest open one, which is running, or else the latest. */
export function runOfSession(ledger: Ledger, sessionId: SessionId): RunId | undefined {
	const sql = `SELECT id FROM runs WHERE session_id = ?
		ORDER BY state = 'ended', CASE WHEN state = 'ended' THEN -seq ELSE seq END LIMIT 1`;
	return ledger.get<{ id: RunId }>(sql, sessionId)?.id;
}

export interface LabelledRun {
	id: RunId;
	sessionId: SessionId;
	isOpen: boolean;
}

/** Those with this label, the newest first. */
export function runsWithLabel(ledger: Ledger, scope: RunScope, label: string): LabelledRun[] {
	const sql = `SELECT id, session_id, state FROM runs WHERE ${where(scope)} AND label = ? ORDER BY seq DESC LIMIT 1000`;
	return ledger
		.all<{ id: RunId; session_id: SessionId; state: string }>(sql, ...values(scope), label)
		.map(({ id, session_id, state }) => ({ id, sessionId: session_id, isOpen: state !== "ended" }));
}

/** A few of the parent sessions whose id begins with this text, an exact match first. */
export function sessionsThatBegin(ledger: Ledger, begun: string): string[] {
	const sql = `SELECT DISTINCT parent_session AS id FROM runs WHERE substr(parent_session, 1, length(?)) = ?
		ORDER BY parent_session LIMIT 3`;
	return ledger.all<{ id: string }>(sql, begun, begun).map(({ id }) => id);
}

const where = ({ parentSession, cwd }: RunScope): string =>
	[
		...(parentSession === undefined ? [] : ["parent_session = ?"]),
		...(cwd === undefined ? [] : ["session_id IN (SELECT id FROM sessions WHERE cwd = ?)"]),
		"true",
	].join(" AND ");

const values = ({ parentSession, cwd }: RunScope): string[] => [parentSession, cwd].filter((one) => one !== undefined);

function ids(ledger: Ledger, condition: string, scope: RunScope, limit: number): RunId[] {
	return ledger
		.all<{ id: RunId }>(`SELECT id FROM runs WHERE ${condition}`, ...values(scope), limit)
		.map(({ id }) => id);
}
