import { open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { entryOn, MAX_SESSION_FILE } from "../ledger/transcript.ts";

const CHARS_AT_ONCE = 256 * 1024;

/** The entries of a session file, read asynchronously. None if there is no file, or if it is too large to be ours. */
export async function readEntries(file: string): Promise<SessionEntry[]> {
	const text = await sessionText(file);
	const entries: SessionEntry[] = [];
	let parsed = 0;
	for (let from = 0; from < text.length; ) {
		const end = text.indexOf("\n", from);
		const line = text.slice(from, end === -1 ? text.length : end);
		entries.push(...entryOn(line));
		from += line.length + 1;
		parsed += line.length;
		if (parsed < CHARS_AT_ONCE) continue;
		parsed = 0;
		await nextTurn();
	}
	return entries;
}

async function sessionText(path: string): Promise<string> {
	try {
		await using file = await open(path);
		const stats = await file.stat();
		return stats.isFile() && stats.size <= MAX_SESSION_FILE ? await file.readFile("utf8") : "";
	} catch (error) {
		// The file was never written, or is gone. The other spans still describe the run.
		if (error instanceof Error && "code" in error) return "";
		throw error;
	}
}
