import type { Readable, Writable } from "node:stream";
import {
	AbstractMessageReader,
	AbstractMessageWriter,
	type DataCallback,
	type Disposable,
	type Message,
	RAL,
} from "vscode-jsonrpc";
import type { FloodMeter } from "./flood-meter.ts";

/*
 * The streams of `vscode-jsonrpc/node` accept messages of any length, and require Node's modules in a way that a bundled ES
 * module cannot. Besides streams, the library needs timers, which are installed here.
 */
const disposable = (dispose: () => void): Disposable => ({ dispose });
const unused = (): never => {
	throw new Error("The streams of this file do their own encoding.");
};
/** Keeps the library's messages about a server's mistakes off pi's screen. */
export const SILENT = { error() {}, warn() {}, info() {}, log() {} };

RAL.install({
	console: SILENT,
	crypto: globalThis.crypto,
	timer: {
		setTimeout: (callback, ms, ...args) => {
			const timer = setTimeout(callback, ms, ...args);
			return disposable(() => clearTimeout(timer));
		},
		setImmediate: (callback, ...args) => {
			const immediate = setImmediate(callback, ...args);
			return disposable(() => clearImmediate(immediate));
		},
		setInterval: (callback, ms, ...args) => {
			const timer = setInterval(callback, ms, ...args);
			return disposable(() => clearInterval(timer));
		},
	},
	applicationJson: { encoder: { name: "unused", encode: unused }, decoder: { name: "unused", decode: unused } },
	messageBuffer: { create: unused },
});

const HEADER_END = "\r\n\r\n";
const LONGEST_HEADER = 8 * 1024;

/** Reads framed messages, and gives up on a stream that is malformed or too large. */
export class BoundedReader extends AbstractMessageReader {
	readonly #stream: Readable;
	readonly #meter: FloodMeter;
	readonly #largest: number;
	#chunks: Buffer[] = [];
	#held = 0;
	/** The length of the message whose header has been read. */
	#length: number | undefined;
	/** How many messages have come. */
	received = 0;

	constructor(stream: Readable, { meter, largest }: { meter: FloodMeter; largest: number }) {
		super();
		this.#stream = stream;
		this.#meter = meter;
		this.#largest = largest;
	}

	listen(callback: DataCallback): Disposable {
		const onData = (chunk: Buffer) => {
			try {
				this.#take(chunk, callback);
			} catch (error) {
				this.#stream.off("data", onData);
				this.fireError(error instanceof Error ? error : new Error(String(error)));
			}
		};
		this.#stream.on("data", onData);
		this.#stream.once("close", () => this.fireClose());
		return disposable(() => this.#stream.off("data", onData));
	}

	#take(chunk: Buffer, callback: DataCallback): void {
		this.#meter.count({ bytes: chunk.length });
		this.#chunks.push(chunk);
		this.#held += chunk.length;
		for (;;) {
			if (this.#length === undefined && !this.#readHeader()) return;
			if (this.#length === undefined || this.#held < this.#length) return;
			const all = this.#joined();
			const body = all.subarray(0, this.#length).toString("utf8");
			this.#keep(all.subarray(this.#length));
			this.#length = undefined;
			this.#meter.count({ messages: 1 });
			this.received++;
			callback(JSON.parse(body) as Message);
		}
	}

	#readHeader(): boolean {
		const all = this.#joined();
		const end = all.indexOf(HEADER_END);
		if (end === -1 && all.length < LONGEST_HEADER) return false;
		// Lines before the header are allowed, such as a script's greeting, but they must end.
		const header = end > LONGEST_HEADER ? "" : all.subarray(0, Math.max(end, 0)).toString("latin1");
		const length = Number(/^content-length: *(\d+) *$/im.exec(header)?.[1] ?? Number.NaN);
		if (Number.isNaN(length))
			throw new Error(`it wrote ${JSON.stringify(all.toString("utf8", 0, 80))}, which is not LSP`);
		if (length > this.#largest) throw new Error(`it announced a message of ${length} bytes`);
		this.#length = length;
		this.#keep(all.subarray(end + HEADER_END.length));
		return true;
	}

	#joined(): Buffer {
		const [first] = this.#chunks;
		return this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
	}

	#keep(rest: Buffer): void {
		this.#chunks = [rest];
		this.#held = rest.length;
	}
}

export class FramedWriter extends AbstractMessageWriter {
	readonly #stream: Writable;

	constructor(stream: Writable) {
		super();
		this.#stream = stream;
		// The server's exit is reported elsewhere, but without a listener, a broken pipe would end this process too.
		stream.on("error", (error) => this.fireError(error));
	}

	async write(message: Message): Promise<void> {
		const body = Buffer.from(JSON.stringify(message));
		if (this.#stream.writable)
			this.#stream.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}${HEADER_END}`), body]));
	}

	end(): void {
		this.#stream.end();
	}
}
