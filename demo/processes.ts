import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface FoundProcess {
	readonly pid: number;
	readonly command: string;
}

/** The processes that have this variable in their environment, without the one that asks. */
export function processesWith(variable: string, value: string): FoundProcess[] {
	const found = process.platform === "linux" ? fromProc(`${variable}=${value}`) : fromPs(`${variable}=${value}`);
	return found.filter(({ pid }) => pid !== process.pid);
}

function fromProc(assignment: string): FoundProcess[] {
	const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return pids.flatMap((pid) => {
		if (!readProc(pid, "environ").split("\0").includes(assignment)) return [];
		return [{ pid: Number(pid), command: readProc(pid, "cmdline").replaceAll("\0", " ").trim() }];
	});
}

/** Empty for a process that ended meanwhile, is a zombie, or belongs to somebody else. */
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
