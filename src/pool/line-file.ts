import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const LINE_BREAK = 10;

/** Reads the new complete lines of a session file. A partial line at the end waits for the rest. */
export class LineReader {
	readonly #file: string;
	#at = 0;
	#rest = Buffer.alloc(0);
	/** How many lines were read. */
	count = 0;

	constructor(file: string) {
		this.#file = file;
	}

	next(): string[] {
		if (!existsSync(this.#file)) return [];
		const opened = openSync(this.#file, "r");
		try {
			const { size } = fstatSync(opened);
			if (size <= this.#at) return [];
			const more = Buffer.alloc(size - this.#at);
			this.#at += readSync(opened, more, 0, more.length, this.#at);
			const bytes = Buffer.concat([this.#rest, more]);
			const end = bytes.lastIndexOf(LINE_BREAK) + 1;
			this.#rest = bytes.subarray(end);
			const lines = end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
			this.count += lines.length;
			return lines;
		} finally {
			closeSync(opened);
		}
	}
}

/** Appends lines from another machine to the session file here. */
export class LineWriter {
	readonly #file: string;
	/** How many lines the file has. */
	count: number;

	/** Removes the partial line of a process that was killed while it wrote: that line is sent again. */
	constructor(file: string) {
		this.#file = file;
		const reader = new LineReader(file);
		reader.next();
		this.count = reader.count;
		cutHalfLine(file);
	}

	append(lines: readonly string[]): void {
		if (lines.length === 0) return;
		mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
		const opened = openSync(this.#file, "a", 0o600);
		try {
			appendWhole(opened, Buffer.from(`${lines.join("\n")}\n`));
		} finally {
			closeSync(opened);
		}
		this.count += lines.length;
	}
}

/** Appends all or nothing: on a full disk, only a part may be written, and the same lines are sent again. */
function appendWhole(opened: number, bytes: Buffer): void {
	const { size } = fstatSync(opened);
	try {
		for (let at = 0; at < bytes.length; ) at += writeSync(opened, bytes, at);
	} catch (error) {
		ftruncateSync(opened, size);
		throw error;
	}
}

function cutHalfLine(file: string): void {
	if (!existsSync(file)) return;
	const opened = openSync(file, "r+");
	try {
		const { size } = fstatSync(opened);
		const bytes = Buffer.alloc(size);
		readSync(opened, bytes, 0, size, 0);
		const end = bytes.lastIndexOf(LINE_BREAK) + 1;
		if (end < size) ftruncateSync(opened, end);
	} finally {
		closeSync(opened);
	}
}
