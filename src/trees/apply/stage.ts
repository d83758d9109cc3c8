import { isUtf8 } from "node:buffer";
import { copyFileSync, existsSync, lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Checkout } from "../checkout.ts";
import { git, nulWords, type Repository } from "../git.ts";
import { formatOf, gitConfig, writeGitFolder } from "../git-folder.ts";
import { conflictsOf } from "./conflicts.ts";
import { type FileState, findAt, foldersAboveFile, holdsOnly, inTheWay, requireSafePath } from "./file-state.ts";
import { type Journal, type JournalEntry, keptFile, writeJournal } from "./journal.ts";

export interface StageOrder {
	patch: string;
	checkout: Checkout;
	/** Where the journal and both sides of the files are kept. */
	folder: string;
}

/**
 * Applies a patch to copies of the files that it changes, and records their state before and after. Only reads the checkout.
 * Returns the paths that do not fit, if there are any.
 */
export async function stageChanges(order: StageOrder): Promise<Journal | { conflicts: string[] }> {
	const { patch, checkout, folder } = order;
	const { top } = checkout;
	rmSync(folder, { recursive: true, force: true });
	const staged: Repository = { gitDir: join(folder, "git"), workTree: join(folder, "work") };
	for (const name of ["work", "before", "after"]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
	writeGitFolder(staged.gitDir, {
		config: gitConfig(formatOf(checkout), checkout.settings),
		alternates: [],
		attributes: checkout.settings.attributes.join("\n"),
	});
	const paths = await pathsIn(patch, staged);
	const before = paths.map((path, index) => keepBefore({ path, index, order }));
	copyAttributes(paths, order);
	const conflicts = await conflictsOf(patch, paths, staged);
	if (conflicts.length > 0) return { conflicts };
	await git(staged, ["apply", ...AS_IT_IS, patch]);
	const entries = paths.map((path, index): JournalEntry => {
		const was = before[index] ?? null;
		return { path, before: was, after: keepAfter({ path, index, order, was }) };
	});
	const blocked = blockedIn(top, entries);
	if (blocked.length > 0) return { conflicts: blocked };
	for (const name of ["work", "git"]) rmSync(join(folder, name), { recursive: true, force: true });
	const journal: Journal = { top, entries, ...foldersOf(top, entries) };
	writeJournal(folder, journal);
	return journal;
}

const AS_IT_IS = ["--whitespace=nowarn", "--allow-empty"];

/** The paths in the patch itself, since that is what will be applied. */
async function pathsIn(patch: string, staged: Repository): Promise<string[]> {
	const { stdout } = await git(staged, ["apply", "--numstat", "-z", ...AS_IT_IS, patch]);
	if (!isUtf8(stdout)) {
		throw new Error("A path in the changes is not UTF-8, so they cannot be applied. Put them on a branch instead.");
	}
	const paths = nulWords(stdout).map((line) => line.replace(/^(\d+|-)\t(\d+|-)\t/, ""));
	for (const path of paths) requireSafePath(path);
	return [...new Set(paths)];
}

interface Keeping {
	path: string;
	index: number;
	order: StageOrder;
}

function keepBefore({ path, index, order: { checkout, folder } }: Keeping): FileState {
	const file = join(checkout.top, path);
	const found = findAt(checkout.top, path);
	if (found === null || found === "other") return null;
	const copy = join(folder, "work", path);
	mkdirSync(dirname(copy), { recursive: true });
	if (found.kind === "link") symlinkSync(found.target, copy);
	else {
		copyFileSync(file, keptFile(folder, "before", index));
		copyFileSync(file, copy);
	}
	return found;
}

/** A file keeps its permissions, unless the changes affect whether it is executable: git does not store others. */
function keepAfter({ path, index, order: { folder }, was }: Keeping & { was: FileState }): FileState {
	const found = findAt(join(folder, "work"), path);
	if (found === null || found === "other") return null;
	if (found.kind === "link") return found;
	copyFileSync(join(folder, "work", path), keptFile(folder, "after", index));
	return was?.kind === "file" && (was.mode & 0o100) === (found.mode & 0o100) ? { ...found, mode: was.mode } : found;
}

/** Copies the attributes files, which decide how lines end. */
function copyAttributes(paths: readonly string[], { checkout, folder }: StageOrder): void {
	for (const above of new Set(["", ...paths.flatMap(foldersAboveFile)])) {
		const name = join(above, ".gitattributes");
		const [from, to] = [join(checkout.top, name), join(folder, "work", name)];
		if (inTheWay(checkout.top, name) !== undefined || existsSync(to)) continue;
		if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) continue;
		mkdirSync(dirname(to), { recursive: true });
		copyFileSync(from, to);
	}
}

/**
 * Paths that git would reject only while it writes: a link or a file where a folder must be, or the other way round.
 */
function blockedIn(top: string, entries: readonly JournalEntry[]): string[] {
	const gone = new Set(entries.flatMap(({ path, after }) => (after === null ? [path] : [])));
	return entries.flatMap(({ path, after }) => {
		const blocking = inTheWay(top, path);
		if (blocking !== undefined) return gone.has(blocking) ? [] : [path];
		return after === null || findAt(top, path) !== "other" || holdsOnly(top, path, gone) ? [] : [path];
	});
}

function foldersOf(top: string, entries: readonly JournalEntry[]): Pick<Journal, "newFolders" | "folderModes"> {
	const above = (side: (entry: JournalEntry) => boolean) => [
		...new Set(entries.filter(side).flatMap(({ path }) => foldersAboveFile(path))),
	];
	return {
		newFolders: above(({ after }) => after !== null).filter((path) => !existsSync(join(top, path))),
		folderModes: Object.fromEntries(
			above(({ after }) => after === null).flatMap((path) => {
				const found = statSync(join(top, path), { throwIfNoEntry: false });
				return found?.isDirectory() ? [[path, found.mode & 0o777]] : [];
			}),
		),
	};
}
