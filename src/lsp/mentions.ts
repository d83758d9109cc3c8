import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { codeOnly } from "./code-only.ts";
import { LARGEST_SOURCE } from "./source-text.ts";
import { indexOfWord } from "./words.ts";

const READ_AT_ONCE = 64;

export interface Mention {
	file: string;
	/** Whether it occurs outside comments and strings. */
	inCode: boolean;
}

/** Which of some files contain a word. */
export async function mentionsOf(word: string, files: readonly string[]): Promise<Mention[]> {
	const mentions: Mention[] = [];
	for (let index = 0; index < files.length; index += READ_AT_ONCE) {
		const some = files.slice(index, index + READ_AT_ONCE);
		const found = await Promise.all(some.map((file) => mentionIn(file, word)));
		mentions.push(...found.flatMap((mention) => mention ?? []));
	}
	return mentions;
}

async function mentionIn(file: string, word: string): Promise<Mention | undefined> {
	const bytes = await bytesOfSource(file).catch((error: NodeJS.ErrnoException) => {
		if (error.code === undefined) throw error;
		return undefined; // It is gone, or may not be read: no server reads it either.
	});
	if (!bytes?.includes(word)) return undefined;
	const lines = bytes.toString("utf8").split("\n");
	const has = (line: string) => indexOfWord(line, word) >= 0;
	return lines.some(has) ? { file, inCode: codeOnly(lines, file).some(has) } : undefined;
}

/** Undefined if it is too large for a server. It may be larger than the memory, so its size is looked at first. */
async function bytesOfSource(file: string): Promise<Buffer | undefined> {
	const opened = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const stats = await opened.stat();
		return stats.isFile() && stats.size <= LARGEST_SOURCE ? await opened.readFile() : undefined;
	} finally {
		await opened.close();
	}
}
