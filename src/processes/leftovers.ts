import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { SessionId } from "../run/ids.ts";
import { messageOf } from "../run/message-of.ts";
import { isMcpTool } from "../run/pi-tools.ts";

/** Tools that start processes which may outlive their call, or their host. */
const startsProcesses = (tool: string): boolean => tool === "bash" || tool === "powershell" || isMcpTool(tool);

/**
 * Kills processes that the shells and MCP servers of a child session left running. pi itself kills the process group of a
 * shell. This finds processes that moved to another session, or belonged to a host that was killed, by the environment
 * variables that pi gives to every shell.
 */
export function endLeftovers(session: { id: SessionId; tools: string[] }, onTrouble: (trouble: string) => void): void {
	if (!session.tools.some(startsProcesses)) return;
	const mark = `PI_SESSION_ID=${session.id}`;
	try {
		for (const { pid, environment } of processes()) {
			// Only our hosts set the second variable. A pi in which the user has opened the same session does not.
			if (pid !== process.pid && environment.includes(mark) && environment.includes("PI_SUBAGENT_CHILD=1")) end(pid);
		}
	} catch (error) {
		// A failed search is not a reason to fail a run that has done its work.
		onTrouble(`could not look for processes that were left running: ${messageOf(error)}`);
	}
}

interface RunningProcess {
	pid: number;
	environment: string[];
}

function processes(): RunningProcess[] {
	if (process.platform === "linux") return linuxProcesses();
	if (process.platform === "darwin") {
		const list = execFileSync("ps", ["-axEww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 2 ** 26 });
		return list.split("\n").map((line) => ({ pid: Number.parseInt(line, 10), environment: line.split(" ") }));
	}
	return []; // Windows kills the whole process tree of a shell with it.
}

/**
 * How often to look, a millisecond apart, at processes that seem to have no environment, and at those that should have one.
 */
const LOOKS = { few: 10, many: 250 };

/**
 * A process that is just becoming another program has no environment for a moment, which is longer on a busy machine. This
 * waits for it, because the new program may be one that was left running.
 */
function linuxProcesses(): RunningProcess[] {
	const found: RunningProcess[] = [];
	let unknown = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	for (let look = 1; unknown.length > 0 && look <= LOOKS.many; look++) {
		if (look > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
		unknown = unknown.filter((pid) => {
			const environment = ofProcess(pid, "environ");
			if (environment) found.push({ pid: Number(pid), environment: environment.split("\0") });
			return environment === "" && (look < LOOKS.few || !isWithoutEnvironment(pid));
		});
	}
	return found;
}

/** `PF_EXITING` and `PF_KTHREAD` of Linux. */
const ENDING_OR_OF_THE_SYSTEM = 0x4 | 0x200000;

/**
 * Whether a process will not get an environment: it belongs to the system, has finished, or was started with an empty one.
 */
function isWithoutEnvironment(pid: string): boolean {
	const stat = ofProcess(pid, "stat");
	if (stat === undefined) return true;
	// proc(5) counts from 1. The second field is the name in parentheses, which may contain anything.
	const field = (number: number) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[number - 3];
	const [state = "", flags, start, end] = [field(3), field(9), field(50), field(51)];
	return "ZX".includes(state) || (Number(flags) & ENDING_OR_OF_THE_SYSTEM) !== 0 || (start !== "0" && start === end);
}

function ofProcess(pid: string, file: "environ" | "stat"): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // It has exited, or belongs to another user.
		throw error;
	}
}

function end(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // It has exited.
	}
}
