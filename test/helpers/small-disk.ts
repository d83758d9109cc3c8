import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Home } from "./home.ts";

export interface SmallDisk {
	/** Nothing more can be written. */
	fill(): void;
	makeRoom(): void;
	/** Nothing can be written from now on. No process may have a file open for writing. */
	makeReadOnly(): void;
}

/** Whether this machine allows mounts: only as root, and not in every container. */
export const canMount = (): boolean => {
	if (process.env.PI_GEON_NO_MOUNT) return false; // To test what other users see.
	const folder = mkdtempSync(join(tmpdir(), "pg-mount-"));
	try {
		mount(folder, "64k");
		unmount(folder);
		return true;
	} catch {
		return false; // That is the question.
	} finally {
		rmdirSync(folder);
	}
};

/** A separate real file system in a folder of the home, until the home is closed. */
export function smallDisk(home: Home, folder: string, size = "4m"): SmallDisk {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	mount(folder, size);
	home.closers.add(async () => unmount(folder));
	const filler = join(folder, "filler");
	return {
		fill() {
			writeFileSync(filler, "");
			for (const piece of [64 * 1024, 4096, 1]) appendUntilFull(filler, "x".repeat(piece));
		},
		makeRoom: () => rmSync(filler),
		makeReadOnly: () => execFileSync("/bin/mount", ["-o", "remount,ro", folder], { stdio: "pipe" }),
	};
}

function appendUntilFull(file: string, piece: string): void {
	for (;;) {
		try {
			appendFileSync(file, piece);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOSPC") return;
			throw error;
		}
	}
}

const mount = (folder: string, size: string) =>
	execFileSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", folder], { stdio: "ignore" });

/** Even while a process still has it as its working directory. */
export function unmount(folder: string): void {
	try {
		execFileSync("/bin/umount", ["-l", folder], { stdio: "pipe" });
	} catch (error) {
		if (!String(error).includes("not mounted")) throw error; // It was closed already.
	}
}
