import { spawn } from "node:child_process";
import type { Clock } from "../ports/clock.ts";
import { messageOf } from "../run/message-of.ts";

export interface HookRun {
	/** A program and its arguments. Never a shell. */
	command: readonly string[];
	cwd: string;
	timeoutMs: number;
	/** Given to it as JSON on stdin. */
	input: object;
	clock: Clock;
	signal?: AbortSignal | undefined;
}

/** How a hook ended, and what it said: on stderr, or else on stdout. */
export type HookEnd =
	| { kind: "exited"; code: number; said: string }
	| { kind: "killed"; by: string; said: string }
	| { kind: "hung"; said: string }
	| { kind: "not_started"; why: string }
	| { kind: "aborted" };

/** The limit for each stream. Output beyond it is dropped. */
const MOST_HEARD = 16 * 1024;

/** How long to read on after a hook has exited: a process that it started may keep its pipes open. */
const LAST_WORDS_MS = 200;

/** The most hooks at once: a script may ask for two hundred runs at the same time. */
const MOST_AT_ONCE = 8;

let underWay = 0;
const inLine: (() => void)[] = [];

/** Runs the program of a hook to its end, or kills it when its time is up. Never rejects. */
export async function runHook(run: HookRun): Promise<HookEnd> {
	if (underWay >= MOST_AT_ONCE) await new Promise<void>((resolve) => inLine.push(resolve));
	else underWay++;
	try {
		return run.signal?.aborted ? { kind: "aborted" } : await untilEnded(run);
	} finally {
		// The next waiting hook gets this one's place.
		const next = inLine.shift();
		if (next) next();
		else underWay--;
	}
}

function untilEnded({ command, cwd, timeoutMs, input, clock, signal }: HookRun): Promise<HookEnd> {
	const { promise, resolve } = Promise.withResolvers<HookEnd>();
	const [program = "", ...args] = command;
	// Its own process group, so that all of it can be killed, and Ctrl+C in the terminal does not reach it.
	const detached = process.platform !== "win32";
	const child = spawn(program, args, { cwd, detached, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
	const heard = { stdout: "", stderr: "" };
	for (const stream of ["stdout", "stderr"] as const) {
		child[stream].on("data", (chunk: Buffer) => {
			if (heard[stream].length < MOST_HEARD) heard[stream] += chunk.toString();
		});
	}
	const said = () => (heard.stderr.trim() || heard.stdout.trim()).slice(0, MOST_HEARD);
	const over: (() => void)[] = [];
	const end = (how: HookEnd) => {
		for (const stop of over.splice(0)) stop();
		child.stdout.destroy();
		child.stderr.destroy();
		resolve(how);
	};
	const giveUp = (how: () => HookEnd) => {
		const last = how();
		endGroup(child.pid);
		end(last);
	};
	over.push(clock.after(timeoutMs, () => giveUp(() => ({ kind: "hung", said: said() }))));
	const abort = () => giveUp(() => ({ kind: "aborted" }));
	signal?.addEventListener("abort", abort, { once: true });
	over.push(() => signal?.removeEventListener("abort", abort));

	child.once("error", (error) => end({ kind: "not_started", why: messageOf(error) }));
	child.once("exit", (code, by) => {
		const tell = () => end(code === null ? { kind: "killed", by: by ?? "a signal", said: said() } : exited(code));
		const exited = (status: number): HookEnd => ({ kind: "exited", code: status, said: said() });
		child.once("close", tell);
		over.push(clock.after(LAST_WORDS_MS, tell));
	});
	// A hook may close its input without reading it.
	child.stdin.on("error", () => {});
	child.stdin.end(`${JSON.stringify(input)}\n`);
	return promise;
}

function endGroup(pid: number | undefined): void {
	if (pid === undefined) return;
	try {
		process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error; // It is gone already.
	}
}
