import type { RunId, SessionId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";

/** A child session that can be continued. Its identity is directory + agent + id. */
export interface SessionRecord {
	id: SessionId;
	agent: string;
	cwd: string;
	file: string;
	/** Digest of the agent's definition when the session was last used. */
	definition: string;
	/** Under whose account its last run worked. */
	principal: string;
	/** Whether a run has worked in it: only then is there a transcript. */
	everStarted: boolean;
	/** Whether its transcript still exists. */
	isThere: boolean;
	archivedAt?: number;
}

/** Whether a queued run waits because its session has a run before it: one session never has two writers. */
export function waitsForSession(ledger: Ledger, runId: RunId): boolean {
	const sql = `SELECT 1 FROM runs AS waiting JOIN runs AS before ON before.session_id = waiting.session_id
		WHERE waiting.id = ? AND before.seq < waiting.seq AND before.state <> 'ended'`;
	return ledger.get(sql, runId) !== undefined;
}

/** Whether somebody is working in a session right now. */
export function sessionAtWork(ledger: Ledger, id: SessionId): boolean {
	return ledger.get("SELECT 1 FROM runs WHERE session_id = ? AND state = 'running'", id) !== undefined;
}

export function findSession(ledger: Ledger, id: SessionId): SessionRecord | undefined {
	const row = ledger.get<
		Omit<SessionRecord, "archivedAt" | "everStarted" | "isThere"> & { archived_at: number | null; started: number }
	>(
		`SELECT id, agent, cwd, file, definition, archived_at, coalesce((SELECT CASE WHEN json_valid(plan) THEN plan ->> '$.principal.id' END FROM runs
					WHERE session_id = sessions.id ORDER BY seq DESC LIMIT 1), '') AS principal,
				EXISTS (SELECT 1 FROM runs WHERE session_id = sessions.id AND started_at IS NOT NULL) AS started
			FROM sessions WHERE id = ?`,
		id,
	);
	if (!row) return undefined;
	const { archived_at: archivedAt, started, ...session } = row;
	const isThere = ledger.files.exists(session.file);
	return { ...session, isThere, everStarted: started === 1, ...(archivedAt !== null && { archivedAt }) };
}
