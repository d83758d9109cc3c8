import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export const LARGEST_AGENT_FILE = 256 * 1024;

export type ReadText = { kind: "text"; text: string } | { kind: "unread"; reason: string };

export interface OpenedFile {
	/** Changes with the file. */
	version: string;
	size: number;
	read(): ReadText;
}

/**
 * Opens a file for one piece of work. Never blocks: it opens a pipe even without a writer. Inspects and reads the open file,
 * which cannot be replaced in between.
 */
export function withFile<Result>(file: string, work: (opened: OpenedFile) => Result): Result {
	const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = fstatSync(descriptor);
		const version = [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
		return work({ version, size: stats.size, read: () => readText(descriptor, stats.isFile(), stats.size) });
	} finally {
		closeSync(descriptor);
	}
}

function readText(descriptor: number, isFile: boolean, size: number): ReadText {
	if (!isFile) return { kind: "unread", reason: "it is not a file" };
	if (size > LARGEST_AGENT_FILE) return TOO_LARGE;
	// The size may be wrong: files of /proc say 0.
	const bytes = Buffer.alloc(LARGEST_AGENT_FILE + 1);
	let length = 0;
	for (;;) {
		const read = readSync(descriptor, bytes, length, bytes.length - length, null);
		length += read;
		if (length > LARGEST_AGENT_FILE) return TOO_LARGE;
		if (read === 0) return { kind: "text", text: bytes.toString("utf8", 0, length) };
	}
}

const TOO_LARGE: ReadText = { kind: "unread", reason: `it is larger than ${LARGEST_AGENT_FILE / 1024} KiB` };
