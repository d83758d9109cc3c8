import { closeSync, openSync, readSync } from "node:fs";
import { git, type Repository } from "./git.ts";
import { TREE_BRANCH } from "./git-folder.ts";
import { type RunProgram, runPlainly } from "./program.ts";

/**
 * Checks the objects of a bundle and puts them into a repository. Returns the commit of the tree's branch.
 *
 * Does not use `git fetch`, which before 2.46 does not check objects from a bundle, and which may run a program that the
 * repository's configuration names (`url.<base>.insteadOf`). This finds names like `.git` or `..` in a folder, and links
 * between objects that lead nowhere.
 */
export async function unpackBundle(repository: Repository, bundle: string): Promise<string> {
	const { commit, packAt } = readBundle(bundle);
	const opened = openSync(bundle, "r");
	try {
		// A program that gets an open file begins at the file's current position.
		readSync(opened, Buffer.alloc(packAt), 0, packAt, null);
		const run: RunProgram = (command, options) => runPlainly(command, { ...options, inputFrom: opened });
		await git(repository, ["index-pack", "--strict", "--fix-thin", "--stdin"], { run });
		return commit;
	} finally {
		closeSync(opened);
	}
}

const MOST_HEADER_BYTES = 64 * 1024;

/** A bundle begins with lines that name what it needs and contains. An empty line separates them from the pack. */
function readBundle(file: string): { commit: string; packAt: number } {
	const opened = openSync(file, "r");
	const buffer = Buffer.alloc(MOST_HEADER_BYTES);
	const size = readSync(opened, buffer, 0, buffer.length, 0);
	closeSync(opened);
	const end = buffer.subarray(0, size).indexOf("\n\n");
	const lines = buffer.subarray(0, Math.max(0, end)).toString().split("\n");
	const commit = lines
		.map((line) => /^([0-9a-f]{40}|[0-9a-f]{64}) (.*)$/.exec(line))
		.find((found) => found?.[2] === TREE_BRANCH)?.[1];
	if (end === -1 || !/^# v[23] git bundle$/.test(lines[0] ?? "") || commit === undefined) {
		throw new Error("What came out of the tree is not a bundle of its branch.");
	}
	return { commit, packAt: end + 2 };
}
