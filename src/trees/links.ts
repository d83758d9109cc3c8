import { lstatSync, symlinkSync } from "node:fs";
import { join, normalize } from "node:path";

/**
 * Makes links to ignored folders of the checkout, so that tests and tools find what is installed. The ring prevents writes
 * through them. Leaves a folder alone that exists in the tree.
 */
export function linkFolders(names: readonly string[], { from, to }: { from: string; to: string }): void {
	for (const name of names) {
		// Only a name, since the folders of a path may not exist, or lead elsewhere.
		if (name === "" || name.includes("/") || name.includes("\\") || /^\.+$/.test(normalize(name))) continue;
		const target = join(from, name);
		if (!isThere(target) || isThere(join(to, name))) continue;
		symlinkSync(target, join(to, name), "dir");
	}
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
