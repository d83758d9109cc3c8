import { lstatSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { realPath } from "../files/real-path.ts";
import { canRun } from "../sandbox/probe.ts";
import { shellWords } from "../sandbox/quote.ts";
import { SEARCH_RING } from "../sandbox/search-ring.ts";

export interface SearchPrograms {
	/** The programs that stand in for others. */
	names: string[];
	/** What is seen where, for programs of pi's own folder. */
	shown: { from: string; at: string }[];
	/** Whether one is to be found on the PATH. */
	onPath: boolean;
}

/** What pi starts for `grep` and `find`, under the names that it looks for. */
const SEARCHES = { rg: ["rg"], fd: ["fd", "fdfind"] } as const;

/**
 * pi starts ripgrep and fd by itself, and no hook can change how. So in the ring of a host a script of ours replaces each
 * of them, which runs it in the ring of the run that searches. If one is missing, pi installs its own: that stays
 * possible, and until the next host starts only policy restricts it.
 */
export function searchPrograms(where: {
	/** For the scripts. */
	folder: string;
	/** Where pi looks first, and keeps those that it downloads. */
	bin: string;
	/** Where the content of `bin` is seen inside of the ring. */
	ownPrograms: string;
	path: string;
}): SearchPrograms {
	const found: SearchPrograms = { names: [], shown: [], onPath: false };
	const shown: SearchPrograms["shown"] = [];
	for (const [name, aliases] of Object.entries(SEARCHES)) {
		const script = join(where.folder, name);
		const kept = kindOf(join(where.bin, name));
		// A file cannot be put over a link.
		if (kept === "other") continue;
		const real = kept === "file" ? join(where.ownPrograms, name) : firstOnPath(aliases, where.path);
		if (real === undefined) continue;
		writeFileSync(script, standIn(real), { mode: 0o700 });
		found.names.push(name);
		if (kept === "file") shown.push({ from: realPath(script), at: realPath(join(where.bin, name)) });
		else found.onPath = true;
	}
	if (shown.length > 0) shown.unshift({ from: realPath(where.bin), at: realPath(where.ownPrograms) });
	return { ...found, shown };
}

/** Inside of a run's ring, where a command of its shell may start it, there is no such variable. */
const standIn = (program: string): string =>
	[
		"#!/bin/sh",
		`if [ -n "$${SEARCH_RING}" ]; then`,
		// Before each search pi asks one on the PATH for its version, only to see whether it is there, and waits for it.
		'[ "$1" = --version ] && exit 0',
		`set -- ${shellWords([program])} "$@"`,
		`. "$${SEARCH_RING}"`,
		"fi",
		`exec ${shellWords([program])} "$@"`,
		"",
	].join("\n");

function kindOf(path: string): "file" | "none" | "other" {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	if (!stats) return "none";
	return stats.isFile() ? "file" : "other";
}

function firstOnPath(names: readonly string[], path: string): string | undefined {
	const folders = path.split(":").filter((folder) => isAbsolute(folder));
	return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
}
