import { existsSync, lstatSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { leadsInto } from "../files/project-area.ts";
import { realPath } from "../files/real-path.ts";
import { canRun } from "../sandbox/probe.ts";
import { shellWords } from "../sandbox/quote.ts";
import { SEARCH_RING } from "../sandbox/search-ring.ts";

export interface SearchPrograms {
	/** The scripts that replace programs. */
	names: string[];
	/** Which file to mount where, for programs in pi's own folder. */
	shown: { from: string; at: string }[];
	/** Whether pi finds one of them on the PATH. */
	onPath: boolean;
}

/** The programs that pi starts for `grep` and `find`, under the names that it looks for. */
const SEARCHES = { rg: ["rg"], fd: ["fd", "fdfind"] } as const;

/**
 * pi starts ripgrep and fd by itself, and no hook can change how. In the ring of a host, one of our scripts therefore
 * replaces each of them and runs the program in the ring of the run that searches. If a program is missing, pi still
 * installs its own, which only policy restricts until the next host starts.
 *
 * Without a ring, a script still decides which program it is: the PATH may name folders of a project, and links in others
 * may lead there, now or after the next checkout.
 */
export function searchPrograms(where: {
	/** The folder for the scripts. */
	folder: string;
	/** Where pi looks first, and keeps the programs that it downloads. */
	bin: string;
	/** Where the content of `bin` appears inside the ring. */
	ownPrograms: string;
	path: string;
	/** The folders of the project that the host is started for: none of its programs may search. */
	area?: readonly string[];
}): SearchPrograms {
	const { area = [], path } = where;
	const found: SearchPrograms = { names: [], shown: [], onPath: false };
	const shown: SearchPrograms["shown"] = [];
	for (const [name, aliases] of Object.entries(SEARCHES)) {
		const script = join(where.folder, name);
		const kept = kindOf(join(where.bin, name));
		// A file cannot be mounted over a link.
		if (kept === "other") continue;
		const onPath = programsOn(path, aliases);
		const real =
			kept === "file" ? join(where.ownPrograms, name) : onPath.find((file) => canRun(file) && !leadsInto(file, area));
		if (real === undefined && !onPath.some((file) => leadsInto(file, area) || leadsNowhere(file))) continue;
		writeFileSync(script, real === undefined ? onlyInProject(name) : standIn(real), { mode: 0o700 });
		found.names.push(name);
		if (kept === "file") shown.push({ from: realPath(script), at: realPath(join(where.bin, name)) });
		else found.onPath = true;
	}
	if (shown.length > 0) shown.unshift({ from: realPath(where.bin), at: realPath(where.ownPrograms) });
	return { ...found, shown };
}

/** A command of a run's shell may start it inside the ring of the run, where there is no such variable. */
const standIn = (program: string): string =>
	[
		"#!/bin/sh",
		`if [ -n "$${SEARCH_RING}" ]; then`,
		// Before each search, pi runs a program on the PATH with --version to see whether it exists, and waits for it.
		'[ "$1" = --version ] && exit 0',
		`set -- ${shellWords([program])} "$@"`,
		`. "$${SEARCH_RING}"`,
		"fi",
		`exec ${shellWords([program])} "$@"`,
		"",
	].join("\n");

const onlyInProject = (name: string): string =>
	`#!/bin/sh\necho "${name} is not installed outside of the project, and programs of the project do not search." >&2\nexit 127\n`;

function kindOf(path: string): "file" | "none" | "other" {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	if (!stats) return "none";
	return stats.isFile() ? "file" : "other";
}

const programsOn = (path: string, names: readonly string[]): string[] => {
	const folders = path.split(":").filter((folder) => isAbsolute(folder));
	return names.flatMap((name) => folders.map((folder) => join(folder, name)));
};

/** A link whose target may still come, for instance with a branch. */
const leadsNowhere = (file: string): boolean => kindOf(file) === "other" && !existsSync(file);
