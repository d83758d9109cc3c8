import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { refuseUnknown } from "./identify.ts";
import { Ledger, openLedger } from "./ledger.ts";
import { MIGRATIONS } from "./schema.ts";
import { type Database, openDatabase } from "./sqlite.ts";
import { inWords, LedgerTrouble } from "./trouble.ts";

/** Opens the ledger for reading only, even where it cannot be written, such as on a read-only disk. */
export async function openLedgerToLook(file: string, options?: { patienceMs?: number }): Promise<Ledger> {
	try {
		return await openLedger(file, options);
	} catch (error) {
		if (!(error instanceof LedgerTrouble && error.kind === "permissions")) throw error;
		const database = await openAsItIs(file, error);
		return new Ledger(file, database);
	}
}

async function openAsItIs(file: string, trouble: LedgerTrouble): Promise<Database> {
	for (const name of [file, ...(hasWal(file) ? [] : [immutable(file)])]) {
		let database: Database | undefined;
		try {
			database = await openDatabase(name, { readOnly: true });
			refuseUnknown(file, database);
			const { user_version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
			// An older one would have to be brought up to date first.
			if (user_version === MIGRATIONS.length) return database;
		} catch (error) {
			if (!(inWords(error, file) instanceof LedgerTrouble)) throw error;
		}
		database?.close();
	}
	throw trouble;
}

/**
 * SQLite wants to create the -wal and -shm files beside the ledger even for reading. Where they do not exist and cannot be
 * created, the whole ledger is in the main file, and no process changes it: `immutable` says so.
 */
const immutable = (file: string): string => `${pathToFileURL(file).href}?immutable=1`;

const hasWal = (file: string): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
