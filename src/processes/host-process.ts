import type { HostRecord } from "../ledger/hosts.ts";
import { processStart } from "./process-start.ts";

type HostProcess = Pick<HostRecord, "pid" | "pidStarted">;

/** How long a killed process may take to stop. */
const END_WITHIN_MS = 1000;
const DEAD_YET_EVERY_MS = 2;

/** Whether the process of a host is certainly gone. */
export function isDead({ pid, pidStarted }: HostProcess): boolean {
	if (pid === undefined) return false;
	return pidStarted ? processStart(pid) !== pidStarted : !isAlive(pid);
}

/**
 * Kills the process of a host that was given up on: it hangs, or is suspended and would come back. Returns when the process
 * has stopped. If the system does not report when a process was started, its pid may belong to another process, so this
 * kills nothing; the host then finds out by itself that it was replaced.
 */
export function endProcess(host: HostProcess): void {
	const { pid } = host;
	if (pid === undefined || pid === process.pid || !host.pidStarted || isDead(host)) return;
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // It has exited in the meantime.
	}
	const deadline = performance.now() + END_WITHIN_MS;
	const idle = new Int32Array(new SharedArrayBuffer(4));
	while (!isDead(host) && performance.now() < deadline) Atomics.wait(idle, 0, 0, DEAD_YET_EVERY_MS);
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
