import { environmentIn, type Ring } from "./ring.ts";
import { killRing, spawnInRing } from "./spawn-in-ring.ts";

export interface InRingOptions {
	cwd?: string;
	/** The program's input. Default: none. */
	input?: string | Buffer;
	/** Added to the variables that a ring passes on. */
	env?: Readonly<Record<string, string>>;
	timeoutMs?: number;
	/** How much it may print. */
	maxBytes?: number;
	signal?: AbortSignal;
}

export interface RanInRing {
	exitCode: number;
	stdout: Buffer;
	/** Keep only the beginning. */
	stderr: string;
}

const RING_OUTPUT = 64 * 1024 * 1024;
const RING_STDERR = 16 * 1024;

/** Runs one program in a ring and waits for it. Fails if it cannot be started, takes or prints too much, or is aborted. */
export function runInRing(ring: Ring, command: readonly string[], options: InRingOptions = {}): Promise<RanInRing> {
	const { cwd, input, env, timeoutMs, maxBytes = RING_OUTPUT, signal } = options;
	const child = spawnInRing(ring, command, {
		cwd,
		input: true,
		env: { ...environmentIn(ring, process.env), ...env },
	});
	const kill = () => killRing(child);
	if (signal?.aborted) kill();
	signal?.addEventListener("abort", kill, { once: true });
	const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(`within ${timeoutMs} ms`), timeoutMs);
	let problem: string | undefined;
	const giveUp = (limit: string) => {
		problem ??= `${command[0]} did not finish ${limit}.`;
		kill();
	};
	const chunks: Buffer[] = [];
	let bytes = 0;
	child.stdout.on("data", (chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > maxBytes) giveUp(`with ${maxBytes} bytes of output`);
		else chunks.push(chunk);
	});
	let stderr = "";
	child.stderr.on("data", (chunk: Buffer) => {
		stderr = (stderr + chunk.toString()).slice(0, RING_STDERR);
	});
	child.stdin.on("error", () => {}); // The program need not read its input.
	child.stdin.end(input ?? "");
	return new Promise((done, reject) => {
		child.once("error", reject);
		child.once("close", (code, killedBy) => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", kill);
			if (signal?.aborted) reject(signal.reason);
			else if (problem !== undefined) reject(new Error(problem));
			else if (code === null) reject(new Error(`${command[0]} was ended with ${killedBy}.`));
			else done({ exitCode: code, stdout: Buffer.concat(chunks), stderr });
		});
	});
}
