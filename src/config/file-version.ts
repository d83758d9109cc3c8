import { statSync } from "node:fs";

/** Changes whenever the file does. One that may not be looked at is like one that is not there: the reader reports it. */
export function fileVersion(file: string): string {
	try {
		const stats = statSync(file, { throwIfNoEntry: false });
		return stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ") : "missing";
	} catch (error) {
		if (error instanceof Error && "code" in error) return "missing";
		throw error;
	}
}
