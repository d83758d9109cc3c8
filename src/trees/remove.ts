import { chmodSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Removes the folder of a tree, and nothing else: only what lies directly in the root of all trees, links resolved, is one.
 * Links inside are removed, never followed.
 */
export async function removeTreeFolder(folder: string, root: string): Promise<void> {
	if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
	if (!isTreeFolder(folder, root)) throw new Error(`${folder} is not the folder of a tree in ${root}, so it stays.`);
	try {
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		if (!(error instanceof Error && "code" in error && isAboutRights(error.code))) throw error;
		makeRemovable(folder);
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

function isTreeFolder(folder: string, root: string): boolean {
	if (!lstatSync(folder).isDirectory() || basename(folder).startsWith(".")) return false;
	return dirname(realpathSync(folder)) === realpathSync(root);
}

const isAboutRights = (code: unknown): boolean => code === "EACCES" || code === "EPERM" || code === "ENOTEMPTY";

/** A child may have taken its folders' rights away, which keeps others from removing what is in them. */
function makeRemovable(folder: string): void {
	chmodSync(folder, 0o700);
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		if (entry.isDirectory()) makeRemovable(join(folder, entry.name));
	}
}
