import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeAll } from "../files/remove-all.ts";

/** Longer than any run. By then, its processes have finished even if its host died. */
const OLD_MS = 7 * 24 * 3_600_000;

/** Removes the folders of a run. None of its processes may be running: one could put a link in the way. */
export async function removeScratch(folder: string): Promise<void> {
	try {
		if (removeFew(folder)) return;
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // The rest takes longer to remove.
	}
	await removeAll(folder);
}

const FEW = 32;

/**
 * Removes what most runs leave, a few files of ours and some empty folders, synchronously: the run's outcome waits for this,
 * and `rm` goes through Node's threads several times. Leaves everything else, which may take long, to `rm`.
 */
function removeFew(folder: string): boolean {
	if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
	const own = readdirSync(folder, { withFileTypes: true });
	const folders = [folder];
	for (const each of folders) {
		const inside = each === folder ? own : readdirSync(each, { withFileTypes: true });
		if (each !== folder && inside.some((entry) => !entry.isDirectory())) return false;
		folders.push(...inside.filter((entry) => entry.isDirectory()).map(({ name }) => join(each, name)));
		if (folders.length > FEW) return false;
	}
	for (const entry of own) if (!entry.isDirectory()) unlinkSync(join(folder, entry.name));
	for (const each of folders.reverse()) rmdirSync(each);
	return true;
}

/** Removes the folders of runs whose host was killed. */
export async function sweepScratch(root: string, now = Date.now()): Promise<void> {
	for (const name of await readdir(root)) {
		const folder = join(root, name);
		const stats = await lstat(folder).catch(() => undefined); // Another host was faster.
		if (stats && now - stats.mtimeMs > OLD_MS) await removeScratch(folder);
	}
}
