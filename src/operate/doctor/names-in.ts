import { readdirSync } from "node:fs";

/** The names in a folder; empty if it does not exist, or may not be read. */
export function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (error instanceof Error && "code" in error) return [];
		throw error;
	}
}
