import { accessSync, constants, realpathSync, type Stats, statSync } from "node:fs";

export interface ExistingPlace {
	/** The real path, with links resolved: bubblewrap cannot mount over a link. */
	path: string;
	stats: Stats;
}

/** The paths among these that exist. */
export function existing(paths: readonly string[]): ExistingPlace[] {
	return paths.flatMap((path) => {
		try {
			// Check first: most of them do not exist, and a thrown error takes far longer than an answer.
			const stats = statSync(path, { throwIfNoEntry: false });
			return stats ? [{ path: realpathSync.native(path), stats }] : [];
		} catch (error) {
			if (error instanceof Error && "code" in error) return []; // It is gone, or may not be inspected.
			throw error;
		}
	});
}

export const realPathsOf = (places: readonly ExistingPlace[]): string[] => [...new Set(places.map(({ path }) => path))];

export const existingOnly = (paths: readonly string[]): string[] => realPathsOf(existing(paths));

export const isFolder = ({ stats }: ExistingPlace): boolean => stats.isDirectory();

/**
 * Whether a user without capabilities, such as this one in a ring, could read it. If not, the kernel already hides it.
 */
export function isOpenToUs({ path, stats }: ExistingPlace): boolean {
	if (stats.uid === process.getuid?.()) return true;
	// The group and others have no permissions, so an access control list cannot grant any either.
	if ((stats.mode & 0o077) === 0) return false;
	return isAllowed(path, constants.R_OK) || isAllowed(path, constants.X_OK);
}

export function isAllowed(path: string, right: number): boolean {
	try {
		accessSync(path, right);
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error) return false;
		throw error;
	}
}
