import type { RunId, SessionId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { applyInTransaction } from "./progress.ts";
import type { RunRecord } from "./records.ts";
import { archivedFile } from "./session-files.ts";
import { findSession } from "./sessions.ts";

/** The most sessions that one look archives, so that other writers do not wait long. The next look does the rest. */
const ARCHIVED_AT_ONCE = 20;
/** How long to wait before renaming a file again that could not be renamed. */
const TRY_AGAIN_MS = 10 * 60_000;

/**
 * Archives the child sessions that are due. Any process may do it at any time. There are three steps, and the next process
 * completes what a crash interrupted:
 *
 * 1. The session is marked. It can no longer be continued, so no process writes to its file.
 * 2. Its file is renamed. The mark decides the name: of two processes that do it at once, the second has nothing to do.
 * 3. Its runs are marked. Until then they stay due, and the next look finds them.
 */
export function archiveDueSessions(ledger: Ledger, at: number): { archived: SessionId[]; failed: ArchiveFailure[] } {
	// Check before locking: most looks find nothing.
	if (!mayBeDue(ledger, at) || dueSessions(ledger, at).length === 0) return { archived: [], failed: [] };
	const marked = ledger.transaction("full", () => dueSessions(ledger, at).flatMap((id) => markSession(ledger, id, at)));
	const failed = marked.flatMap((session) => renameTranscript(ledger, session));
	const stuck = new Set(failed.map(({ sessionId }) => sessionId));
	const archived = marked.filter(({ id }) => !stuck.has(id));
	ledger.transaction("normal", () => {
		for (const session of archived) markRuns(ledger, session);
		for (const id of stuck) postpone(ledger, id, at + TRY_AGAIN_MS);
	});
	return { archived: archived.map(({ id }) => id), failed };
}

/**
 * Where the user will find the transcript of a run that is about to be announced. If the announce archives the session
 * (`cleanup: "delete"`), the session is marked here. That decides the file's name, so that every attempt to announce the
 * run names the right file.
 */
export function transcriptToAnnounce(ledger: Ledger, { sessionId, plan }: RunRecord, at: number): string {
	const known = findSession(ledger, sessionId);
	if (known?.archivedAt !== undefined) return archivedFile(known.file, known.archivedAt);
	if (plan.afterwards.cleanup !== "delete") return plan.session.file;
	return ledger.transaction("full", () => {
		if (!isArchivedByAnnounce(ledger, sessionId)) return plan.session.file;
		const [marked] = markSession(ledger, sessionId, at);
		return marked ? archivedFile(marked.file, marked.archivedAt) : plan.session.file;
	});
}

/** Whether all runs of a session have finished, and the last of them is one whose announce archives it. */
function isArchivedByAnnounce(ledger: Ledger, id: SessionId): boolean {
	const open = ledger.get("SELECT 1 FROM runs WHERE session_id = ? AND state <> 'ended' LIMIT 1", id);
	const last = ledger.get<{ cleanup: string; mode: string }>(
		"SELECT plan ->> '$.afterwards.cleanup' AS cleanup, mode FROM runs WHERE session_id = ? ORDER BY seq DESC LIMIT 1",
		id,
	);
	return open === undefined && last?.cleanup === "delete" && last.mode === "background";
}

export interface ArchiveFailure {
	sessionId: SessionId;
	error: Error;
}

interface MarkedSession {
	id: SessionId;
	file: string;
	archivedAt: number;
}

/** Called at every look. For each new time, SQLite would plan the full query again, but not this one. */
const mayBeDue = (ledger: Ledger, at: number): boolean =>
	ledger.get(
		"SELECT 1 FROM runs WHERE archive_at <= ? AND archive_at IS NOT NULL AND archived_at IS NULL LIMIT 1",
		at,
	) !== undefined;

/** Excludes sessions with an open run or an owed outcome, and those that were continued since and are not due yet. */
function dueSessions(ledger: Ledger, at: number): SessionId[] {
	const rows = ledger.all<{ session_id: SessionId }>(
		`SELECT session_id FROM runs AS due WHERE archive_at <= ? AND archive_at IS NOT NULL AND archived_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM runs AS other WHERE other.session_id = due.session_id AND (other.state <> 'ended'
				OR other.delivery = 'owed' OR (other.seq > due.seq AND coalesce(other.archive_at > ?, TRUE))))
			ORDER BY archive_at LIMIT ?`,
		at,
		at,
		ARCHIVED_AT_ONCE,
	);
	return [...new Set(rows.map((row) => row.session_id))];
}

function markSession(ledger: Ledger, id: SessionId, at: number): MarkedSession[] {
	ledger.run("UPDATE sessions SET archived_at = ? WHERE id = ? AND archived_at IS NULL", at, id);
	const session = ledger.get<{ file: string; archived_at: number }>(
		"SELECT file, archived_at FROM sessions WHERE id = ?",
		id,
	);
	if (session) return [{ id, file: session.file, archivedAt: session.archived_at }];
	// Runs without a session have nothing to archive, and must not stay due forever.
	ledger.run("UPDATE runs SET archive_at = NULL WHERE session_id = ?", id);
	return [];
}

/** Does not rename kept answers: the announce says where they are. */
function renameTranscript({ files }: Ledger, { id, file, archivedAt }: MarkedSession): ArchiveFailure[] {
	try {
		files.rename(file, archivedFile(file, archivedAt));
		return [];
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		// Renamed by another process, or never written.
		return error.code === "ENOENT" ? [] : [{ sessionId: id, error }];
	}
}

function markRuns(ledger: Ledger, { id, archivedAt }: MarkedSession): void {
	for (const run of runsOf(ledger, id)) applyInTransaction(ledger, run, { type: "archived", at: archivedAt });
}

function postpone(ledger: Ledger, id: SessionId, until: number): void {
	ledger.run("UPDATE runs SET archive_at = ? WHERE session_id = ? AND archive_at IS NOT NULL", until, id);
}

const runsOf = (ledger: Ledger, id: SessionId): RunId[] =>
	ledger.all<{ id: RunId }>("SELECT id FROM runs WHERE session_id = ?", id).map((run) => run.id);
