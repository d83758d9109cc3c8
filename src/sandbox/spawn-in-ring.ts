import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { directRingCommand, type Ring } from "./ring.ts";

type WithOutput<Input> = ChildProcess & { stdin: Input; stdout: Readable; stderr: Readable };

interface SpawnInRing extends Omit<SpawnOptions, "cwd" | "stdio" | "detached" | "signal"> {
	/** Where the command starts, inside. */
	cwd?: string | undefined;
}

/** Starts a command in a ring, with pipes for its output. */
export function spawnInRing(
	ring: Ring,
	command: readonly string[],
	options: SpawnInRing & { input: true },
): WithOutput<Writable>;
export function spawnInRing(
	ring: Ring,
	command: readonly string[],
	options: SpawnInRing & { input: false },
): WithOutput<null>;
export function spawnInRing(
	ring: Ring,
	command: readonly string[],
	{ cwd, input, ...options }: SpawnInRing & { input: boolean },
): ChildProcess {
	const { command: whole, descriptors } = directRingCommand(ring, command, cwd);
	const [program = "", ...args] = whole;
	try {
		return spawn(program, args, {
			...options,
			cwd: "/",
			// Its own process group, so that signals for the host's group do not reach it.
			detached: true,
			stdio: [input ? "pipe" : "ignore", "pipe", "pipe", ...descriptors],
		});
	} finally {
		for (const descriptor of descriptors) closeSync(descriptor);
	}
}

/**
 * Kills everything that runs in the ring of a command. Killing bubblewrap is enough once the command runs. Before that, its
 * child does not depend on it yet and would continue. So this suspends bubblewrap, and first kills the processes that it has
 * started so far.
 */
export function killRing({ pid, exitCode, signalCode }: ChildProcess): void {
	if (pid === undefined || exitCode !== null || signalCode !== null) return;
	// A ring on macOS is only a process group.
	if (process.platform !== "linux") {
		sendTo(-pid, "SIGKILL");
		return;
	}
	sendTo(pid, "SIGSTOP");
	for (let looks = 0; looks < MOST_LOOKS && isRunning(pid); looks++);
	for (const child of childrenOf(pid)) sendTo(child, "SIGKILL");
	sendTo(pid, "SIGKILL");
}

/** How often to check whether the process is suspended: that takes microseconds, or longer on a busy machine. */
const MOST_LOOKS = 2000;

function sendTo(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error; // It has just exited.
	}
}

const isRunning = (pid: number): boolean => !/\) [TtZX]/.test(textOfProcess(`/proc/${pid}/stat`) ?? ") X");

const childrenOf = (pid: number): number[] =>
	(textOfProcess(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);

function textOfProcess(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined; // It has just exited.
		throw error;
	}
}
