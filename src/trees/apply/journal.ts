import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FileState } from "./file-state.ts";

/**
 * Everything needed to put changes into a checkout and to revert them, recorded before the first file changes. If a process is
 * killed in between, each file is in its state before or after, and the changes can be completed or reverted.
 */
export interface Journal {
	top: string;
	entries: JournalEntry[];
	/** Folders that the changes create, the outermost first. */
	newFolders: string[];
	/** Permissions of the folders that lose a file: a folder may disappear with its last file. */
	folderModes: Record<string, number>;
}

export interface JournalEntry {
	path: string;
	before: FileState;
	after: FileState;
}

export type Side = "before" | "after";

/** Where the content of a file is kept. */
export const keptFile = (folder: string, side: Side, index: number): string => join(folder, side, String(index));

const journalFile = (folder: string): string => join(folder, "journal.json");

export function writeJournal(folder: string, journal: Journal): void {
	const opened = openSync(journalFile(folder), "w", 0o600);
	try {
		writeSync(opened, JSON.stringify(journal));
		fsyncSync(opened);
	} finally {
		closeSync(opened);
	}
}

/** Undefined if there is no complete journal: then no file has changed. */
export function readJournal(folder: string): Journal | undefined {
	try {
		return JSON.parse(readFileSync(journalFile(folder), "utf8")) as Journal;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}
