import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../test/helpers/repository.ts";

/** The ticks of `/proc` a second: the same on every Linux that Node runs on. */
const TICKS = 100;

/** Milliseconds that a process has spent on a processor. Linux only. */
export function cpuOf(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	// After the name, which may hold anything, in parentheses.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

/** The same for this process and all that it has waited for. */
export function cpuWithChildren(): number {
	const stat = readFileSync("/proc/self/stat", "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
	return (ticks * 1000) / TICKS;
}

/** The same for a process that will have exited: what to start it with, and how to learn it then. */
export function cpuAtExit(file: string): { env: Record<string, string>; read: () => number } {
	const preload = join(repositoryRoot, "bench", "fixtures", "cpu-at-exit.cjs");
	return {
		env: { NODE_OPTIONS: `--require=${preload}`, CPU_FILE: file },
		read: () => Number(readFileSync(file, "utf8")),
	};
}
