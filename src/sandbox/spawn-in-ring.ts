import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { directRingCommand, type Ring } from "./ring.ts";

type WithOutput<Input> = ChildProcess & { stdin: Input; stdout: Readable; stderr: Readable };

interface SpawnInRing extends Omit<SpawnOptions, "cwd" | "stdio"> {
	/** Where the command starts, inside. */
	cwd?: string | undefined;
}

/** Starts a command in a ring, and listens to what it prints. */
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
			stdio: [input ? "pipe" : "ignore", "pipe", "pipe", ...descriptors],
		});
	} finally {
		for (const descriptor of descriptors) closeSync(descriptor);
	}
}
