import { readFileSync } from "node:fs";

/**
 * When a process was started, as a token to compare: a pid is used again sooner or later. Undefined where the system
 * does not tell, or the process is gone. One that its parent has not collected yet (a zombie) is gone: it does nothing.
 */
export function processStart(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The command's name stands in brackets and may hold spaces. After it come the state and, as the 22nd, the start.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
