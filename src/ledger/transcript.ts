import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import type { SessionFiles } from "../ports/session-files.ts";
import { parsedLine } from "../run/json-line.ts";
import { isEntry } from "../run/session-entry.ts";

/** A child that has written more than this is ended. */
export const MAX_SESSION_FILE = 64 * 1024 * 1024;

/** The entries of a session file, read without pi: its own way of opening a session may rewrite the file. */
export function entriesIn(file: string, files: SessionFiles): SessionEntry[] {
	// No child writes a file that large.
	return files.read(file, MAX_SESSION_FILE)?.split("\n").flatMap(entryOn) ?? [];
}

/** The entry on a line; none if the line is still being written, or was cut off by a crash. */
export function entryOn(line: string): SessionEntry[] {
	const entry = parsedLine(line);
	return isEntry(entry) ? [entry] : [];
}

/** From the first entry to the last: entries that a lost host wrote on another branch are not part of the conversation. */
export function currentBranch(entries: readonly SessionEntry[]): SessionEntry[] {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const branch: SessionEntry[] = [];
	for (let entry = entries.at(-1); entry; ) {
		branch.push(entry);
		byId.delete(entry.id); // A cycle ends where it began.
		entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
	}
	return branch.reverse();
}
