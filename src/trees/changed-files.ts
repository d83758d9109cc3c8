import type { ChangedFile, Changes } from "../run/changes.ts";

/**
 * Reads the output of `git diff --raw --numstat -z -M`: first the modes and status of each file, then the line counts of
 * each. Both parts are in the same order.
 */
export function parseChangedFiles(output: string): ChangedFile[] {
	const words = output.split("\0").slice(0, -1);
	const files: ChangedFile[] = [];
	let at = 0;
	while (words[at]?.startsWith(":")) {
		const [, , mode = "", , , kind = ""] = /^:(\d+) (\d+) (\w+) (\w+) ([A-Z])/.exec(words[at] ?? "") ?? [];
		const [first = "", second] = words.slice(at + 1, at + 3);
		const renamed = kind === "R" || kind === "C";
		files.push({
			path: renamed ? (second ?? "") : first,
			...(renamed && { from: first }),
			status: statusOf(kind),
			added: 0,
			removed: 0,
			...(mode !== "000000" && { mode }),
		});
		at += renamed ? 3 : 2;
	}
	for (const file of files) {
		const [, added = "-", removed = "-", path] = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(words[at] ?? "") ?? [];
		if (added === "-") file.binary = true;
		file.added = Number(added) || 0;
		file.removed = Number(removed) || 0;
		// For a renamed file, both names follow.
		at += path === "" ? 3 : 1;
	}
	return files;
}

const statusOf = (kind: string): ChangedFile["status"] =>
	kind === "A" || kind === "M" || kind === "D" || kind === "R" || kind === "T" ? kind : "M";

const RUNS_BY_ITSELF =
	/(^|\/)(\.github|\.gitlab-ci\.yml|\.husky|\.githooks|\.vscode|\.idea|\.devcontainer|\.envrc|\.pi|\.claude|\.agents|package\.json|\.npmrc|\.gitattributes|\.gitmodules)(\/|$)/i;

const WARNED_OF = 5;

/** The number of changed files, and of added and removed lines in all of them. */
export function totalOf(files: readonly ChangedFile[]): Changes["total"] {
	const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
	return { files: files.length, added: sum("added"), removed: sum("removed") };
}

/** What a user should see before applying changes. */
export function changeWarnings(files: readonly ChangedFile[]): string[] {
	const there = files.filter(({ status }) => status !== "D");
	const groups: [string, ChangedFile[]][] = [
		["Symbolic links", there.filter(({ mode }) => mode === "120000")],
		["Executable files", there.filter(({ mode }) => mode === "100755")],
		["Files that programs run or obey on their own", there.filter(({ path }) => RUNS_BY_ITSELF.test(path))],
		["Submodule commits, which only a branch includes", there.filter(({ mode }) => mode === "160000")],
	];
	return groups.flatMap(([what, found]) => (found.length === 0 ? [] : [`${what}: ${firstPaths(found)}`]));
}

function firstPaths(files: readonly ChangedFile[]): string {
	const shown = files.slice(0, WARNED_OF).map(({ path }) => path);
	return `${shown.join(", ")}${files.length > WARNED_OF ? ` and ${files.length - WARNED_OF} more` : ""}`;
}
