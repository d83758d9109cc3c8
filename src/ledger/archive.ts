import type { RunId, SessionId } from "../run/ids.ts";
import type { Ledger } from "./ledger.ts";
import { applyInTransaction } from "./progress.ts";
import type { RunRecord } from "./records.ts";
import { archivedFile } from "./session-files.ts";
import { findSession } from "./sessions.ts";

/** How many sessions are archived at one look: other writers should not have to wait. The next look does the rest. */
const ARCHIVED_AT_ONCE = 20;
/** When a file that could not be renamed is tried again. */
const TRY_AGAIN_MS = 10 * 60_000;

/**
 * Archives the child sessions that are due: any process may, at any time. Three steps, and the next process completes
 * what a crash left between them:
 *
 * 1. The session is marked. It can no longer be continued, so no process writes to its file.
 * 2. Its file is renamed. The mark decides the name: of two processes that do it at once, the second has nothing to do.
 * 3. Its runs are marked. Until then they are due, and found again.
 */
export function archiveDueSessions(ledger: Ledger, at: number): { archived: SessionId[]; failed: ArchiveFailure[] } {
	// Check before locking: most looks find nothing.
	if (!mayBeDue(ledger, at) || dueSessions(ledger, at).length === 0) return { archived: [], failed: [] };
	const marked = ledger.transaction("full", () => dueSessions(ledger, at).flatMap((id) => markSession(ledger, id, at)));
	const failed = marked.flatMap((session) => putAway(ledger, session));
	const stuck = new Set(failed.map(({ sessionId }) => sessionId));
	const archived = marked.filter(({ id }) => !stuck.has(id));
	ledger.transaction("normal", () => {
		for (const session of archived) markRuns(ledger, session);
		for (const id of stuck) postpone(ledger, id, at + TRY_AGAIN_MS);
	});
	return { archived: archived.map(({ id }) => id), failed };
}

/**
 * Where the transcript of a run that is about to be announced will be. If its session is archived after the announce
 * (`cleanup: "delete"`), the session is marked here, which decides the file's name: the announce can then name a file
 * that will be there, even if the announce has to be made again.
 */
export function transcriptToTell(ledger: Ledger, { sessionId, plan }: RunRecord, at: number): string {
	const known = findSession(ledger, sessionId);
	if (known?.archivedAt !== undefined) return archivedFile(known.file, known.archivedAt);
	if (plan.afterwards.cleanup !== "delete") return plan.session.file;
	return ledger.transaction("full", () => {
		if (!isLeftToAnnounce(ledger, sessionId)) return plan.session.file;
		const [marked] = markSession(ledger, sessionId, at);
		return marked ? archivedFile(marked.file, marked.archivedAt) : plan.session.file;
	});
}

/** Whether all runs of a session have finished, and the last of them is one whose announce archives it. */
function isLeftToAnnounce(ledger: Ledger, id: SessionId): boolean {
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

/** Called at every look. SQLite plans the full query again for each new time it is given, but not this one. */
const mayBeDue = (ledger: Ledger, at: number): boolean =>
	ledger.get(
		"SELECT 1 FROM runs WHERE archive_at <= ? AND archive_at IS NOT NULL AND archived_at IS NULL LIMIT 1",
		at,
	) !== undefined;

/** Never one with a run that is open or whose outcome is owed, nor one that was continued since and is not due yet. */
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
	// Runs without a session have nothing to archive. They must not be found due again and again.
	ledger.run("UPDATE runs SET archive_at = NULL WHERE session_id = ?", id);
	return [];
}

/** Whole answers that were kept stay: the announce says where they are. */
function putAway({ files }: Ledger, { id, file, archivedAt }: MarkedSession): ArchiveFailure[] {
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
