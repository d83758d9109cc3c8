import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "./regular-file.ts";

/** A folder and those above it, the nearest first. */
export function ancestors(folder: string): string[] {
	const parent = dirname(folder);
	return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/**
 * The main checkout that a linked worktree belongs to: there, `.git` is a file that names the repository. Undefined for
 * any other folder.
 */
export function mainCheckoutOf(worktree: string): string | undefined {
	try {
		const [, gitDir] = /^gitdir: (.+)$/m.exec(readRegularFile(join(worktree, ".git"))) ?? [];
		if (gitDir === undefined) return undefined;
		const own = resolve(worktree, gitDir);
		const shared = resolve(own, readRegularFile(join(own, "commondir")).trim());
		return dirname(realpathSync(shared));
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // No such file, or `.git` is a folder.
		throw error;
	}
}
