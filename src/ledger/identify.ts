import { existsSync, rmSync } from "node:fs";
import { isAboutRows } from "./row-check.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";
import { type Database, openDatabase } from "./sqlite.ts";
import { damageMark, LedgerTrouble, troubleKind } from "./trouble.ts";

/** The ledger cannot be used as it is. The message says why and what to do. The file is unchanged. */
export class LedgerUnusable extends Error {
	override name = "LedgerUnusable";
	readonly kind: "foreign" | "newer" | "damaged";

	constructor(message: string, { kind, ...options }: ErrorOptions & { kind: LedgerUnusable["kind"] }) {
		super(message, options);
		this.kind = kind;
	}
}

/**
 * Refuses a file that is not ours, over a connection that cannot write. A writable connection would, on closing, move what
 * a killed process left in the -wal file into the main file.
 */
export async function lookWithoutTouching(file: string, setUp: string): Promise<void> {
	const database = await openDatabase(file, { readOnly: true });
	try {
		database.exec(setUp);
		refuseUnknown(file, database);
		if (existsSync(damageMark(file))) requireSound(file, database);
	} catch (error) {
		// A process was killed while it created the file. Reading it requires rolling that write back, which needs a
		// writable connection. The caller then looks again.
		if (!(error instanceof Error && error.message.includes("readonly"))) throw error;
	} finally {
		database.close();
	}
}

/** Fails with SQLite's error if the file is not a database, or is damaged. */
export function refuseUnknown(file: string, database: Database): void {
	const { tables, application, version } = identify(database);
	if (application !== APPLICATION_ID && tables > 0) {
		throw new LedgerUnusable(
			`${file} is another program's database. Move it away, and pi-geon makes a new ledger there.`,
			{ kind: "foreign" },
		);
	}
	if (version > MIGRATIONS.length) throw tooNew(file, version);
}

/** Reads the whole file, which takes long for a large one. Done only after a process found it damaged. */
function requireSound(file: string, database: Database): void {
	const [found] = fileProblems(database);
	if (found !== undefined) throw new LedgerTrouble("damaged", file, new Error(found));
	rmSync(damageMark(file), { force: true });
}

/** What SQLite finds wrong with the file. Rows that break a constraint are not included: they are reported singly. */
export const fileProblems = (database: Database): string[] =>
	(database.prepare("PRAGMA quick_check").all() as { quick_check: string }[])
		.map((row) => row.quick_check)
		.filter((problem) => problem !== "ok" && !isAboutRows(problem));

export const isDamage = (error: unknown): boolean => troubleKind(error) === "damaged";

export const tooNew = (file: string, version: number): LedgerUnusable =>
	new LedgerUnusable(
		`${file} was written by a newer pi-geon (ledger version ${version}; this one knows up to ${MIGRATIONS.length}). ` +
			"Update pi-geon in this pi installation. Nothing was changed.",
		{ kind: "newer" },
	);

function identify(database: Database): { tables: number; application: number; version: number } {
	// In one transaction: another process may be creating the ledger between two looks.
	database.exec("BEGIN");
	const { n } = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
	const facts = {
		tables: n,
		application: pragma(database, "application_id"),
		version: pragma(database, "user_version"),
	};
	database.exec("COMMIT");
	return facts;
}

function pragma(database: Database, name: "user_version" | "application_id"): number {
	return Number((database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name]);
}
