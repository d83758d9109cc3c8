import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Home } from "./home.ts";
import { repositoryRoot } from "./repository.ts";
import { canMount, smallDisk, unmount } from "./small-disk.ts";

export interface Trouble {
	/** For every process that should have it. */
	readonly env: Readonly<Record<string, string>>;
	begin(): void;
	end(): void;
}

export type TroubleKind = "full" | "forbidden";

/**
 * A folder of the home that is full, or read-only, for a while. It is real if this user may mount; otherwise Node's
 * functions in the processes simulate it, so that no test has to be skipped.
 */
export function troubleIn(home: Home, folder: string, kind: TroubleKind): Trouble {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (!canMount()) return injectedTrouble(home, folder, kind);
	return kind === "full" ? fullDisk(home, folder) : readOnly(home, folder);
}

function fullDisk(home: Home, folder: string): Trouble {
	const disk = smallDisk(home, folder, "8m");
	return { env: {}, begin: () => disk.fill(), end: () => disk.makeRoom() };
}

/** The folder over itself, for reading only. What was opened before can still be written, as with permissions. */
function readOnly(home: Home, folder: string): Trouble {
	home.closers.add(async () => unmount(folder));
	return {
		env: {},
		begin() {
			execFileSync("/bin/mount", ["--bind", folder, folder], { stdio: "pipe" });
			execFileSync("/bin/mount", ["-o", "remount,ro,bind", folder], { stdio: "pipe" });
		},
		end: () => unmount(folder),
	};
}

/** Applies to every write, however small: a real disk has space in the last block of a file. */
export function injectedTrouble(home: Home, folder: string, kind: TroubleKind): Trouble {
	const file = join(home.scratch, "trouble.jsonl");
	const preload = pathToFileURL(join(repositoryRoot, "test", "faults", "trouble.mjs")).href;
	const code = kind === "full" ? "ENOSPC" : "EACCES";
	const line = JSON.stringify({ code, below: [folder], until: Number.MAX_SAFE_INTEGER });
	return {
		env: { NODE_OPTIONS: `--import ${preload}`, PI_GEON_TROUBLE: file },
		begin: () => writeFileSync(file, `${line}\n`),
		end: () => rmSync(file),
	};
}
