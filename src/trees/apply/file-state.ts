import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** What is at a path: a file, a link, or nothing. */
export type FileState = { kind: "file"; mode: number; sha256: string } | { kind: "link"; target: string } | null;

/** The state at a path. `other`: something that no change can concern, such as a folder, a pipe or a device. */
export type Found = FileState | "other";

/** Looks at a path below `top` without following a link on the way. A path behind a link counts as missing. */
export function findAt(top: string, path: string): Found {
	if (foldersAboveFile(path).some((folder) => !isFolderOrNothing(join(top, folder)))) return null;
	const file = join(top, path);
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (!found) return null;
	if (found.isSymbolicLink()) return { kind: "link", target: readlinkSync(file) };
	if (!found.isFile()) return "other";
	const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
	return { kind: "file", mode: found.mode & 0o777, sha256 };
}

export function isSameState(one: Found, other: Found): boolean {
	if (one === null || other === null || one === "other" || other === "other") return one === other;
	if (one.kind === "link") return other.kind === "link" && one.target === other.target;
	// Of a mode, git keeps only whether the file is executable. The user may have changed the rest by hand.
	return other.kind === "file" && one.sha256 === other.sha256 && (one.mode & 0o100) === (other.mode & 0o100);
}

/** The folders on the way to a file, the outermost first, without the top. */
export function foldersAboveFile(path: string): string[] {
	const folder = dirname(path);
	return folder === "." ? [] : [...foldersAboveFile(folder), folder];
}

/** The first thing on the way to a path that is not a folder: a file or a link where a folder must be. */
export const inTheWay = (top: string, path: string): string | undefined =>
	foldersAboveFile(path).find((folder) => !isFolderOrNothing(join(top, folder)));

function isFolderOrNothing(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found === undefined || found.isDirectory();
}

/** Whether a folder has no files but these, so that it disappears with them. */
export function holdsOnly(top: string, folder: string, files: ReadonlySet<string>): boolean {
	if (!lstatSync(join(top, folder), { throwIfNoEntry: false })?.isDirectory()) return false;
	return readdirSync(join(top, folder), { withFileTypes: true }).every((entry) => {
		const path = `${folder}/${entry.name}`;
		return entry.isDirectory() ? holdsOnly(top, path, files) : files.has(path);
	});
}

/** Refuses a path that leaves the checkout or reaches into its repository. Earlier checks should have found it already. */
export function requireSafePath(path: string): void {
	const parts = path.split("/");
	if (
		parts.some((part) => part === "" || part === "." || part === ".." || /^\.git$/i.test(part)) ||
		path.includes("\0")
	) {
		throw new Error(`The changes have a path that no checkout may have: ${JSON.stringify(path)}`);
	}
}
