import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Longer than what git and npm write about a project. */
const MOST_FILE_BYTES = 4 * 1024 * 1024;

/**
 * The text of a file that a project brings. Never waits: where a file is expected, there may be a pipe without a writer, or
 * a link to an endless device. Anything that is not a file, or is too long, fails with a code, like an unreadable file.
 */
export function readRegularFile(path: string): string {
	const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = fstatSync(opened);
		if (stats.isDirectory()) throw failure("EISDIR", `${path} is a folder`);
		if (!stats.isFile()) throw failure("EINVAL", `${path} is not a file`);
		if (stats.size > MOST_FILE_BYTES) throw failure("EFBIG", `${path} is larger than ${MOST_FILE_BYTES} bytes`);
		return readFileSync(opened, "utf8");
	} finally {
		closeSync(opened);
	}
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });
