import { readFileSync } from "node:fs";

/**
 * When a process was started, as a token to compare, since the system reuses pids. Undefined if the system does not report
 * it, or the process has exited. A zombie counts as exited.
 */
export function processStart(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The command's name is in parentheses and may contain spaces. After it come the state and, as field 22, the start.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
