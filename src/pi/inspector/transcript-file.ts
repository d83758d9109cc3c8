import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { currentBranch, entryOn } from "../../ledger/transcript.ts";

/** Only the end of a very long session is shown; the file has all of it. */
const TRANSCRIPT_BYTES = 4 * 1024 * 1024;
const LINE_END = 0x0a;

/**
 * A session file that another process writes, read as it grows: only the new part, or from the start if it turns out to be
 * another file. This never writes the file, which pi's own way of opening a session may do.
 */
export class TranscriptFile {
	readonly path: string;
	#inode: number | undefined;
	#offset = 0;
	/** The beginning of a line that is just being written. */
	#rest: Buffer = Buffer.alloc(0);
	#all: SessionEntry[] = [];
	/**
	 * The branch of the last entry: entries that a lost host wrote on another branch are not part of the conversation.
	 */
	#branch: SessionEntry[] = [];
	#isCut = false;

	constructor(path: string) {
		this.path = path;
	}

	get entries(): readonly SessionEntry[] {
		return this.#branch;
	}

	/** Whether there is more before the first entry. */
	get isCut(): boolean {
		return this.#isCut;
	}

	/** Reads what was written since the last time. A file that does not exist (yet, or any more) has nothing new. */
	read(): void {
		let file: number;
		try {
			file = openSync(this.path, "r");
		} catch (error) {
			if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
			throw error;
		}
		try {
			const { size, ino } = fstatSync(file);
			if (ino !== this.#inode || size < this.#offset) this.#startAnew(ino, size);
			if (size > this.#offset) this.#take(readBetween(file, this.#offset, size));
		} finally {
			closeSync(file);
		}
	}

	#startAnew(inode: number, size: number): void {
		this.#inode = inode;
		this.#isCut = size > TRANSCRIPT_BYTES;
		this.#offset = this.#isCut ? size - TRANSCRIPT_BYTES : 0;
		this.#rest = Buffer.alloc(0);
		this.#all = [];
		this.#branch = [];
	}

	#take(bytes: Buffer): void {
		this.#offset += bytes.length;
		const all = Buffer.concat([this.#rest, bytes]);
		const end = all.lastIndexOf(LINE_END) + 1;
		this.#rest = all.subarray(end);
		for (const line of all.subarray(0, end).toString("utf8").split("\n")) {
			// Half a line at the beginning, and anything else that is not an entry, is skipped.
			for (const entry of entryOn(line)) this.#append(entry);
		}
	}

	#append(entry: SessionEntry): void {
		this.#all.push(entry);
		if (entry.parentId === this.#branch.at(-1)?.id) this.#branch.push(entry);
		else this.#branch = currentBranch(this.#all);
	}
}

function readBetween(file: number, from: number, to: number): Buffer {
	const bytes = Buffer.alloc(to - from);
	const length = readSync(file, bytes, 0, bytes.length, from);
	return bytes.subarray(0, length);
}
