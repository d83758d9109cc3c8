import { readFileSync } from "node:fs";
import { inLedger } from "../e2e/ledger-of.ts";
import type { Home } from "./home.ts";
import { killIfThere, processesOf } from "./leaks.ts";
import { workplaceOf } from "./through-pool.ts";

/** The host processes of a home: the only ones of ours that know that they are inside a subagent. */
export function hostPids(home: Home): number[] {
	const found = processesOf(workplaceOf(home)).filter(
		({ pid }) => environmentOf(pid).includes("PI_SUBAGENT_CHILD=1") && !isMonitor(pid),
	);
	const commands = new Map(found.map(({ pid, command }) => [pid, command]));
	// A host that is starting a program appears twice for a moment, until the copy becomes that program.
	return found.flatMap(({ pid, command }) => (commands.get(parentOf(pid)) === command ? [] : [pid]));
}

function parentOf(pid: number): number {
	try {
		const [, parent = "0"] = /^\d+ \(.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
		return Number(parent);
	} catch (error) {
		if (error instanceof Error && "code" in error) return 0; // Gone meanwhile.
		throw error;
	}
}

/** For a host in a ring: the process with which bubblewrap waits for it. */
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

/**
 * Kills only hosts that work on runs. No process would notice the death of a host that pi started ahead, or that is
 * just leaving, and so none would remove its socket.
 */
export function killHostsAtWork(home: Home): void {
	for (const pid of hostsAtWork(home)) killIfThere(pid);
}

/** The host of a run that has sent a request to its model is known. */
export const hostsAtWork = (home: Home): number[] =>
	inLedger<{ pid: number }>(
		workplaceOf(home),
		"SELECT DISTINCT hosts.pid FROM hosts JOIN runs ON runs.host_id = hosts.id WHERE runs.state = 'running'",
	).map(({ pid }) => pid);
