import { constants } from "node:os";
import { realPath } from "../files/real-path.ts";
import { denialsIn, watchRefused } from "./denials.ts";
import { environmentIn, type Ring } from "./ring.ts";
import { killRing, spawnInRing } from "./spawn-in-ring.ts";

export interface ShellCall {
	/** The shell with its arguments, before the command. */
	shell: readonly string[];
	command: string;
	cwd: string;
	env: NodeJS.ProcessEnv;
	timeoutSeconds?: number | undefined;
	signal?: AbortSignal | undefined;
	onData(data: Buffer): void;
}

/** How much of the end of the output to search for the reason why a command failed. */
const KEPT_OUTPUT = 4096;

/**
 * Runs a shell command in a ring and passes on its output. Fails with `aborted` or `timeout:<seconds>`, as pi's shell tools
 * expect. Processes that the command left running end with it.
 */
export async function shellInRing(ring: Ring, call: ShellCall): Promise<{ exitCode: number }> {
	const { shell, command, cwd, env, timeoutSeconds, signal, onData } = call;
	if (timeoutSeconds !== undefined && !(Number.isFinite(timeoutSeconds) && timeoutSeconds > 0)) {
		throw new Error("Invalid timeout: must be a finite number of seconds");
	}
	if (signal?.aborted) throw new Error("aborted");
	const child = spawnInRing(ring, [...shell, command], {
		cwd: realPath(cwd),
		input: false,
		env: environmentIn(ring, env),
	});
	const refused = watchRefused(ring);
	let tail = "";
	const take = (data: Buffer) => {
		tail = (tail + data.toString()).slice(-KEPT_OUTPUT);
		onData(data);
	};
	child.stdout.on("data", take);
	child.stderr.on("data", take);
	const kill = () => killRing(child);
	let timedOut = false;
	const timer =
		timeoutSeconds === undefined
			? undefined
			: setTimeout(() => {
					timedOut = true;
					kill();
				}, timeoutSeconds * 1000);
	signal?.addEventListener("abort", kill, { once: true });
	try {
		const exitCode = await new Promise<number>((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (code, killedBy) => resolve(code ?? 128 + (killedBy ? constants.signals[killedBy] : 0)));
		});
		if (signal?.aborted) throw new Error("aborted");
		if (timedOut) throw new Error(`timeout:${timeoutSeconds}`);
		const denied = exitCode === 0 ? [] : denialsIn(tail, ring.setup, refused());
		if (denied.length > 0) {
			ring.denials++;
			onData(Buffer.from(`\n${denied.join("\n")}\n`));
		}
		return { exitCode };
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", kill);
	}
}
