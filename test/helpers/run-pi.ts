import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type PiEvent, parseJsonLines } from "../../demo/json-lines.ts";
import type { Home } from "./home.ts";
import { PATIENCE_MS } from "./patience.ts";
import { cliOf, type PiVersion } from "./repository.ts";
import { homesWithoutRings } from "./rings.ts";

export interface RunOptions {
	readonly version?: PiVersion;
	readonly stdin?: string;
	readonly timeoutMs?: number;
	readonly cwd?: string;
	readonly env?: Readonly<Record<string, string | undefined>>;
	readonly signal?: AbortSignal;
	/** The user that it runs as. Only root can choose. */
	readonly user?: { uid: number; gid: number };
	/** bubblewrap's arguments for a machine that it runs on instead of this one. */
	readonly machine?: readonly string[];
}

export interface PiRun {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
	/** A descendant kept pi's output open after pi had exited: a caller that reads to the end would hang. */
	readonly outputHeld: boolean;
	/** The records of `--mode json`; empty in other modes. */
	readonly events: readonly PiEvent[];
}

/** For a machine on which no program can make a sandbox, although bubblewrap is installed. */
export const WITHOUT_NAMESPACES = [
	...["--unshare-user", "--uid", "1000", "--gid", "1000"],
	...["--dev-bind", "/", "/", "--disable-userns"],
];

/** How long the output may stay open after pi has exited, on a busy machine. */
export const GRACE_MS = 5_000;

/** Runs a real pi to its end. If it exceeds the time, the error contains all its output. */
export async function runPi(home: Home, args: readonly string[], options: RunOptions = {}): Promise<PiRun> {
	const { version = home.pi, timeoutMs = PATIENCE_MS, signal: abort } = options;
	const node = [process.execPath, cliOf(version), ...args];
	if (options.machine) homesWithoutRings.add(home);
	const machine = options.machine ? ["bwrap", "--die-with-parent", ...options.machine, "--"] : [];
	const [program = "", ...words] = [...machine, ...node];
	const child = spawn(program, words, {
		cwd: options.cwd ?? home.project,
		env: { ...home.env, ...options.env },
		...options.user,
	});
	const stdout: Buffer[] = [];
	const stderr: Buffer[] = [];
	child.stdout.on("data", (part: Buffer) => stdout.push(part));
	child.stderr.on("data", (part: Buffer) => stderr.push(part));
	child.stdin.on("error", () => {}); // pi may end before it has read everything
	child.stdin.end(options.stdin ?? "");

	const timer = AbortSignal.timeout(timeoutMs);
	const kill = () => child.kill("SIGKILL");
	timer.addEventListener("abort", kill);
	abort?.addEventListener("abort", kill);
	const closed = once(child, "close").then(() => false);
	const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
	timer.removeEventListener("abort", kill);
	abort?.removeEventListener("abort", kill);
	const outputHeld = await Promise.race([closed, sleep(GRACE_MS, true, { ref: false })]);
	child.stdout.destroy();
	child.stderr.destroy();

	const output = { stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
	if (timer.aborted && signal === "SIGKILL") {
		throw new Error(`pi ${args.join(" ")} did not end within ${timeoutMs} ms.\n${output.stdout}\n${output.stderr}`);
	}
	return { code, signal, ...output, outputHeld, events: args.includes("json") ? parseJsonLines(output.stdout) : [] };
}
