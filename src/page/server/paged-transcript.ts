import { type FileHandle, open, stat } from "node:fs/promises";
import { setImmediate as letOthers } from "node:timers/promises";
import { entryOn } from "../../ledger/transcript.ts";
import { FORK } from "../../run/fork-line.ts";
import type { Usage } from "../../run/usage.ts";
import { isShownEntry, turnOf } from "./transcript-item.ts";

/** How much is read at once, so that other requests get their turn in between. */
const BLOCK_BYTES = 1024 * 1024;
/** A longer line is not parsed: it is shown as a note. */
const LONGEST_LINE = 2 * 1024 * 1024;
/** The largest file that is read. A host ends a child before its file gets that large. */
const BYTES_READ = 256 * 1024 * 1024;
const LINES_READ = 300_000;

/** The facts about one line of the file that are kept: its position, and what links it to the conversation. */
interface Line {
	offset: number;
	bytes: number;
	id: string;
	parent: number;
	isShown: boolean;
	isFork: boolean;
	turn?: Usage & { at: number };
}

/** The text is read again when the item is shown. */
export type ShownLine = { text: string } | { tooLongBytes: number };

/**
 * A session file, read as it grows. Memory holds only the positions of its lines: the text is read again for a page. The
 * conversation leads from the first line to the last, and is numbered from 0.
 */
export class PagedTranscript {
	readonly path: string;
	#read = 0;
	#inode: number | undefined;
	#version = 0;
	readonly #lines: Line[] = [];
	readonly #byId = new Map<string, number>();
	#shown: number[] = [];
	/** The line that the conversation ended with at the last look. */
	#tip = -1;
	#unreadable = 0;
	#isCut = false;
	#refreshing: Promise<void> | undefined;

	constructor(path: string) {
		this.path = path;
	}

	/** Changes when lines that were already numbered have changed. */
	get version(): string {
		return `${this.#inode ?? 0}-${this.#version}`;
	}

	get total(): number {
		return this.#shown.length;
	}

	/** What is missing, in words. */
	get note(): string | undefined {
		if (this.#isCut) return "The transcript is too long to be shown whole: its end is missing here.";
		if (this.#unreadable === 0) return undefined;
		return `${this.#unreadable} ${this.#unreadable === 1 ? "line" : "lines"} of the transcript could not be read.`;
	}

	get turns(): (Usage & { at: number })[] {
		return this.#shown.flatMap((index) => this.#lines[index]?.turn ?? []);
	}

	/** Reads what was written since the last time. Cheap if nothing was. */
	refresh(): Promise<void> {
		this.#refreshing ??= this.#refresh().finally(() => {
			this.#refreshing = undefined;
		});
		return this.#refreshing;
	}

	/** The lines from one position up to another, unless one is longer than this. */
	async read(from: number, to: number, longest = LONGEST_LINE): Promise<ShownLine[]> {
		const wanted = this.#shown.slice(from, to).flatMap((index) => this.#lines[index] ?? []);
		if (wanted.length === 0) return [];
		const file = await open(this.path, "r");
		try {
			const read: ShownLine[] = [];
			for (const { offset, bytes } of wanted) {
				if (bytes > longest) read.push({ tooLongBytes: bytes });
				else read.push({ text: (await readAt(file, offset, bytes)).toString("utf8") });
			}
			return read;
		} finally {
			await file.close();
		}
	}

	async #refresh(): Promise<void> {
		const { size, ino, isFile } = await fileFacts(this.path);
		if (ino !== this.#inode || size < this.#read) this.#beginAgain(ino);
		if (!isFile || size === this.#read || this.#isCut) return;
		const file = await open(this.path, "r");
		try {
			await this.#readOn(file, size);
		} finally {
			await file.close();
		}
		this.#follow();
	}

	#beginAgain(inode: number): void {
		this.#inode = inode;
		this.#version++;
		this.#read = 0;
		this.#lines.length = 0;
		this.#byId.clear();
		this.#shown = [];
		this.#tip = -1;
		this.#unreadable = 0;
		this.#isCut = false;
	}

	async #readOn(file: FileHandle, size: number): Promise<void> {
		let rest = Buffer.alloc(0);
		/** How much of a line was skipped, if the line is longer than we keep. */
		let passed = 0;
		for (let at = this.#read; at < size; ) {
			if (at >= BYTES_READ || this.#lines.length >= LINES_READ) {
				this.#isCut = true;
				return;
			}
			const block = await readAt(file, at, Math.min(BLOCK_BYTES, size - at));
			if (block.length === 0) return;
			at += block.length;
			let data = rest.length > 0 ? Buffer.concat([rest, block]) : block;
			for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10)) {
				const bytes = passed + end;
				if (bytes > LONGEST_LINE) this.#addLongLine(bytes);
				else this.#addLine(data.subarray(0, end));
				this.#read += bytes + 1;
				passed = 0;
				data = data.subarray(end + 1);
			}
			if (passed > 0 || data.length > LONGEST_LINE) {
				passed += data.length;
				data = Buffer.alloc(0);
			}
			rest = Buffer.from(data);
			await letOthers();
		}
	}

	#addLine(line: Buffer): void {
		if (line.length === 0) return;
		const [entry] = entryOn(line.toString("utf8"));
		if (!entry) {
			// The first line of a session file describes the file, and is not an entry.
			if (this.#read > 0) this.#unreadable++;
			return;
		}
		const turn = turnOf(entry);
		this.#add({
			offset: this.#read,
			bytes: line.length,
			id: entry.id,
			parent: entry.parentId === null ? -1 : (this.#byId.get(entry.parentId) ?? -1),
			isShown: isShownEntry(entry),
			isFork: entry.type === "custom_message" && entry.customType === FORK,
			...(turn && { turn }),
		});
	}

	/** Its id is unknown, so the next line is assumed to follow it. */
	#addLongLine(bytes: number): void {
		const line = { offset: this.#read, bytes, id: "", parent: this.#lines.length - 1, isShown: true, isFork: false };
		this.#add(line);
	}

	#add(line: Line): void {
		const index = this.#lines.push(line) - 1;
		const before = this.#lines[index - 1];
		// The id of the line before was not read, so the parent of this one is unknown.
		if (line.parent === -1 && before && before.id === "") line.parent = index - 1;
		if (line.id !== "") this.#byId.set(line.id, index);
	}

	/** Follows the conversation from its last line back to the known part. */
	#follow(): void {
		const last = this.#lines.length - 1;
		const added: number[] = [];
		let at = last;
		for (; at > this.#tip; at = this.#lines[at]?.parent ?? -1) added.push(at);
		const goesOn = at === this.#tip;
		if (!goesOn) {
			for (; at >= 0; at = this.#lines[at]?.parent ?? -1) added.push(at);
			this.#version++;
			this.#shown = [];
		}
		this.#tip = last;
		added.reverse();
		const fork = added.findLastIndex((index) => this.#lines[index]?.isFork);
		if (fork >= 0) this.#shown = [];
		for (const index of added.slice(fork + 1)) if (this.#lines[index]?.isShown) this.#shown.push(index);
	}
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
	const buffer = Buffer.alloc(bytes);
	const { bytesRead } = await file.read(buffer, 0, bytes, position);
	return buffer.subarray(0, bytesRead);
}

async function fileFacts(path: string): Promise<{ size: number; ino: number; isFile: boolean }> {
	const found = await stat(path);
	return { size: found.size, ino: found.ino, isFile: found.isFile() };
}
