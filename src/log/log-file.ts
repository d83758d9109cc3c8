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

/** When a log file is set aside. */
const LOG_BYTES = 1024 * 1024;
/** How many that were set aside are kept. */
const OLD_LOGS_KEPT = 2;

/** A log file and the older ones beside it, the newest first, whether they exist or not. */
export const logFilesOf = (file: string): string[] => [
	file,
	...Array.from({ length: OLD_LOGS_KEPT }, (_, index) => `${file}.${index + 1}`),
];

/** Appends to a log file that never grows beyond its bounds. Made, for the user alone, when the first line comes. */
export function appendToLog(file: string, line: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	rotateLog(file);
	// Opened for each line: several processes write into one file, and any of them may set it aside.
	appendFileSync(file, line, { mode: 0o600 });
}

/**
 * Sets a log file aside once it is large: copied and emptied instead of renamed, because it may be the standard error of
 * a process, which would keep writing under the new name. Two processes that do so at the same instant may lose an old
 * file between them; a lock against that would have to be cleared away after a crash.
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
