import { readdirSync } from "node:fs";

/** What is in a folder; nothing where there is no such folder, or it may not be read. */
export function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch (error) {
		if (error instanceof Error && "code" in error) return [];
		throw error;
	}
}
