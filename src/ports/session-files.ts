import {
	accessSync,
	closeSync,
	constants,
	existsSync,
	fsyncSync,
	openSync,
	readFileSync,
	renameSync,
	statfsSync,
	statSync,
} from "node:fs";

/** The session files of parents and children, as far as the ledger and its loops look into them. */
export interface SessionFiles {
	exists(file: string): boolean;
	/** Undefined if it is not a regular file or is larger than that. Throws the system's error if it does not exist. */
	read(file: string, atMostBytes: number): string | undefined;
	/** Whether a line could be added to it now, as far as the system tells. */
	hasRoom(file: string): boolean;
	/** Returns once the disk holds what was written. */
	flush(file: string): void;
	rename(from: string, to: string): void;
}

/** More than any entry takes that is written again. */
const ROOM_BYTES = 256 * 1024;

export const diskFiles: SessionFiles = {
	exists: existsSync,
	read(file, atMostBytes) {
		// Reading something other than a regular file may never end.
		const stats = statSync(file);
		return stats.isFile() && stats.size <= atMostBytes ? readFileSync(file, "utf8") : undefined;
	},
	hasRoom(file) {
		try {
			accessSync(file, constants.W_OK);
			const { bavail, bsize } = statfsSync(file);
			return bavail * bsize >= ROOM_BYTES;
		} catch (error) {
			if (error instanceof Error && "code" in error) return false;
			throw error;
		}
	},
	flush(file) {
		const descriptor = openSync(file, "r+");
		try {
			fsyncSync(descriptor);
		} finally {
			closeSync(descriptor);
		}
	},
	rename: renameSync,
};
