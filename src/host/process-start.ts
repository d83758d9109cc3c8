import { readFileSync } from "node:fs";

/**
 * When a process was started, as a token to compare: a pid is used again sooner or later. Undefined where the system
 * does not tell, or the process is gone.
 */
export function processStart(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The command's name stands in brackets and may hold spaces; the 22nd field counts from the end of it.
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
