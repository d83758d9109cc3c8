import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** Returns the path unchanged if it does not exist or may not be inspected: reading it later reports the error. */
export function realPath(path: string): string {
	try {
		// Check first: many of these folders do not exist, and a thrown error takes far longer than an answer.
		return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : resolve(path);
	} catch (error) {
		if (error instanceof Error && "code" in error) return resolve(path);
		throw error;
	}
}
