import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import type { HostRecord } from "../ledger/hosts.ts";
import type { Places } from "../ledger/places.ts";
import { HOST_COMMAND, HOST_MEMORY, NODE_ARGUMENTS } from "../processes/command.ts";
import { withCompileCache } from "./compile-cache.ts";
import { inHostRing, withSafeSearches } from "./host-ring.ts";
import type { HostProfile } from "./profile.ts";

export interface HostStart {
	profile: HostProfile;
	places: Places;
	/** How long the process may take to get ready before it is killed. */
	withinMs: number;
	isReady: () => boolean;
	onExit: (reason: string, how?: { wasLate: boolean }) => void;
	/** Removes files that hosts left behind when they exited. */
	sweep?: () => void;
}

/**
 * Starts the process of a reserved host, detached, so that it outlives this one. `onExit` reports a process that could not
 * be started, or that exited while this one was still running.
 */
export function startHost(host: HostRecord, start: HostStart): void {
	const { profile, places, onExit } = start;
	const [executable, ...script] = profile.command;
	if (executable === undefined) throw new Error("The command of a host profile is empty.");
	mkdirSync(places.hosts, { recursive: true, mode: 0o700 });
	// Not part of the profile: any host of the profile will do. A compiled host, or one that Bun runs, does not know these
	// arguments.
	const node = script.length > 0 && process.versions.bun === undefined ? NODE_ARGUMENTS : [];
	const plain = {
		command: [
			executable,
			...node,
			...script,
			...quietArguments(profile.hostEntry),
			"-p",
			`/${HOST_COMMAND} ${host.id}`,
		],
		// The user's own settings take precedence.
		env: { ...HOST_MEMORY, ...withCompileCache(profile.env, places) },
	};
	const { command, env } = (profile.ring ? inHostRing : withSafeSearches)(host, plain, { places, profile });
	const [program = "", ...args] = command;
	const log = openSync(places.log(host.id), "a", 0o600);
	const child = spawn(program, args, {
		// Not the parent's working directory, which may be deleted while the host lives.
		cwd: places.dir,
		env,
		detached: true,
		stdio: ["ignore", log, log],
		windowsHide: true,
	});
	closeSync(log);
	let wasLate = false;
	// Unref the timer, like the process, so that neither keeps this process alive.
	const giveUp = () =>
		quietly(() => {
			if (start.isReady()) return;
			wasLate = true;
			endStarted(child);
		});
	const tooLate = setTimeout(giveUp, start.withinMs).unref();
	child.once("error", (error) => quietly(() => onExit(error.message)));
	child.once("exit", (code, signal) => {
		clearTimeout(tooLate);
		// The process that bubblewrap waited for may still be running.
		quietly(() => signal === null || start.isReady() || endStarted(child));
		// Whatever the cause, the next host tests the ring again before it relies on it.
		quietly(() => start.isReady() || rmSync(places.ringed.proof, { force: true }));
		const how = wasLate ? "it was not ready in time" : `it ended with ${signal ?? `exit code ${code}`}`;
		quietly(() => onExit(`${how}${lastWords(places, host)}`, { wasLate }));
		quietly(() => start.sweep?.());
	});
	child.unref();
	setImmediate(() => quietly(() => start.sweep?.())).unref();
}

/**
 * Ends the whole process group, which is its own: a host in a ring is not the process that was started, but one below it.
 */
function endStarted({ pid }: ChildProcess): void {
	if (pid === undefined) return;
	if (process.platform === "win32") process.kill(pid, "SIGKILL");
	else process.kill(-pid, "SIGKILL");
}

/**
 * Errors in these listeners, such as a locked ledger or a removed folder, have no caller that could catch them. The user's
 * pi must not crash because of them. Nothing depends on the listeners: callers look at the ledger, and leases expire.
 */
function quietly(work: () => unknown): void {
	try {
		work();
	} catch (error) {
		if (!(error instanceof Error)) throw error;
	}
}

/** A pi that loads nothing but our extension. */
export const quietArguments = (hostEntry: string): string[] => [
	...["--mode", "json", "--no-session", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes"],
	...["--no-context-files", "-e", hostEntry],
];

/** The end of the host's log, where a process that failed to start says why. */
function lastWords(places: Places, host: HostRecord): string {
	const log = places.log(host.id);
	if (!existsSync(log)) return "";
	const lines = readFileSync(log, "utf8").trim().split("\n").slice(-5).join("\n");
	return lines === "" ? "" : `, saying:\n${lines.slice(-1500)}`;
}
