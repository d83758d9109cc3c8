import { accessSync, closeSync, constants, fstatSync, openSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isForeign, isRepository } from "../files/owner.ts";
import { isInside } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import { bytesFromStart } from "../files/regular-file.ts";
import { ancestors, mainCheckoutOf } from "../files/repository.ts";
import { wayTo } from "../files/way.ts";
import { INSTRUCTIONS, TOOL_NOTES } from "../plan/context-file-names.ts";

const CONTEXT_FILE_BYTES = 256 * 1024;

export interface ContextFile {
	path: string;
	content: string;
}

export interface ContextPlace {
	cwd: string;
	agentDir: string;
	/** What no tool of the child may read. */
	hidden: readonly string[];
}

interface FoundContext {
	place: ContextPlace;
	readAt: number;
	files: ContextFile[];
	warnings: string[];
}

let lastFound: FoundContext | undefined;

/**
 * The same for a child that asked at this time (of `performance.now()`): it reuses what was read for another child since. A
 * thousand children that wait for their setup look for the same dozens of files, and most of these do not exist.
 */
export function contextFilesSince(
	askedAt: number,
	place: ContextPlace,
	warn: (warning: string) => void,
): ContextFile[] {
	const isNew = lastFound && isDeepStrictEqual(lastFound.place, place) && lastFound.readAt >= askedAt;
	if (!isNew || !lastFound) {
		const readAt = performance.now();
		const warnings: string[] = [];
		const files = contextFiles(place, (warning) => warnings.push(warning));
		lastFound = { place, readAt, files, warnings };
	}
	lastFound.warnings.forEach(warn);
	return lastFound.files;
}

/** The user's own first, then from the outermost folder to the working directory, so that the nearest comes last. */
export function contextFiles(place: ContextPlace, warn: (warning: string) => void): ContextFile[] {
	const { cwd, agentDir } = place;
	const above = ancestors(resolve(cwd));
	const shadowed = shadowedBy(above.find(isRepository));
	const files = [resolve(agentDir), ...above.reverse()]
		.flatMap((folder) => [INSTRUCTIONS, TOOL_NOTES].flatMap((names) => firstFile(folder, names) ?? []))
		.filter((path) => !shadowed.includes(path));
	return [...new Set(files)].flatMap((path) => readContextFile(path, place, warn) ?? []);
}

const firstFile = (folder: string, names: readonly string[]): string | undefined =>
	names.map((name) => join(folder, name)).find((path) => statOf(path)?.isFile() === true && isReadable(path));

/**
 * A worktree inside its main checkout has its own copy of the same files, which replaces those of the checkout. As in pi, a
 * file with another name stays.
 */
function shadowedBy(repository: string | undefined): string[] {
	const main = repository === undefined ? undefined : mainCheckoutOf(repository);
	if (repository === undefined || main === undefined || !isRepository(main)) return [];
	const outer = ancestors(repository).find((folder) => folder !== repository && realPathOf(folder) === main);
	if (outer === undefined) return [];
	return [INSTRUCTIONS, TOOL_NOTES]
		.flatMap((names) => firstFile(repository, names) ?? [])
		.map((path) => join(outer, basename(path)));
}

function readContextFile(path: string, place: ContextPlace, warn: (warning: string) => void): ContextFile | undefined {
	const leftOut = (why: string) => warn(`The context file ${path} was left out: ${why}`);
	const stranger = foreignPart(path);
	if (stranger) {
		const remedy = "Copy it to a file of your own, or become its owner (chown).";
		leftOut(`${stranger.path} belongs to another user (uid ${stranger.stats.uid}). ${remedy}`);
		return undefined;
	}
	const secret = hiddenPlaceOf(path, place);
	if (secret !== undefined) {
		leftOut(`it leads into ${secret}, which is hidden from subagents. Copy it to a file of the project.`);
		return undefined;
	}
	try {
		const bytes = headOfFile(path, CONTEXT_FILE_BYTES + 1);
		if (bytes.length <= CONTEXT_FILE_BYTES) return { path, content: withoutMark(bytes.toString("utf8")) };
		leftOut("it is over 256 KiB. Shorten it, or move parts of it to files that are read when they are needed.");
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		leftOut(`it cannot be read (${error.message}).`);
	}
	return undefined;
}

/** The owner of the file, of a link to it, or of a folder on the path controls what the child reads. */
function foreignPart(path: string): { path: string; stats: Stats } | undefined {
	const links = (wayTo(path) ?? []).filter(({ stats }) => !stats.isDirectory());
	const folders = links.flatMap(({ path: part }) => {
		const stats = statOf(dirname(part));
		return stats ? [{ path: dirname(part), stats }] : [];
	});
	return [...links, ...folders].find(({ stats }) => isForeign(stats));
}

/**
 * A file of a project may be a link to a key or a token of the user. Their own links, in their home folder or in pi's, are
 * their choice.
 */
function hiddenPlaceOf(path: string, { agentDir, hidden }: ContextPlace): string | undefined {
	const [folder, real] = [dirname(path), realPathOf(path)];
	if (real === undefined || real === path) return undefined;
	if (folder === resolve(agentDir) || ancestors(homedir()).includes(folder)) return undefined;
	const named = realPath(folder);
	return hidden.find((place) => isInside(realPath(place), real) && !isInside(realPath(place), named));
}

/** Reads only the head: the file may be larger than the memory. Never blocks: a pipe may have replaced the file. */
function headOfFile(path: string, most: number): Buffer {
	const opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		return bytesFromStart(opened, Math.min(most, fstatSync(opened).size));
	} finally {
		closeSync(opened);
	}
}

const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

const isReadable = (path: string): boolean => orUndefined(() => accessSync(path, constants.R_OK) ?? true) === true;

const statOf = (path: string): Stats | undefined => orUndefined(() => statSync(path));

const realPathOf = (path: string): string | undefined => orUndefined(() => realpathSync(path));

function orUndefined<T>(look: () => T): T | undefined {
	try {
		return look();
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}
