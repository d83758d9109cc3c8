import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import type { Readable, Writable } from "node:stream";

const KEPT_STDERR = 2000;

/** The process of a server and everything that it starts, which are killed together. */
export class ServerProcess {
	/** Why it ended. Never rejects. */
	readonly ended: Promise<string>;
	readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
	#stderr = "";

	constructor(
		[program = "", ...args]: readonly string[],
		{ cwd, env, onStderr }: { cwd: string; env: NodeJS.ProcessEnv; onStderr: (bytes: number) => void },
	) {
		// Its own process group, so that all of it can be killed, and Ctrl+C in the terminal does not reach it.
		const detached = process.platform !== "win32";
		this.#child = spawn(program, args, { cwd, env, detached, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
		this.#child.stderr.on("data", (chunk: Buffer) => {
			this.#stderr = (this.#stderr + chunk.toString()).slice(-KEPT_STDERR);
			onStderr(chunk.length);
		});
		this.ended = new Promise((resolve) => {
			this.#child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
			this.#child.once("close", (code, signal) => {
				resolve(`it ended with ${signal ?? `exit code ${code}`}${this.#lastWords()}`);
			});
			// "close" comes after the last output. A grandchild that keeps the pipes open must not delay it forever.
			this.#child.once("exit", () => this.kill());
		});
		// A server alone is not a reason for pi to stay: pending requests keep the process alive by their timeouts.
		this.#child.unref();
		for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) unref(stream);
	}

	get pid(): number | undefined {
		return this.#child.pid;
	}

	get stdin(): Writable {
		return this.#child.stdin;
	}

	get stdout(): Readable {
		return this.#child.stdout;
	}

	/** Kills it synchronously, because this is also called while this process exits. */
	kill(): void {
		const { pid } = this.#child;
		if (pid === undefined) return;
		if (process.platform === "win32") {
			spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true });
			return;
		}
		try {
			process.kill(-pid, "SIGKILL");
		} catch (error) {
			if (!(error instanceof Error && "code" in error)) throw error; // It is gone already.
		}
	}

	#lastWords(): string {
		const said = this.#stderr.trim();
		return said === "" ? "" : `, saying: ${said.slice(0, 600)}`;
	}
}

function unref(stream: object): void {
	if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
