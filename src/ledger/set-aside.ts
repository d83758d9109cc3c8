import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { isDamage, LedgerUnusable, lookWithoutTouching } from "./identify.ts";
import { openDatabase } from "./sqlite.ts";
import { damageMark } from "./trouble.ts";

/**
 * Renames a damaged ledger, with the two files that belong to it, so that a new one can be created. If several processes
 * find it damaged at once, one of them renames it, and the others find that done.
 *
 * Returns the new name; undefined if another process was quicker.
 */
export async function setAside(file: string, setUp: string): Promise<string | undefined> {
	return alone(file, setUp, async () => {
		if (!existsSync(file) || !(await isStillDamaged(file, setUp))) return undefined;
		const aside = `${file}.damaged.${new Date().toISOString().replaceAll(":", "-")}`;
		// The main file last: if we are killed in between, the next process still finds it damaged. The old -wal must never
		// meet the new file.
		for (const end of ["-wal", "-shm", ""]) renameIfThere(file + end, aside + end);
		rmSync(damageMark(file), { force: true });
		return aside;
	});
}

async function isStillDamaged(file: string, setUp: string): Promise<boolean> {
	return lookWithoutTouching(file, setUp).then(
		() => false,
		(error) => {
			if (isDamage(error)) return true;
			throw error;
		},
	);
}

/**
 * Uses SQLite's own lock on an empty file beside the ledger: the system releases it when its holder dies. The file stays,
 * because processes that wait for the lock have it open, and SQLite fails on a removed file.
 */
async function alone<Result>(file: string, setUp: string, work: () => Promise<Result>): Promise<Result> {
	const lock = `${file}.lock`;
	closeSync(openSync(lock, "a", 0o600));
	const database = await openDatabase(lock);
	try {
		database.exec(setUp);
		database.exec("BEGIN EXCLUSIVE");
		return await work();
	} finally {
		database.close();
	}
}

function renameIfThere(from: string, to: string): void {
	try {
		renameSync(from, to);
	} catch (error) {
		if (!(error instanceof Error && "code" in error)) throw error;
		if (error.code === "ENOENT") return;
		throw new LedgerUnusable(
			`${from} is damaged and cannot be renamed: ${error.message}. End all pi processes, then move it away together ` +
				"with the files of the same name that end in -wal and -shm, and a new ledger is made there.",
			{ kind: "damaged", cause: error },
		);
	}
}
