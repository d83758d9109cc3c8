import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";

/** Folders with generated or downloaded files, not written ones. */
const SKIPPED = /^(\..*|node_modules|target|dist|build|out|vendor|venv|__pycache__)$/;

/** Reading more would take longer than a caller waits. */
export const MOST_PROJECT_FILES = 10_000;

/** The source files below a folder that people wrote, nearest first. Does not follow links. */
export async function sourceFiles(folder: string, isSource: (name: string) => boolean): Promise<string[]> {
	const files: string[] = [];
	const folders = [folder];
	for (let next = folders.shift(); next !== undefined && files.length < MOST_PROJECT_FILES; next = folders.shift()) {
		for (const entry of await folderEntries(next)) {
			if (entry.isDirectory() && !SKIPPED.test(entry.name)) folders.push(join(next, entry.name));
			else if (entry.isFile() && isSource(entry.name)) files.push(join(next, entry.name));
		}
	}
	return files.slice(0, MOST_PROJECT_FILES);
}

export const hasExtension = (extensions: Readonly<Record<string, unknown>>) => (name: string) =>
	extname(name).toLowerCase() in extensions;

/** When each of them was last changed. */
export async function changeTimes(files: readonly string[]): Promise<Map<string, number>> {
	const times = await Promise.all(files.map((file) => unlessGone(stat(file))));
	return new Map(files.flatMap((file, index) => (times[index] ? [[file, times[index].mtimeMs]] : [])));
}

const folderEntries = async (folder: string) => {
	const entries = (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [];
	return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
};

async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
	try {
		return await read;
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
