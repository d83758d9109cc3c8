import {
	chmodSync,
	copyFileSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmdirSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { RunId } from "../../run/ids.ts";
import { findAt, foldersAboveFile, holdsOnly, inTheWay, isSameState } from "./file-state.ts";
import { type Journal, type JournalEntry, keptFile, type Side } from "./journal.ts";

export interface Move {
	journal: Journal;
	/** Where the content is kept. */
	folder: string;
	runId: RunId;
	to: Side;
}

/**
 * Brings every file of a journal to one side. Each file must match one of the two sides, so this also finishes, or reverts,
 * what a killed process began. If some files match neither, it returns them and changes nothing.
 *
 * All new content is written beside its place before the first file changes, so that a full disk shows up in time.
 */
export function moveFiles({ journal, folder, runId, to }: Move): { changed: string[] } {
	const { top, entries } = journal;
	const target = (entry: JournalEntry) => entry[to];
	const nameOf = (index: number) => `.pi-geon-${runId}-${index}`;
	const drafts = new Map<number, string>();
	const gone = new Set(entries.flatMap((entry) => (target(entry) === null ? [entry.path] : [])));
	const others = entries.filter((entry) => !isOnEitherSide(entry));
	if (others.length > 0) return { changed: others.map(({ path }) => path) };
	removeDrafts();
	const open = entries.flatMap((entry, index) => {
		return isSameState(findAt(top, entry.path), target(entry)) ? [] : [{ entry, index }];
	});
	try {
		for (const { entry, index } of open) writeDraft(entry, index);
	} catch (error) {
		removeDrafts();
		throw error;
	}
	for (const { entry } of open) if (target(entry) === null) rmSync(join(top, entry.path), { force: true });
	for (const { entry } of open) if (target(entry) === null) removeEmptyAbove(entry.path);
	for (const { entry, index } of open) if (target(entry) !== null) takePlace(entry, index);
	if (to === "before") for (const path of [...journal.newFolders].reverse()) removeIfEmpty(path);
	return { changed: [] };

	function isOnEitherSide(entry: JournalEntry): boolean {
		const blocking = inTheWay(top, entry.path);
		if (blocking !== undefined && !entries.some(({ path }) => path === blocking)) return false;
		const found = findAt(top, entry.path);
		if (found !== "other") return isSameState(found, entry.before) || isSameState(found, entry.after);
		return (entry.before === null || entry.after === null) && holdsOnly(top, entry.path, gone);
	}

	function writeDraft(entry: JournalEntry, index: number): void {
		const state = target(entry);
		// Use the nearest existing folder, which is on the same disk.
		const above = foldersAboveFile(entry.path).findLast((way) => isRealFolder(way)) ?? "";
		const draft = join(top, above, nameOf(index));
		drafts.set(index, draft);
		if (state?.kind === "link") symlinkSync(state.target, draft);
		if (state?.kind !== "file") return;
		copyFileSync(keptFile(folder, to, index), draft);
		chmodSync(draft, state.mode);
		if (!isSameState(findAt(dirname(draft), nameOf(index)), state)) {
			throw new Error(`The saved content of ${entry.path} has changed.`);
		}
	}

	/** Also removes the drafts of a killed process. They may be in any folder on the way. */
	function removeDrafts(): void {
		for (const [index, { path }] of entries.entries()) {
			for (const way of ["", ...foldersAboveFile(path)]) {
				if (way === "" || isRealFolder(way)) rmSync(join(top, way, nameOf(index)), { force: true });
			}
		}
	}

	/** Whether no link leads to it. */
	function isRealFolder(way: string): boolean {
		if (inTheWay(top, way) !== undefined) return false;
		return lstatSync(join(top, way), { throwIfNoEntry: false })?.isDirectory() === true;
	}

	function takePlace(entry: JournalEntry, index: number): void {
		for (const way of foldersAboveFile(entry.path)) {
			if (lstatSync(join(top, way), { throwIfNoEntry: false })) continue;
			mkdirSync(join(top, way));
			const mode = journal.folderModes[way];
			if (mode !== undefined) chmodSync(join(top, way), mode);
		}
		// A folder in its place no longer has any files.
		if (lstatSync(join(top, entry.path), { throwIfNoEntry: false })?.isDirectory()) removeEmptyFolders(entry.path);
		renameSync(drafts.get(index) ?? "", join(top, entry.path));
	}

	/** As in git, a folder without files does not exist. */
	function removeEmptyAbove(path: string): void {
		for (const way of foldersAboveFile(path).reverse()) if (!removeIfEmpty(way)) return;
	}

	function removeEmptyFolders(path: string): void {
		for (const entry of readdirSync(join(top, path), { withFileTypes: true })) {
			if (entry.isDirectory()) removeEmptyFolders(join(path, entry.name));
		}
		removeIfEmpty(path);
	}

	function removeIfEmpty(path: string): boolean {
		try {
			rmdirSync(join(top, path));
			return true;
		} catch (error) {
			const codes = ["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EBUSY"];
			if (error instanceof Error && "code" in error && codes.includes(String(error.code))) return false;
			throw error;
		}
	}
}
