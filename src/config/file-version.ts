import { statSync } from "node:fs";

/** A value that changes whenever the file does. A file that may not be inspected counts as missing: reading it will fail. */
export function fileVersion(file: string): string {
	try {
		const stats = statSync(file, { throwIfNoEntry: false });
		return stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ") : "missing";
	} catch (error) {
		if (error instanceof Error && "code" in error) return "missing";
		throw error;
	}
}
