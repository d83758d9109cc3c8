import { readFileSync } from "node:fs";
import type { Home } from "./home.ts";
import { killIfThere, processesOf } from "./leaks.ts";

/** The host processes of a home: the only ones of ours that know to be inside a subagent. */
export const hostPids = (home: Home): number[] =>
	processesOf(home)
		.map(({ pid }) => pid)
		.filter((pid) => environmentOf(pid).includes("PI_SUBAGENT_CHILD=1") && !isMonitor(pid));

/** Of a host in a ring: the process by which bubblewrap waits for it. */
export const monitorPids = (home: Home): number[] =>
	processesOf(home)
		.map(({ pid }) => pid)
		.filter((pid) => environmentOf(pid).includes("PI_SUBAGENT_CHILD=1") && isMonitor(pid));

/** `sh` is what starts it, for a moment. */
export function isMonitor(pid: number): boolean {
	try {
		return ["bwrap", "sh"].includes(readFileSync(`/proc/${pid}/comm`, "utf8").trim());
	} catch (error) {
		if (error instanceof Error && "code" in error) return false; // Gone meanwhile.
		throw error;
	}
}

export function environmentOf(pid: number): string[] {
	try {
		return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
	} catch (error) {
		if (error instanceof Error && "code" in error) return []; // Gone meanwhile.
		throw error;
	}
}

export function killHosts(home: Home, signal: NodeJS.Signals = "SIGKILL"): void {
	for (const pid of hostPids(home)) killIfThere(pid, signal);
}
