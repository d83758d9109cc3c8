import type { RunId, SessionId } from "../run/ids.ts";
import type { RunState } from "../run/run.ts";
import type { Ledger } from "./ledger.ts";
import type { RunMode } from "./records.ts";

/** A child session of a parent session, with the run that decides its state: the running or next one, or else the last. */
export interface ChildSessionRow {
	sessionId: SessionId;
	runId: RunId;
	mode: RunMode;
	label?: string;
	state: RunState;
	endedAt?: number;
}

/** All child sessions that a parent session has runs in, newest run first. Read without the long texts of a run. */
export function childSessionsOf(ledger: Ledger, parentSession: string): ChildSessionRow[] {
	const rows = ledger.all<{
		id: RunId;
		session_id: SessionId;
		mode: RunMode;
		label: string | null;
		state: RunState;
		ended_at: number | null;
	}>(
		"SELECT id, session_id, mode, label, state, ended_at FROM runs WHERE parent_session = ? ORDER BY seq DESC",
		parentSession,
	);
	const sessions = new Map<SessionId, ChildSessionRow>();
	for (const { id, session_id, label, ended_at, ...row } of rows) {
		// From the newest to the oldest: the oldest of several open runs is the running one.
		if (sessions.has(session_id) && row.state === "ended") continue;
		sessions.set(session_id, {
			...row,
			sessionId: session_id,
			runId: id,
			...(label !== null && { label }),
			...(ended_at !== null && { endedAt: ended_at }),
		});
	}
	return [...sessions.values()];
}
