import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { SessionId } from "../run/ids.ts";

/** Tools that start processes which may outlive their call. */
const SHELLS = ["bash", "powershell"];

/**
 * Ends what the shells of a child session left running. pi ends the process group of a shell; what put itself into a
 * session of its own, or belonged to a host that was killed, is found by the environment pi gives to every shell.
 */
export function endLeftovers(session: { id: SessionId; tools: string[] }): void {
	if (!session.tools.some((tool) => SHELLS.includes(tool))) return;
	const mark = `PI_SESSION_ID=${session.id}`;
	for (const { pid, environment } of processes()) {
		// The second variable is there in our hosts only: not in a pi in which the user has opened the same session.
		if (pid !== process.pid && environment.includes(mark) && environment.includes("PI_SUBAGENT_CHILD=1")) end(pid);
	}
}

interface RunningProcess {
	pid: number;
	environment: string[];
}

function processes(): RunningProcess[] {
	if (process.platform === "linux") {
		return readdirSync("/proc")
			.filter((name) => /^\d+$/.test(name))
			.map((name) => ({ pid: Number(name), environment: environmentOf(name) }));
	}
	if (process.platform === "darwin") {
		const list = execFileSync("ps", ["-axEww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 2 ** 26 });
		return list.split("\n").map((line) => ({ pid: Number.parseInt(line, 10), environment: line.split(" ") }));
	}
	return []; // Windows ends the whole tree of a shell with it.
}

/** How often it is looked again, a millisecond apart, at a process that has no environment yet. */
const LOOKS = 10;

/**
 * A process that is just becoming another program has none for a moment, which is longer on a busy machine. Neither have
 * some that were started without any: so it is not waited for long.
 */
function environmentOf(pid: string): string[] {
	try {
		for (let look = 1; ; look++) {
			const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
			if (environment !== "" || look === LOOKS || hasEnded(pid)) return environment.split("\0");
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
		}
	} catch (error) {
		if (error instanceof Error && "code" in error) return []; // Gone meanwhile, another user's, or the system's own.
		throw error;
	}
}

/** One that nobody has taken note of yet. */
const hasEnded = (pid: string): boolean => /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

function end(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // Gone meanwhile.
	}
}
