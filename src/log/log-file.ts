import {
	appendFileSync,
	chmodSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	renameSync,
	statSync,
	truncateSync,
} from "node:fs";
import { dirname } from "node:path";

/** The size from which a log file is rotated. */
const LOG_BYTES = 1024 * 1024;
/** How many rotated files are kept. */
const OLD_LOGS_KEPT = 2;

/** The paths of a log file and of the rotated ones beside it, the newest first. Not all of them exist. */
export const logFilesOf = (file: string): string[] => [
	file,
	...Array.from({ length: OLD_LOGS_KEPT }, (_, index) => `${file}.${index + 1}`),
];

/** Appends to a log file of limited size. The first line creates it, readable by the user only. */
export function appendToLog(file: string, line: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	rotateLog(file);
	// Opened for each line: several processes write into one file, and any of them may rotate it.
	appendFileSync(file, line, { mode: 0o600 });
}

/**
 * Rotates a large log file. Copies and empties it instead of renaming it, because it may be the standard error of a process,
 * which would keep writing to the renamed file. Two processes that rotate at the same instant may lose an old file; a lock
 * against that would have to be cleaned up after a crash.
 */
export function rotateLog(file: string): void {
	if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < LOG_BYTES) return;
	const files = logFilesOf(file);
	for (let index = files.length - 1; index > 1; index--) {
		const [newer = "", older = ""] = [files[index - 1], files[index]];
		if (existsSync(newer)) renameSync(newer, older);
	}
	const [, aside = ""] = files;
	copyFileSync(file, aside);
	chmodSync(aside, 0o600);
	truncateSync(file);
}
