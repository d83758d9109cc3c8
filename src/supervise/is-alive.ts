import { processStart } from "../host/process-start.ts";
import type { HostRecord } from "../ledger/hosts.ts";

/** Whether the process of a host is there, and not another that was given its number. Unknown before it told its pid. */
export function isHostAlive({ pid, pidStarted }: Pick<HostRecord, "pid" | "pidStarted">): boolean | undefined {
	if (pid === undefined) return undefined;
	return pidStarted ? processStart(pid) === pidStarted : isProcess(pid);
}

function isProcess(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
