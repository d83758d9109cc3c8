import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { TreeRefused } from "./tree-refused.ts";

/** How large a snapshot may be. */
export interface TreeLimits {
	maxFiles: number;
	maxBytes: number;
}

export const TREE_LIMITS: TreeLimits = { maxFiles: 50_000, maxBytes: 1024 ** 3 };

/** The paths are those of git, which need not be UTF-8. */
export interface Measured {
	files: number;
	bytes: number;
	/** Folders with another repository: those that the index knows as submodules, and those it does not. */
	submodules: Buffer[];
	embedded: Buffer[];
	/** Pipes, sockets and devices, which git cannot store. */
	special: Buffer[];
}

/** How many files to examine before letting the screen update. */
const LOOKED_AT_ONCE = 1000;

/** Counts the paths that git listed and their bytes. Refuses a list over a limit: `what` names what was too large. */
export async function measure(
	paths: readonly Buffer[],
	{ top, limits, what }: { top: string; limits: TreeLimits; what: string },
): Promise<Measured> {
	const measured: Measured = { files: 0, bytes: 0, submodules: [], embedded: [], special: [] };
	if (paths.length > limits.maxFiles) throw tooManyFiles(what, limits);
	for (const [index, path] of paths.entries()) {
		if (index % LOOKED_AT_ONCE === LOOKED_AT_ONCE - 1) await setImmediate();
		// Only a folder with another repository is listed as a folder.
		if (path.at(-1) === SLASH) {
			measured.embedded.push(path.subarray(0, -1));
			continue;
		}
		const found = lstatIfThere(Buffer.concat([Buffer.from(join(top, "/")), path]));
		if (!found) continue; // The file is deleted, but still in the index.
		if (found.isDirectory()) measured.submodules.push(path);
		else if (!found.isFile() && !found.isSymbolicLink()) measured.special.push(path);
		else {
			measured.files++;
			measured.bytes += found.size;
		}
		if (measured.bytes > limits.maxBytes) {
			throw new TreeRefused(
				"snapshot_too_large",
				`${what} has more than ${limits.maxBytes} bytes (subagents.worktree.maxBytes). ${HOW_TO_FIT}`,
			);
		}
	}
	return measured;
}

const SLASH = 0x2f;

function lstatIfThere(path: Buffer): Stats | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch (error) {
		// Its folder has become a file.
		if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
		throw error;
	}
}

export const tooManyFiles = (what: string, { maxFiles }: TreeLimits): TreeRefused =>
	new TreeRefused(
		"snapshot_too_large",
		`${what} has more than ${maxFiles} files (subagents.worktree.maxFiles). ${HOW_TO_FIT}`,
	);

const HOW_TO_FIT = "List what is generated in .gitignore, or raise the limit in your pi-geon.json.";

/** Returns true once git has listed more paths than the limit allows: the rest is not needed. */
export function countingTo({ maxFiles }: TreeLimits): (part: Buffer) => boolean {
	let count = 0;
	return (part) => {
		for (let at = part.indexOf(0); at !== -1; at = part.indexOf(0, at + 1)) count++;
		return count > maxFiles;
	};
}
