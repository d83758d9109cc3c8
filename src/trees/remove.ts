import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { removeAll } from "../files/remove-all.ts";

/**
 * Removes the folder of a tree, and nothing else: it must be directly in the root of all trees, with links resolved. Removes
 * links inside the folder without following them.
 */
export async function removeTreeFolder(folder: string, root: string): Promise<void> {
	if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
	if (!isTreeFolder(folder, root)) throw new Error(`${folder} is not the folder of a tree in ${root}, so it stays.`);
	await removeAll(folder);
}

function isTreeFolder(folder: string, root: string): boolean {
	if (!lstatSync(folder).isDirectory() || basename(folder).startsWith(".")) return false;
	return dirname(realpathSync(folder)) === realpathSync(root);
}
