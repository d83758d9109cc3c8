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
	archivedAt?: number;
}

/** Whether a queued run waits because its session has a run before it: one session never has two writers. */
export function waitsForSession(ledger: Ledger, runId: RunId): boolean {
	const sql = `SELECT 1 FROM runs AS waiting JOIN runs AS before ON before.session_id = waiting.session_id
		WHERE waiting.id = ? AND before.seq < waiting.seq AND before.state <> 'ended'`;
	return ledger.get(sql, runId) !== undefined;
}

export function findSession(ledger: Ledger, id: SessionId): SessionRecord | undefined {
	const row = ledger.get<Omit<SessionRecord, "archivedAt"> & { archived_at: number | null }>(
		"SELECT id, agent, cwd, file, definition, archived_at FROM sessions WHERE id = ?",
		id,
	);
	if (!row) return undefined;
	const { archived_at: archivedAt, ...session } = row;
	return archivedAt === null ? session : { ...session, archivedAt };
}
