import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

/** A record on pi's standard output: an event, a response, or a dialog of an extension. */
export interface PiRecord {
	type: string;
	[field: string]: unknown;
}

/** One pi in RPC mode: JSON lines in, JSON lines out. */
export class PiProcess {
	readonly #process: ChildProcess;

	constructor(command: string[], { onRecord, onExit }: { onRecord(record: PiRecord): void; onExit(): void }) {
		const [executable = "pi", ...args] = command;
		this.#process = spawn(executable, [...args, "--mode", "rpc"], { stdio: ["pipe", "pipe", "inherit"] });
		this.#process.once("error", (error) => console.error(`Cannot start ${executable}: ${error.message}`));
		this.#process.once("close", onExit);
		this.#process.stdin?.on("error", () => {}); // It ended while we wrote; "close" says so.
		const decoder = new StringDecoder("utf8");
		let rest = "";
		this.#process.stdout?.on("data", (bytes: Buffer) => {
			// Not with readline: that splits at U+2028 too, which may be part of a text.
			const lines = (rest + decoder.write(bytes)).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) if (line.trim() !== "") onRecord(JSON.parse(line) as PiRecord);
		});
	}

	send(record: PiRecord): void {
		this.#process.stdin?.write(`${JSON.stringify(record)}\n`);
	}

	/** Lets pi end in order. Its background runs continue, and report when the session is opened again. */
	close(): void {
		this.#process.stdin?.end();
	}
}
