import { execFile } from "node:child_process";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** Longer than any run. Its processes have ended by then, whatever became of its host. */
const OLD_MS = 7 * 24 * 3_600_000;

/** Removes what a run kept in its own folders. None of its processes may be left: one could put a link in the way. */
export async function removeScratch(folder: string): Promise<void> {
	try {
		await rm(folder, { recursive: true, force: true });
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		// Folders that their maker has closed to itself. chmod follows no links on its way down.
		await promisify(execFile)("chmod", ["-R", "u+rwX", folder]);
		await rm(folder, { recursive: true, force: true });
	}
}

/** Removes what runs left whose host was killed. */
export async function sweepScratch(root: string, now = Date.now()): Promise<void> {
	for (const name of await readdir(root)) {
		const folder = join(root, name);
		const stats = await lstat(folder).catch(() => undefined); // Another host was faster.
		if (stats && now - stats.mtimeMs > OLD_MS) await removeScratch(folder);
	}
}
