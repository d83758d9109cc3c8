import type { Changes, ChangesState } from "../run/changes.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { Ledger } from "./ledger.ts";
import type { RunScope } from "./run-list.ts";
import { isTreeBase, storedJson, type TreeRecord, treeHarvested } from "./trees.ts";

export interface ChangesRecord extends Changes {
	runId: RunId;
	state: ChangesState;
	/** The user's directory that the changes are for. */
	cwd: string;
	branch?: string;
	createdAt: number;
}

/** What was done with changes, by whom and when. */
export interface ChangeEvent {
	what: ChangeDeed;
	by: string;
	at: number;
}

export type ChangeDeed = "applied" | "undone" | "branched" | "discarded" | "superseded";

interface ChangesRow {
	run_id: RunId;
	state: ChangesState;
	cwd: string;
	holder: string | null;
	branch: string | null;
	created_at: number;
	content: string;
}

/**
 * Records what a run changed and, in the same transaction, that its tree need not be kept. If the run began with the
 * changes of an earlier run, its own include them, so the earlier ones are superseded.
 */
export function recordChanges(
	ledger: Ledger,
	{ tree, at, changes }: { tree: TreeRecord; at: number; changes: Changes | undefined },
): void {
	const { runId, cwd, carried } = tree;
	ledger.transaction("full", () => {
		if (carried !== undefined && carried !== runId && isPending(ledger, carried)) {
			ledger.run("UPDATE changes SET state = 'superseded' WHERE run_id = ?", carried);
			addEvent(ledger, carried, { what: "superseded", by: `run ${runId}`, at });
		}
		if (changes) {
			ledger.run(
				`INSERT INTO changes (run_id, state, cwd, created_at, content) VALUES (?, 'pending', ?, ?, ?)
					ON CONFLICT (run_id) DO UPDATE SET created_at = excluded.created_at, content = excluded.content
					WHERE state = 'pending'`,
				runId,
				cwd,
				at,
				JSON.stringify(changes),
			);
		} else if (carried === runId) {
			// An earlier attempt was harvested, and this one reverted all of it.
			ledger.run("DELETE FROM changes WHERE run_id = ? AND state = 'pending'", runId);
		}
		treeHarvested(ledger, runId);
	});
}

const isPending = (ledger: Ledger, runId: RunId): boolean =>
	ledger.get("SELECT 1 FROM changes WHERE run_id = ? AND state = 'pending'", runId) !== undefined;

/** The newest pending changes of a session. */
export function pendingChangesOf(ledger: Ledger, sessionId: SessionId): ChangesRecord | undefined {
	const sql = `SELECT changes.* FROM runs JOIN changes ON changes.run_id = runs.id
		WHERE runs.session_id = ? AND changes.state = 'pending' ORDER BY runs.seq DESC LIMIT 1`;
	const row = ledger.get<ChangesRow>(sql, sessionId);
	return row && toChanges(row);
}

function addEvent(ledger: Ledger, runId: RunId, { what, by, at }: ChangeEvent): void {
	ledger.run("INSERT INTO change_events (run_id, what, by, at) VALUES (?, ?, ?, ?)", runId, what, by, at);
}

export function findChanges(ledger: Ledger, runId: RunId): ChangesRecord | undefined {
	const row = ledger.get<ChangesRow>("SELECT * FROM changes WHERE run_id = ?", runId);
	return row && toChanges(row);
}

/** Changes of the runs in scope, the newest first. */
export function listChanges(ledger: Ledger, { parentSession, cwd }: RunScope, limit: number): ChangesRecord[] {
	const sql = `SELECT changes.* FROM changes JOIN runs ON runs.id = changes.run_id
		WHERE (?1 IS NULL OR runs.parent_session = ?1)
			AND (?2 IS NULL OR runs.session_id IN (SELECT id FROM sessions WHERE cwd = ?2))
		ORDER BY runs.seq DESC LIMIT ?3`;
	return ledger.all<ChangesRow>(sql, parentSession ?? null, cwd ?? null, limit).flatMap((row) => toChanges(row) ?? []);
}

export const changeEvents = (ledger: Ledger, runId: RunId): ChangeEvent[] =>
	ledger.all<ChangeEvent>("SELECT what, by, at FROM change_events WHERE run_id = ? ORDER BY seq", runId);

/** The process that is applying or undoing changes, and how to check whether a holder still lives. */
export interface ChangeHolder {
	name: string;
	isAlive(name: string): boolean;
}

/**
 * Begins to apply or to undo changes. Only one process may do so at a time, for all changes: two that work on one
 * checkout would each look at files that the other is about to write. Returns the previous state, or which run's
 * changes are in the way.
 */
export function beginChange(
	ledger: Ledger,
	runId: RunId,
	{ to, from, holder }: { to: "applying" | "undoing"; from: readonly ChangesState[]; holder: ChangeHolder },
): { was: ChangesState } | { busyWith: RunId } | { is: ChangesState | undefined } {
	return ledger.transaction("full", () => {
		const held = ledger
			.all<{ run_id: RunId; holder: string }>("SELECT run_id, holder FROM changes WHERE holder IS NOT NULL")
			.find((row) => row.holder !== holder.name && holder.isAlive(row.holder));
		if (held) return { busyWith: held.run_id };
		const is = ledger.get<{ state: ChangesState }>("SELECT state FROM changes WHERE run_id = ?", runId)?.state;
		if (is === undefined || !from.includes(is)) return { is };
		ledger.run("UPDATE changes SET state = ?, holder = ? WHERE run_id = ?", to, holder.name, runId);
		return { was: is };
	});
}

/** Finishes the operation, or returns to the previous state. With `deed`, the operation is recorded. */
export function settleChange(
	ledger: Ledger,
	runId: RunId,
	{ to, deed, branch }: { to: ChangesState; deed?: ChangeEvent; branch?: string },
): void {
	ledger.transaction("full", () => {
		ledger.run(
			"UPDATE changes SET state = ?, holder = NULL, branch = coalesce(?, branch) WHERE run_id = ?",
			to,
			branch ?? null,
			runId,
		);
		if (deed) addEvent(ledger, runId, deed);
	});
}

function toChanges(row: ChangesRow): ChangesRecord | undefined {
	const content = storedJson(row.content);
	if (!isChanges(content)) return undefined;
	return {
		...content,
		runId: row.run_id,
		state: row.state,
		cwd: row.cwd,
		...(row.branch !== null && { branch: row.branch }),
		createdAt: row.created_at,
	};
}

/** Checks the fields that are used. Any program may have written the ledger's file. */
const isChanges = (value: unknown): value is Changes =>
	isRecord(value) &&
	isTreeBase(value.base) &&
	typeof value.commit === "string" &&
	Array.isArray(value.files) &&
	value.files.every((file) => isRecord(file) && typeof file.path === "string" && typeof file.status === "string") &&
	isRecord(value.total) &&
	isRecord(value.sha256) &&
	typeof value.sha256.patch === "string" &&
	typeof value.sha256.bundle === "string" &&
	Array.isArray(value.warnings);

/** The state of a run's changes; undefined if it has none. */
export const changesStateOf = (ledger: Ledger, runId: RunId): ChangesState | undefined =>
	ledger.get<{ state: ChangesState }>("SELECT state FROM changes WHERE run_id = ?", runId)?.state;
