import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** As it is where the path does not exist or may not be looked into: what reads it reports that. */
export function realPath(path: string): string {
	try {
		// Asked first: many of these folders do not exist, and an error that is thrown takes far longer than an answer.
		return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : resolve(path);
	} catch (error) {
		if (error instanceof Error && "code" in error) return resolve(path);
		throw error;
	}
}
