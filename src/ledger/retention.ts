import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type HostId, isHostId, isSessionId, type RunId, type SessionId } from "../run/ids.ts";
import { changeFiles } from "./change-files.ts";
import type { Ledger } from "./ledger.ts";
import type { Places } from "./places.ts";
import { archivedFile, wholeAnswerFile } from "./session-files.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The files of a dead host only help to investigate a failure. */
const HOST_DAYS = 3;
const COMPILED_DAYS = 30;
const REMOVED_AT_ONCE = 100;
/** A copy of a conversation is written moments before its run is admitted. */
const FORK_MS = 60 * 60_000;

export interface Retention {
	at: number;
	retentionDays: number;
	places: Places;
	/** Where an earlier call stopped. */
	from?: EndedPlace;
}

/** A place in the order in which runs ended. */
export interface EndedPlace {
	endedAt: number;
	seq: number;
}

const BEGINNING: EndedPlace = { endedAt: -1, seq: 0 };

/** What was removed. */
export interface Removed {
	runs: number;
	sessions: number;
	hosts: number;
	/** Transcripts, whole answers, logs, and changes. */
	files: number;
	bytes: number;
	/** Files that could not be removed; their rows in the ledger are kept. */
	failed: string[];
}

/** Takes the daily turn to clean up: of two processes that ask at once, one gets it. */
export function takeDailyTurn(ledger: Ledger, at: number): boolean {
	const sql = `${TIDIED} WHERE done_at <= excluded.done_at - ${DAY_MS}`;
	return ledger.transaction("normal", () => ledger.run(sql, at)) === 1;
}

export function recordTidied(ledger: Ledger, at: number): void {
	ledger.transaction("normal", () => ledger.run(TIDIED, at));
}

const TIDIED = `INSERT INTO chores (name, done_at) VALUES ('gc', ?)
	ON CONFLICT (name) DO UPDATE SET done_at = excluded.done_at`;

/**
 * Removes some of what has expired: runs that have finished and been delivered, the sessions that have no others, and what
 * dead hosts left behind. Call it again with `next` as `from` while there is one: this skips files that could not be
 * removed, which are retried another day. Never touches an open run, or one owed to a session that can be opened.
 *
 * Files go before the rows that name them, so that a crash in between leaves no file without a row. A session that is about
 * to lose its file is marked as archived first, so that no run continues it.
 */
export function removeExpired(ledger: Ledger, retention: Retention): Removed & { next?: EndedPlace } {
	const files = new Removal();
	const { runs, sessions } = ledger.transaction("full", () => expired(ledger, retention));
	const stuck = new Set<SessionId>();
	for (const { id, session_id } of runs) {
		const { patch, bundle } = changeFiles(retention.places, id);
		if (![patch, bundle].map((file) => files.remove(file)).every(Boolean)) stuck.add(session_id);
	}
	for (const { file, archivedAt, ...session } of sessions) {
		const names = runs.filter((run) => run.session_id === session.id).map(({ id }) => wholeAnswerFile(file, id));
		if (session.last) names.push(file, join(retention.places.forks, `${session.id}.jsonl`));
		const all = archivedAt === null ? names : [...names, ...names.map((name) => archivedFile(name, archivedAt))];
		if (!all.map((name) => files.remove(name)).every(Boolean)) stuck.add(session.id);
	}
	const gone = runs.filter((run) => !stuck.has(run.session_id));
	const removed = ledger.transaction("normal", () => ({
		runs: gone.reduce((count, { id }) => count + removeRun(ledger, id), 0),
		sessions: sessions.reduce((count, { id }) => count + removeSession(ledger, id), 0),
		hosts: removeHosts(ledger, retention.at - HOST_DAYS * DAY_MS),
	}));
	removeHostFiles(ledger, files, retention);
	removeCompiled(files, retention);
	removeForks(ledger, files, retention);
	const last = runs.at(-1);
	const next = last ? { endedAt: last.ended_at, seq: last.seq } : (retention.from ?? BEGINNING);
	const more = runs.length === REMOVED_AT_ONCE || removed.hosts === REMOVED_AT_ONCE;
	return {
		...removed,
		files: files.count,
		bytes: files.bytes,
		failed: files.failed,
		...(more && { next }),
	};
}

interface ExpiredRun {
	id: RunId;
	session_id: SessionId;
	ended_at: number;
	seq: number;
}

interface LosingSession {
	id: SessionId;
	file: string;
	archivedAt: number | null;
	/** Whether it has no other runs. */
	last: boolean;
}

const SETTLED = "delivery <> 'owed'";
/** A session that was never saved cannot be opened again, so no session will ever receive its outcomes. */
const NEVER_HEARD =
	"(delivery = 'owed' AND CASE WHEN json_valid(plan) THEN plan ->> '$.afterwards.parentKept' = 0 ELSE FALSE END)";

/** A tree may hold work that has not been brought home. The process that removes the tree records that first. */
const HAS_NO_TREE = "NOT EXISTS (SELECT 1 FROM trees WHERE run_id = runs.id AND trees.state <> 'removed')";

