import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { JsonLines, type PiEvent } from "../../demo/json-lines.ts";
import type { Home } from "./home.ts";
import { PATIENCE_MS } from "./patience.ts";
import { cliOf, type PiVersion } from "./repository.ts";
import { GRACE_MS } from "./run-pi.ts";

export interface RpcOptions {
	readonly version?: PiVersion;
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
}

export interface RpcResponse extends PiEvent {
	readonly success: boolean;
	readonly error?: string;
	readonly data?: unknown;
}

export function startRpc(home: Home, options: RpcOptions = {}): RpcClient {
	const { version = home.pi, args = [], env = {} } = options;
	const child = spawn(process.execPath, [cliOf(version), "--mode", "rpc", ...home.extensionArgs, ...args], {
		cwd: home.project,
		env: { ...home.env, ...env },
	});
	const client = new RpcClient(child);
	const close = () => client.close();
	home.closers.add(close);
	child.once("exit", () => home.closers.delete(close));
	return client;
}

/** A pi that stays, driven by commands. */
export class RpcClient {
	/** Everything pi wrote, responses too, oldest first. */
	readonly events: PiEvent[] = [];
	readonly child: ChildProcessWithoutNullStreams;
	/** Resolves once all its output has been read. */
	readonly exited: Promise<number | null>;
	#hasExited = false;
	#stderr = "";
	#nextId = 1;
	readonly #listeners = new Set<() => void>();

	constructor(child: ChildProcessWithoutNullStreams) {
		this.child = child;
		const lines = new JsonLines((event) => {
			this.events.push(event);
			this.#changed();
		});
		child.stdout.on("data", (bytes: Buffer) => lines.push(bytes));
		child.stderr.on("data", (bytes: Buffer) => {
			this.#stderr += bytes.toString();
		});
		child.stdin.on("error", () => {}); // its end is reported by `exited`
		const closed = once(child, "close");
		this.exited = once(child, "exit").then(async ([code]) => {
			await Promise.race([closed, sleep(GRACE_MS, undefined, { ref: false })]);
			this.#hasExited = true;
			this.#changed();
			return code as number | null;
		});
	}

	get stderr(): string {
		return this.#stderr;
	}

	/** Resolves with the response to this command; a refused command is an error. */
	async send(command: { readonly type: string; readonly [field: string]: unknown }): Promise<RpcResponse> {
		const id = `test-${this.#nextId++}`;
		this.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
		const response = (await this.waitForEvent((e) => e.type === "response" && e.id === id)) as RpcResponse;
		if (!response.success) throw new Error(`pi refused ${command.type}: ${response.error}`);
		return response;
	}

	/** Resolves when the prompt is accepted, not when it is answered. An announce may have woken the model just before. */
	prompt(message: string): Promise<RpcResponse> {
		return this.send({ type: "prompt", message, streamingBehavior: "followUp" });
	}

	/** Sends the prompt, and waits until pi is idle again. */
	async promptAndSettle(message: string, timeoutMs = PATIENCE_MS): Promise<readonly PiEvent[]> {
		const before = this.events.length;
		await this.prompt(message);
		const said = await this.waitForEvent((event) => isSaid(event, message), { from: before, timeoutMs });
		const from = this.events.indexOf(said, before);
		await this.waitForEvent((event) => event.type === "agent_settled", { from, timeoutMs });
		return this.events.slice(before);
	}

	/** The first matching event from position `from` on, whether it came already or will. */
	waitForEvent(
		matches: (event: PiEvent) => boolean,
		{ from = 0, timeoutMs = PATIENCE_MS }: { from?: number; timeoutMs?: number } = {},
	): Promise<PiEvent> {
		return new Promise((resolve, reject) => {
			let seen = from;
			const check = () => {
				for (; seen < this.events.length; seen++) {
					const event = this.events[seen];
					if (event && matches(event)) return settle(() => resolve(event));
				}
				if (this.#hasExited) fail("pi ended before such an event");
			};
			const fail = (reason: string) => settle(() => reject(new Error(`${reason}. ${this.#describe()}`)));
			const timer = setTimeout(() => fail(`No such event within ${timeoutMs} ms`), timeoutMs);
			const settle = (finish: () => void) => {
				clearTimeout(timer);
				this.#listeners.delete(check);
				finish();
			};
			this.#listeners.add(check);
			check();
		});
	}

	/** Closes the input, which is how a client asks pi to end; kills it only if it does not. */
	async close(): Promise<void> {
		this.child.stdin.end();
		const timer = setTimeout(() => this.child.kill("SIGKILL"), 20_000);
		await this.exited;
		clearTimeout(timer);
	}

	#changed(): void {
		for (const check of [...this.#listeners]) check();
	}

	#describe(): string {
		const recent = this.events.slice(-15).map((event) => `  ${JSON.stringify(event).slice(0, 200)}`);
		return `Last events:\n${recent.join("\n")}\nstderr: ${this.#stderr}`;
	}
}

/** The user's words, as pi repeats them when it starts to work on them. */
function isSaid({ type, message }: PiEvent, words: string): boolean {
	const { role, content } = (message ?? {}) as { role?: string; content?: unknown };
	return (
		type === "message_end" && role === "user" && JSON.stringify(content).includes(JSON.stringify(words).slice(1, -1))
	);
}
