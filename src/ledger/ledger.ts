import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";
import { type Database, openDatabase, type SqlValue, type Statement } from "./sqlite.ts";

/** How sure a write must be before we go on: `full` has reached the disk; `normal` may be lost with the machine. */
export type Durability = "full" | "normal";

/**
 * The open database. One a process; any number of processes at once. The functions beside this file are its verbs.
 */
export class Ledger {
	readonly file: string;
	readonly #database: Database;
	readonly #statements = new Map<string, Statement>();
	#durability: Durability = "full";

	constructor(file: string, database: Database) {
		this.file = file;
		this.#database = database;
	}

	get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
		// Bun answers null where Node answers undefined.
		return (this.#statement(sql).get(...values) as Row | null | undefined) ?? undefined;
	}

	all<Row>(sql: string, ...values: SqlValue[]): Row[] {
		return this.#statement(sql).all(...values) as Row[];
	}

	/** Answers how many rows changed. */
	run(sql: string, ...values: SqlValue[]): number {
		return Number(this.#statement(sql).run(...values).changes);
	}

	/**
	 * All or nothing. IMMEDIATE, because a transaction that reads first and writes later fails at once, without
	 * waiting, when another process wrote in between.
	 */
	transaction<Result>(durability: Durability, work: () => Result): Result {
		if (this.#durability !== durability) {
			this.#database.exec(`PRAGMA synchronous = ${durability}`);
			this.#durability = durability;
		}
		this.#database.exec("BEGIN IMMEDIATE");
		try {
			const result = work();
			this.#database.exec("COMMIT");
			return result;
		} catch (error) {
			this.#database.exec("ROLLBACK");
			throw error;
		}
	}

	close(): void {
		this.#statements.clear();
		this.#database.close();
	}

	#statement(sql: string): Statement {
		const known = this.#statements.get(sql);
		if (known) return known;
		const statement = this.#database.prepare(sql);
		this.#statements.set(sql, statement);
		return statement;
	}
}

/** The ledger cannot be used as it is; the message says why and what to do, and the file is untouched. */
export class LedgerUnusable extends Error {
	override name = "LedgerUnusable";
}

export async function openLedger(file: string): Promise<Ledger> {
	createPrivately(file);
	const database = await openDatabase(file);
	try {
		database.exec("PRAGMA busy_timeout = 10000");
		refuseUnknown(file, database);
		database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = full; PRAGMA foreign_keys = on;");
		const ledger = new Ledger(file, database);
		migrate(ledger);
		return ledger;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** SQLite gives its -wal and -shm files the mode of the main file, so that one is made first, for the user alone. */
function createPrivately(file: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	closeSync(openSync(file, "a", 0o600));
	chmodSync(file, 0o600);
}

function refuseUnknown(file: string, database: Database): void {
	const version = pragma(database, "user_version");
	const application = pragma(database, "application_id");
	const tables = Number((database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number }).n);
	if (application !== APPLICATION_ID && tables > 0) {
		throw new LedgerUnusable(`${file} is a database of another program. Move it away, and a new ledger is made there.`);
	}
	if (version > MIGRATIONS.length) {
		throw new LedgerUnusable(
			`${file} was written by a newer pi-geon (ledger version ${version}; this one knows up to ${MIGRATIONS.length}). ` +
				"Update pi-geon in this pi installation. Nothing was changed.",
		);
	}
}

function migrate(ledger: Ledger): void {
	const version = () => ledger.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
	if (version() === MIGRATIONS.length) return;
	ledger.transaction("full", () => {
		// Read again inside: another process may have been quicker.
		for (const [index, sql] of [...MIGRATIONS.entries()].slice(version())) {
			for (const statement of sql.split(";").filter((part) => part.trim() !== "")) ledger.run(statement);
			ledger.run(`PRAGMA user_version = ${index + 1}`);
		}
		ledger.run(`PRAGMA application_id = ${APPLICATION_ID}`);
	});
}

function pragma(database: Database, name: "user_version" | "application_id"): number {
	return Number((database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name]);
}
