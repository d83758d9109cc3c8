import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether this user owns a file or folder, following links. A path that may not be inspected is not ours. Windows does not
 * report owners.
 */
export function isOwnFile(path: string): boolean {
	const us = process.getuid?.();
	try {
		return us === undefined || statSync(path).uid === us;
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}

/** Whether a user other than this one and root owns it. Root could change everything that we run and read anyway. */
export function isForeign({ uid }: { uid: number }): boolean {
	const us = process.getuid?.();
	return us !== undefined && uid !== us && uid !== 0;
}

/**
 * Whether a folder is the root of a repository of this user. As in git itself, a `.git` of another user does not count: any
 * user can create one in a shared folder.
 */
export const isOwnRepository = (folder: string): boolean => isOwnFile(folder) && isOwnFile(join(folder, ".git"));

export const isRepository = (folder: string): boolean => existsSync(join(folder, ".git"));

/**
 * The owner that root's files seem to have. In a user namespace without root (a rootless container, bubblewrap), the kernel
 * shows the files of root and of all other users as owned by `nobody`.
 */
export function unknownOwner(): number | undefined {
	try {
		const knowsRoot = /^\s*0\s/m.test(readFileSync("/proc/self/uid_map", "utf8"));
		return knowsRoot ? undefined : Number.parseInt(readFileSync("/proc/sys/kernel/overflowuid", "utf8"), 10);
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // Not Linux.
		throw error;
	}
}
