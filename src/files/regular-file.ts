import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** More than git and npm write about a project. */
const MOST_FILE_BYTES = 4 * 1024 * 1024;

/** Throws if an open file is not the expected one. */
type CheckOpened = (descriptor: number) => void;

/**
 * The text of a file that a project brings. Never blocks: instead of a file, there may be a pipe without a writer, or a link
 * to an endless device. Anything that is not a file, or is too long, fails with a code, like an unreadable file.
 *
 * Reads no more than the size that the system reports. That is 0 for files of `/proc`, which contain what this process knows
 * (such as its environment), and one of which is endless.
 */
export function readRegularFile(path: string, atMostBytes = MOST_FILE_BYTES, check?: CheckOpened): string {
	const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		check?.(opened);
		const stats = fstatSync(opened);
		if (stats.isDirectory()) throw failure("EISDIR", `${path} is a folder`);
		if (!stats.isFile()) throw failure("EINVAL", `${path} is not a file`);
		if (stats.size > atMostBytes) throw failure("EFBIG", `${path} is larger than ${atMostBytes} bytes`);
		return bytesFromStart(opened, stats.size).toString("utf8");
	} finally {
		closeSync(opened);
	}
}

/** The first bytes of an open file, or fewer if it has fewer. */
export function bytesFromStart(opened: number, atMostBytes: number): Buffer {
	const bytes = Buffer.alloc(atMostBytes);
	let length = 0;
	for (let read = -1; read !== 0 && length < atMostBytes; length += read) {
		read = readSync(opened, bytes, length, atMostBytes - length, null);
	}
	return bytes.subarray(0, length);
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });
