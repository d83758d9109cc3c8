import { lstatSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { findChanges } from "../ledger/changes.ts";
import { knowsTreeFolder, treeRemoved, treesLeft } from "../ledger/trees.ts";
import { isRunId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { removeTreeFolder } from "./remove.ts";
import { bringHome, type Homecoming, type TreesPlace } from "./tree-of-run.ts";

const ONE_DAY_MS = 24 * 60 * 60_000;

export interface Clearing {
	at: number;
	retentionDays: number;
	/** Undefined if there is no ring: trees that a child worked in then stay until they expire. */
	how?: Homecoming;
}

export interface Cleared {
	/** Folders of trees, and files of changes. */
	removed: number;
	/** Trees whose changes this call brought home. */
	harvested: number;
	failed: string[];
}

/**
 * Cleans up after killed processes: half-made trees, trees of finished runs, whose changes are brought home first, and files
 * that no ledger knows.
 */
export async function clearLeftovers(place: TreesPlace, clearing: Clearing): Promise<Cleared> {
	const cleared: Cleared = { removed: 0, harvested: 0, failed: [] };
	for (const tree of treesLeft(place.ledger)) {
		if (!tree.runEnded) continue; // The next host of the run uses it.
		await attempt(tree.folder, async () => {
			const isOld = (tree.endedAt ?? clearing.at) <= clearing.at - clearing.retentionDays * ONE_DAY_MS;
			if (tree.state === "ready" && !isOld) {
				if (!clearing.how) return;
				const home = await bringHome(place, tree.runId, clearing.how);
				if (home && "notHarvested" in home) cleared.failed.push(`${tree.folder}: ${home.notHarvested}`);
				else cleared.harvested++;
				return;
			}
			await removeTreeFolder(tree.folder, place.root);
			treeRemoved(place.ledger, tree.runId);
			cleared.removed++;
		});
	}
	await removeUnknown(place, clearing, attempt);
	return cleared;

	async function attempt(what: string, work: () => Promise<void>): Promise<void> {
		await work().catch((error) => {
			cleared.failed.push(`${what}: ${messageOf(error)}`);
		});
	}

	/** Removes trees of a lost ledger, and of expired runs. */
	async function removeUnknown(
		{ ledger, places, root }: TreesPlace,
		{ at, retentionDays }: Clearing,
		attempt: (what: string, work: () => Promise<void>) => Promise<void>,
	): Promise<void> {
		const isOld = (path: string, days: number) =>
			at - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? at) >= days * ONE_DAY_MS;
		for (const name of namesBelow(root)) {
			const folder = join(root, name);
			if (knowsTreeFolder(ledger, folder) || !isOld(folder, retentionDays)) continue;
			await attempt(folder, async () => {
				await removeTreeFolder(folder, root);
				cleared.removed++;
			});
		}
		for (const name of namesBelow(places.changes)) {
			const [id = ""] = name.split(".");
			const file = join(places.changes, name);
			const changes = isRunId(id) ? findChanges(ledger, id) : undefined;
			if ((changes && changes.state !== "discarded" && !/\.(part|check)$/.test(name)) || !isOld(file, 1)) continue;
			await attempt(file, async () => {
				await rm(file, { recursive: true, force: true });
				cleared.removed++;
			});
		}
	}
}

function namesBelow(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
		throw error;
	}
}
