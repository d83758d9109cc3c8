import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
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
	#inTransaction = false;

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
	 * waiting, when another process wrote in between. Waits for its turn up to the busy timeout.
	 *
	 * Not to be nested: the inner one would neither be durable when it returns nor be undone alone when it fails.
	 */
	transaction<Result>(durability: Durability, work: () => Result): Result {
		if (this.#inTransaction) {
			throw new Error("A transaction of the ledger is open already. Do the work inside that one.");
		}
		if (this.#durability !== durability) {
			this.#database.exec(`PRAGMA synchronous = ${durability}`);
			this.#durability = durability;
		}
		this.#database.exec("BEGIN IMMEDIATE");
		this.#inTransaction = true;
		try {
			const result = work();
			this.#database.exec("COMMIT");
			return result;
		} catch (error) {
			this.#rollback();
			throw error;
		} finally {
			this.#inTransaction = false;
		}
	}

	/** After some errors (disk full, I/O) SQLite has rolled back by itself, and says so; the first error is the one to tell. */
	#rollback(): void {
		try {
			this.#database.exec("ROLLBACK");
		} catch (error) {
			if (!(error instanceof Error && error.message.includes("no transaction is active"))) throw error;
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
	await lookWithoutTouching(file);
	chmodSync(file, 0o600);
	const database = await openDatabase(file);
	try {
		database.exec(WAIT_FOR_OTHERS);
		refuseUnknown(file, database);
		await switchToWal(database);
		database.exec("PRAGMA synchronous = full; PRAGMA foreign_keys = on;");
		const ledger = new Ledger(file, database);
		migrate(ledger);
		return ledger;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** How long we wait for a process that is writing. */
const PATIENCE_MS = 10_000;
const WAIT_FOR_OTHERS = `PRAGMA busy_timeout = ${PATIENCE_MS}`;

/**
 * Two that switch a fresh ledger at the same instant each hold the lock that the other needs. SQLite sees that and fails
 * at once, whatever its busy timeout; a moment later it is done. On a ledger in WAL mode this does nothing.
 */
async function switchToWal(database: Database): Promise<void> {
	const deadline = performance.now() + PATIENCE_MS;
	for (;;) {
		try {
			return database.exec("PRAGMA journal_mode = WAL");
		} catch (error) {
			const locked = error instanceof Error && error.message.includes("database is locked");
			if (!locked || performance.now() > deadline) throw error;
			await setTimeout(Math.random() * 10);
		}
	}
}

/** SQLite gives its -wal and -shm files the mode of the main file, so that one is made first, for the user alone. */
function createPrivately(file: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	closeSync(openSync(file, "a", 0o600));
}

/**
 * Refuses what is not ours over a connection that cannot write. One that can would, on closing, move what a killed
 * process left in the -wal file into the main file.
 */
async function lookWithoutTouching(file: string): Promise<void> {
	const database = await openDatabase(file, { readOnly: true });
	try {
		database.exec(WAIT_FOR_OTHERS);
		refuseUnknown(file, database);
	} catch (error) {
		// Somebody was killed while creating it, and to read it is to undo their half-done write first. We look again then.
		if (!(error instanceof Error && error.message.includes("readonly"))) throw error;
	} finally {
		database.close();
	}
}

function refuseUnknown(file: string, database: Database): void {
	const { tables, application, version } = identify(file, database);
	if (application !== APPLICATION_ID && tables > 0) {
		throw new LedgerUnusable(`${file} is a database of another program. Move it away, and a new ledger is made there.`);
	}
	if (version > MIGRATIONS.length) throw tooNew(file, version);
}

function identify(file: string, database: Database): { tables: number; application: number; version: number } {
	try {
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
	} catch (error) {
		if (!(error instanceof Error && /not a database|malformed/.test(error.message))) throw error;
		throw new LedgerUnusable(
			`${file} cannot be read as a ledger: ${error.message}. Nothing was changed. ` +
				"Move it away together with the files of the same name that end in -wal and -shm, and a new ledger is made there.",
			{ cause: error },
		);
	}
}

function migrate(ledger: Ledger): void {
	const version = () => ledger.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
	if (version() === MIGRATIONS.length) return;
	ledger.transaction("full", () => {
		// Read again inside: another process may have been quicker, and may know more than we do.
		const from = version();
		if (from > MIGRATIONS.length) throw tooNew(ledger.file, from);
		for (const [index, sql] of [...MIGRATIONS.entries()].slice(from)) {
			for (const statement of sql.split(";").filter((part) => part.trim() !== "")) ledger.run(statement);
			ledger.run(`PRAGMA user_version = ${index + 1}`);
		}
		ledger.run(`PRAGMA application_id = ${APPLICATION_ID}`);
	});
}

const tooNew = (file: string, version: number): LedgerUnusable =>
	new LedgerUnusable(
		`${file} was written by a newer pi-geon (ledger version ${version}; this one knows up to ${MIGRATIONS.length}). ` +
			"Update pi-geon in this pi installation. Nothing was changed.",
	);

function pragma(database: Database, name: "user_version" | "application_id"): number {
	return Number((database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name]);
}
