import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface ProgramOptions {
	cwd: string;
	/** The whole environment outside a ring; inside one, additions to the allow-list. */
	env: Record<string, string>;
	input?: string | Buffer;
	/** The limit for stdout. Exceeding it is an error. */
	maxBytes?: number;
	signal?: AbortSignal;
}

export interface ProgramEnd {
	exitCode: number;
	stdout: Buffer;
	stderr: string;
}

/**
 * Starts a program with its arguments and waits for it. Work on a tree that a child has written to gets one from the caller
 * that runs programs inside the ring of that tree, because git does what the child's files say.
 */
export type RunProgram = (command: readonly string[], options: ProgramOptions) => Promise<ProgramEnd>;

/** Longer than any list of paths within the limits of a tree. */
const MOST_OUTPUT = 256 * 1024 * 1024;
const MOST_STDERR = 16 * 1024;

/**
 * Runs a program without a ring, for work on files of the user or our own. `inputFrom` is an open file to read. `until`
 * receives all of stdout, and returns true once it has seen enough.
 */
export function runPlainly(
	[program = "", ...args]: readonly string[],
	{ cwd, env, input, inputFrom, maxBytes = MOST_OUTPUT, signal }: ProgramOptions & { inputFrom?: number },
	until: (part: Buffer) => boolean = () => false,
): Promise<ProgramEnd> {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, {
			cwd,
			env,
			stdio: [inputFrom ?? "pipe", "pipe", "pipe"],
			...(signal && { signal }),
		}) as ChildProcessByStdio<Writable | null, Readable, Readable>;
		const parts: Buffer[] = [];
		let size = 0;
		let stderr = "";
		child.stdout.on("data", (part: Buffer) => {
			size += part.length;
			if (size > maxBytes) {
				child.kill("SIGKILL");
				reject(new Error(`${program} ${args[0] ?? ""} printed more than ${maxBytes} bytes.`));
			}
			parts.push(part);
			if (until(part)) child.kill("SIGKILL");
		});
		child.stderr.on("data", (part: Buffer) => {
			if (stderr.length < MOST_STDERR) stderr += part.toString();
		});
		child.stdin?.on("error", (error: NodeJS.ErrnoException) => {
			// If it ended without reading all its input, its exit code says why.
			if (error.code !== "EPIPE") reject(error);
		});
		child.stdin?.end(input ?? "");
		child.once("error", reject);
		child.once("close", (code) => resolve({ exitCode: code ?? 128, stdout: Buffer.concat(parts), stderr }));
	});
}
