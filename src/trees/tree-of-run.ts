import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { changeFiles } from "../ledger/change-files.ts";
import { findChanges, recordChanges } from "../ledger/changes.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Places } from "../ledger/places.ts";
import {
	findTree,
	folderForTree,
	reserveTree,
	type TreeRecord,
	treeNotHarvested,
	treeReady,
	treeRemoved,
} from "../ledger/trees.ts";
import type { Changes } from "../run/changes.ts";
import type { RunId, SessionId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { type CarriedOver, carryOver } from "./carry-over.ts";
import { totalOf } from "./changed-files.ts";
import { findCheckout } from "./checkout.ts";
import { objectsOf } from "./git-folder.ts";
import { packChanges } from "./harvest.ts";
import type { TreeLimits } from "./measure.ts";
import type { RunProgram } from "./program.ts";
import { receiveBundle } from "./receive.ts";
import { removeTreeFolder } from "./remove.ts";
import { requireVisible, type SnapshotOrder, snapshot, treeParts } from "./snapshot.ts";
import { TreeRefused } from "./tree-refused.ts";

/** Where trees and their changes are kept. */
export interface TreesPlace {
	ledger: Ledger;
	places: Places;
	/** The folder that holds the folders of all trees. */
	root: string;
}

export interface TreeWish extends Pick<SnapshotOrder, "limits" | "link" | "submodules" | "hidden"> {
	runId: RunId;
	sessionId: SessionId;
	/** The user's directory. */
	cwd: string;
	/** Folders that no tree may contain a copy of. */
	secret?: readonly string[];
}

/** Where a tree is, or will be. */
export interface TreePlace {
	/** The folder with the tree and our own data about it. */
	folder: string;
	/** The only folder in which a ring must let the child write. */
	tree: string;
	/** Where the child works in the tree: at the same relative path as `cwd` in the checkout. */
	cwd: string;
}

export interface OpenTree extends TreePlace {
	/** The user's files that git reads from inside the tree: the objects that it borrows. */
	borrows: string[];
	/** The earlier run of the session whose changes are in it. */
	carried?: RunId;
	warnings: string[];
}

/** Where the tree of a run will be once it is opened. */
export function treePlace(
	{ ledger, root }: TreesPlace,
	{ runId, sessionId, prefix }: Pick<TreeWish, "runId" | "sessionId"> & { prefix: string },
): TreePlace {
	const folder = folderForTree(ledger, treeFolders({ root, runId, sessionId }));
	const { tree } = treeParts(folder);
	return { folder, tree, cwd: join(tree, prefix) };
}

/**
 * The folder of the run's session, so that the child finds its files where they were; or a folder for this run, if an earlier
 * one left something there.
 */
function treeFolders({ root, runId, sessionId }: { root: string; runId: RunId; sessionId: SessionId }) {
	const folder = join(root, sessionId);
	return { runId, folder, otherwise: `${folder}.${runId}` };
}

/**
 * The tree of a run: an existing one if the run was interrupted, or a new one. The ledger records its place before anything is
 * created, so that no crash leaves an unknown tree.
 */
export async function openTree(place: TreesPlace, wish: TreeWish): Promise<OpenTree> {
	const { ledger, root } = place;
	const { runId, sessionId, cwd, secret = [] } = wish;
	const checkout = await findCheckout(cwd, { secret: [root, ...secret] });
	const reserved = reserveTree(ledger, { ...treeFolders({ root, runId, sessionId }), cwd, at: Date.now() });
	const { tree } = treeParts(reserved.folder);
	const opened = { folder: reserved.folder, tree, cwd: join(tree, checkout.prefix), borrows: objectsOf(checkout) };
	if (reserved.state !== "making") {
		// The repository may lead elsewhere since the tree was made.
		requireVisible({ checkout, ...(wish.hidden && { hidden: wish.hidden }) });
		const { carried, warnings } = reserved;
		return { ...opened, ...(carried !== undefined && { carried }), warnings };
	}
	mkdirSync(root, { recursive: true, mode: 0o700 });
	await removeTreeFolder(reserved.folder, root);
	try {
		const { limits, link, submodules, hidden = [] } = wish;
		const made = await snapshot({ checkout, folder: reserved.folder, limits, link, submodules, hidden });
		mkdirSync(opened.cwd, { recursive: true });
		const earlier = await carryOver(place, sessionId, reserved.folder);
		// A new tree without them would replace the changes that an earlier attempt of this run brought home.
		if (earlier?.from === runId && earlier.problem !== undefined)
			throw new TreeRefused("no_snapshot", notCarried(earlier));
		const carried = earlier?.problem === undefined ? earlier?.from : undefined;
		const warnings = earlier?.problem === undefined ? made.warnings : [...made.warnings, notCarried(earlier)];
		treeReady(ledger, runId, { base: made.base, carried, warnings });
		return { ...opened, ...(carried !== undefined && { carried }), warnings };
	} catch (error) {
		// Half a copy is useless, and takes up space on a full disk.
		await removeTreeFolder(reserved.folder, root);
		treeRemoved(ledger, runId);
		throw error;
	}
}

const notCarried = ({ from, problem }: CarriedOver): string =>
	`What run ${from} changed in this session is not in the tree, because it no longer applies to the checkout: ${problem}`;

export interface Homecoming {
	limits: TreeLimits;
	/** Runs programs inside a ring that can write only in `folder`, and can read `readable`. */
	inRing(folder: string, readable: readonly string[]): RunProgram;
}

/** What the result of a run says about its changes. */
export type BroughtHome =
	| { changes: Changes | undefined; warnings: string[] }
	/** The work is in the tree, which stays. */
	| { notHarvested: string; tree: string };

/**
 * Brings home the changes of a run, however it ended, and removes its tree. The tree is removed only after the ledger has
 * the changes. A second call for the same run gives the same answer.
 */
export async function bringHome(place: TreesPlace, runId: RunId, how: Homecoming): Promise<BroughtHome | undefined> {
	const { ledger, places } = place;
	const tree = findTree(ledger, runId);
	if (!tree) return undefined;
	if (tree.state === "ready") {
		try {
			const changes = await harvested(place, tree, how);
			recordChanges(ledger, { tree, at: Date.now(), changes });
		} catch (error) {
			const problem = messageOf(error);
			treeNotHarvested(ledger, runId, problem);
			return { notHarvested: problem, tree: treeParts(tree.folder).tree };
		}
	}
	await removeHarvested(place, tree);
	const known = findChanges(ledger, runId);
	return { changes: known && onlyChanges(known), warnings: tree.warnings };

	async function harvested({ root }: TreesPlace, { folder, base, cwd }: TreeRecord, { limits, inRing }: Homecoming) {
		if (!base) throw new Error(`The base of the tree ${folder} is unknown.`);
		const message = `What run ${runId} changed`;
		const checkout = await findCheckout(cwd, { secret: [root] });
		const packed = await packChanges({ folder, base, message, limits, inRing: inRing(folder, objectsOf(checkout)) });
		if (packed === undefined) return undefined;
		mkdirSync(places.changes, { recursive: true, mode: 0o700 });
		const { files, ...received } = await receiveBundle({
			packed,
			checkout,
			base,
			...changeFiles(places, runId),
			maxBytes: limits.maxBytes,
		});
		const total = totalOf(files);
		return { ...received, base, files: files.slice(0, FILES_LISTED), total };
	}
}

/** Removes a tree whose changes are home. If that fails now, others try again, since the ledger knows the folder. */
async function removeHarvested({ ledger, root }: TreesPlace, { folder, runId }: TreeRecord): Promise<void> {
	try {
		await removeTreeFolder(folder, root);
	} catch (error) {
		if (error instanceof Error) return;
		throw error;
	}
	treeRemoved(ledger, runId);
}

/** The limit for the ledger and for results; the patch has all files. */
export const FILES_LISTED = 200;

const onlyChanges = ({ base, commit, files, total, sha256, warnings }: Changes): Changes => ({
	base,
	commit,
	files,
	total,
	sha256,
	warnings,
});
