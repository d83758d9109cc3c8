import type { TreeBase } from "../run/changes.ts";
import type { RunId } from "../run/ids.ts";
import { isRecord } from "../run/is-record.ts";
import type { Ledger } from "./ledger.ts";

/**
 * making: its folder may exist, incomplete. ready: the run works in it, or its changes have not been brought home yet.
 * harvested: its changes are home, and the folder can be removed. removed: the folder is gone.
 */
export type TreeState = "making" | "ready" | "harvested" | "removed";

export interface TreeRecord {
	runId: RunId;
	state: TreeState;
	folder: string;
	/** The user's directory, of which the tree is a copy. */
	cwd: string;
	createdAt: number;
	/** Known once it is ready. */
	base?: TreeBase;
	/** The run of the same session whose changes it began with, besides its base. */
	carried?: RunId;
	warnings: string[];
	/** Why its changes could not be brought home. */
	problem?: string;
	/** Whether its run has finished. */
	runEnded: boolean;
	endedAt?: number;
}

interface TreeRow {
	run_id: RunId;
	state: TreeState;
	folder: string;
	cwd: string;
	created_at: number;
	base: string | null;
	carried: RunId | null;
	warnings: string | null;
	problem: string | null;
	run_state: string;
	ended_at: number | null;
}

const TREES = `SELECT trees.*, runs.state AS run_state, runs.ended_at FROM trees JOIN runs ON runs.id = trees.run_id`;

interface TreeFolders {
	runId: RunId;
	/** The planned folder, and the alternative if an earlier run has left something there. */
	folder: string;
	otherwise: string;
}

/** The folder of a run's tree, existing or planned. Runs of one session come one after the other. */
export function folderForTree(ledger: Ledger, { runId, folder, otherwise }: TreeFolders): string {
	const known = findTree(ledger, runId);
	if (known && known.state !== "removed") return known.folder;
	return knowsTreeFolder(ledger, folder) ? otherwise : folder;
}

/**
 * Reserves the folder for the tree of a run, before anything is there. A run that was interrupted while its tree was
 * made gets the same folder again.
 */
export function reserveTree(ledger: Ledger, tree: TreeFolders & { cwd: string; at: number }): TreeRecord {
	const { runId, cwd, at } = tree;
	return ledger.transaction("full", () => {
		const known = findTree(ledger, runId);
		// A harvested folder may be half removed, and would not be harvested again. Its changes are carried into a new one.
		if (known?.state === "making" || known?.state === "ready") return known;
		ledger.run(
			`INSERT INTO trees (run_id, state, folder, cwd, created_at) VALUES (?, 'making', ?, ?, ?)
				ON CONFLICT (run_id) DO UPDATE SET state = 'making', folder = excluded.folder, base = NULL, carried = NULL, warnings = NULL, problem = NULL`,
			runId,
			folderForTree(ledger, tree),
			cwd,
			at,
		);
		const made = findTree(ledger, runId);
		if (!made) throw new Error(`Run ${runId} is not in the ledger, so it can have no tree.`);
		return made;
	});
}

export function treeReady(
	ledger: Ledger,
	runId: RunId,
	{ base, carried, warnings }: { base: TreeBase; carried?: RunId | undefined; warnings: string[] },
): void {
	ledger.transaction("full", () =>
		ledger.run(
			"UPDATE trees SET state = 'ready', base = ?, carried = ?, warnings = ? WHERE run_id = ? AND state = 'making'",
			JSON.stringify(base),
			carried ?? null,
			JSON.stringify(warnings),
			runId,
		),
	);
}

/** Part of the transaction that records its changes. */
export function treeHarvested(ledger: Ledger, runId: RunId): void {
	ledger.run("UPDATE trees SET state = 'harvested', problem = NULL WHERE run_id = ? AND state = 'ready'", runId);
}

export function treeNotHarvested(ledger: Ledger, runId: RunId, problem: string): void {
	ledger.transaction("full", () => ledger.run("UPDATE trees SET problem = ? WHERE run_id = ?", problem, runId));
}

export function treeRemoved(ledger: Ledger, runId: RunId): void {
	ledger.transaction("full", () => ledger.run("UPDATE trees SET state = 'removed' WHERE run_id = ?", runId));
}

export function findTree(ledger: Ledger, runId: RunId): TreeRecord | undefined {
	const row = ledger.get<TreeRow>(`${TREES} WHERE run_id = ?`, runId);
	return row && toTree(row);
}

/** All trees whose folder may still exist. */
export const treesLeft = (ledger: Ledger): TreeRecord[] =>
	ledger.all<TreeRow>(`${TREES} WHERE trees.state <> 'removed' ORDER BY trees.folder`).map(toTree);

export const knowsTreeFolder = (ledger: Ledger, folder: string): boolean =>
	ledger.get("SELECT 1 FROM trees WHERE folder = ? AND state <> 'removed'", folder) !== undefined;

function toTree(row: TreeRow): TreeRecord {
	const base = storedJson(row.base);
	const warnings = storedJson(row.warnings);
	return {
		runId: row.run_id,
		state: row.state,
		folder: row.folder,
		cwd: row.cwd,
		createdAt: row.created_at,
		...(isTreeBase(base) && { base }),
		...(row.carried !== null && { carried: row.carried }),
		warnings: Array.isArray(warnings) ? warnings.filter((one) => typeof one === "string") : [],
		...(row.problem !== null && { problem: row.problem }),
		runEnded: row.run_state === "ended",
		...(row.ended_at !== null && { endedAt: row.ended_at }),
	};
}

export const isTreeBase = (value: unknown): value is TreeBase =>
	isRecord(value) &&
	typeof value.commit === "string" &&
	typeof value.dirty === "boolean" &&
	(value.head === undefined || typeof value.head === "string");

/** Undefined if it cannot be read: a damaged row has no base, and is not harvested. */
export function storedJson(json: string | null): unknown {
	try {
		return json === null ? undefined : JSON.parse(json);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}
