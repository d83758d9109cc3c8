import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface FoundProcess {
	readonly pid: number;
	readonly command: string;
}

/** The processes that have this variable in their environment, except this one. */
export function processesWith(variable: string, value: string): FoundProcess[] {
	const found = process.platform === "linux" ? fromProc(`${variable}=${value}`) : fromPs(`${variable}=${value}`);
	return found.filter(({ pid }) => pid !== process.pid);
}

/** Whether a process that was found still exists: cheaper than examining all of them again. */
export function isStillThere({ pid }: FoundProcess, variable: string, value: string): boolean {
	if (process.platform !== "linux") return processesWith(variable, value).some((found) => found.pid === pid);
	return hasAssignment(String(pid), `${variable}=${value}`);
}

function fromProc(assignment: string): FoundProcess[] {
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return pids.flatMap((pid) => {
		if (!hasAssignment(pid, assignment)) return [];
		return [{ pid: Number(pid), command: readProc(pid, "cmdline").replaceAll("\0", " ").trim() }];
	});
}

const hasAssignment = (pid: string, assignment: string): boolean =>
	readProc(pid, "environ").split("\0").includes(assignment);

/** Empty for a process that has ended, is a zombie, or belongs to another user. */
function readProc(pid: string, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch {
		return "";
	}
}

function fromPs(assignment: string): FoundProcess[] {
	if (process.platform === "win32") return [];
	const lines = execFileSync("ps", ["axeww", "-o", "pid=,command="], { encoding: "utf8" }).split("\n");
	return lines.flatMap((line) => {
		const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
		if (!pid || !command?.split(" ").includes(assignment)) return [];
		return [{ pid: Number(pid), command: command.slice(0, 300) }];
	});
}