/** Time counts from the delivery, or from the archiving: a run whose report the user has just read is not old. */
function expired(
	ledger: Ledger,
	{ at, retentionDays, from = BEGINNING }: Retention,
): { runs: ExpiredRun[]; sessions: LosingSession[] } {
	const before = at - retentionDays * DAY_MS;
	const runs = ledger.all<ExpiredRun>(
		`SELECT id, session_id, ended_at, seq FROM runs WHERE state = 'ended' AND ended_at <= ? AND ended_at >= ?
			AND (ended_at, seq) > (?, ?) AND ((${SETTLED} AND delivered_at <= ?) OR ${NEVER_HEARD})
			AND coalesce(archived_at <= ?, TRUE) AND ${HAS_NO_TREE} ORDER BY ended_at, seq LIMIT ?`,
		before,
		from.endedAt,
		from.endedAt,
		from.seq,
		before,
		before,
		REMOVED_AT_ONCE,
	);
	const sessions = [...new Set(runs.map((run) => run.session_id))].flatMap((id) => {
		const removed = runs.filter((run) => run.session_id === id).length;
		const all = ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE session_id = ?", id)?.n ?? 0;
		const last = all === removed;
		if (last) ledger.run("UPDATE sessions SET archived_at = ? WHERE id = ? AND archived_at IS NULL", at, id);
		const row = ledger.get<{ file: string; archivedAt: number | null }>(
			"SELECT file, archived_at AS archivedAt FROM sessions WHERE id = ?",
			id,
		);
		// Without a row, no file is known.
		return row ? [{ id, ...row, last }] : [];
	});
	return { runs, sessions };
}

function removeRun(ledger: Ledger, id: RunId): number {
	ledger.run("DELETE FROM inbox WHERE run_id = ?", id);
	return ledger.run(`DELETE FROM runs WHERE id = ? AND state = 'ended' AND (${SETTLED} OR ${NEVER_HEARD})`, id);
}

const removeSession = (ledger: Ledger, id: SessionId): number =>
	ledger.run(
		"DELETE FROM sessions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE session_id = sessions.id)",
		id,
	);

/** Regardless of their state: a host that was killed while idle never recorded that it left. */
function removeHosts(ledger: Ledger, before: number): number {
	const sql = `DELETE FROM hosts WHERE id IN (SELECT id FROM hosts WHERE lease_until <= ?
		AND NOT EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND host_id = hosts.id) LIMIT ?)`;
	return ledger.run(sql, before, REMOVED_AT_ONCE);
}

/** Removes logs, and sockets of killed hosts, that belong to no host of the ledger. */
function removeHostFiles(ledger: Ledger, files: Removal, { at, places }: Retention): void {
	const known = (id: HostId) => ledger.get("SELECT 1 FROM hosts WHERE id = ?", id) !== undefined;
	for (const name of namesInFolder(places.hosts)) {
		const id = name.replace(/\.(log(\.\d)?|sock)$/, "");
		if (id === name || !isHostId(id) || known(id)) continue;
		const file = join(places.hosts, name);
		const age = at - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? at);
		if (age >= HOST_DAYS * DAY_MS) files.remove(file);
	}
}

/** Removes the compile cache of releases that are no longer used. Code that is still used is compiled once more. */
function removeCompiled(files: Removal, { at, places }: Retention): void {
	const ofVersions = [places.compiled, places.ringed.compiled].flatMap((folder) =>
		namesInFolder(folder).map((version) => join(folder, version)),
	);
	for (const folder of [...ofVersions, places.ringed.loader]) {
		for (const name of namesInFolder(folder)) {
			const file = join(folder, name);
			const age = at - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? at);
			if (age >= COMPILED_DAYS * DAY_MS) files.remove(file);
		}
	}
}

/** Removes copies of conversations whose parent was killed before it admitted the run. */
function removeForks(ledger: Ledger, files: Removal, { at, places }: Retention): void {
	for (const name of namesInFolder(places.forks)) {
		const id = name.replace(/\.jsonl$/, "");
		if (!isSessionId(id) || ledger.get("SELECT 1 FROM sessions WHERE id = ?", id) !== undefined) continue;
		const file = join(places.forks, name);
		const age = at - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? at);
		if (age >= FORK_MS) files.remove(file);
	}
}

function namesInFolder(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	}
}

/** Removes files and counts what that freed. */
class Removal {
	count = 0;
	bytes = 0;
	readonly failed: string[] = [];

	/** False if the file is still there. */
	remove(file: string): boolean {
		const size = statSync(file, { throwIfNoEntry: false })?.size;
		if (size === undefined) return true;
		try {
			rmSync(file, { force: true });
		} catch (error) {
			if (!(error instanceof Error && "code" in error)) throw error;
			this.failed.push(file);
			return false;
		}
		this.count++;
		this.bytes += size;
		return true;
	}
}
