import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { diskFiles, type SessionFiles } from "../ports/session-files.ts";
import { messageOf } from "../run/message-of.ts";
import { ours, type Redacted } from "../run/redacted.ts";
import { isDamage, LedgerUnusable, lookWithoutTouching, refuseUnknown, tooNew } from "./identify.ts";
import type { UnreadableRun } from "./row-check.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";
import { setAside } from "./set-aside.ts";
import { type Database, openDatabase, readAnyNumber, type SqlValue, type Statement } from "./sqlite.ts";
import { inWords } from "./trouble.ts";

/**
 * How durable a write must be before we continue: `full` has reached the disk; `normal` may be lost with the machine.
 */
export type Durability = "full" | "normal";

interface LedgerExtras {
	setAside?: string | undefined;
	files?: SessionFiles;
}

/**
 * The open database. Each process opens it once, and any number of processes can have it open. The functions beside this
 * file are its verbs.
 */
export class Ledger {
	readonly file: string;
	/** Path of the damaged ledger this one replaced, if this process just replaced it. */
	readonly setAside: string | undefined;
	/** The session files that its rows name. */
	readonly files: SessionFiles;
	readonly #database: Database;
	readonly #statements = new Map<string, Statement>();
	#durability: Durability = "full";
	#inTransaction = false;

	constructor(file: string, database: Database, { setAside, files = diskFiles }: LedgerExtras = {}) {
		this.file = file;
		this.setAside = setAside;
		this.files = files;
		this.#database = database;
	}

	readonly #unreadable = new Set<number>();

	/** Called once for every row that cannot be read. */
	onUnreadable: (run: UnreadableRun) => void = () => {};

	/** Redacts what the ledger itself writes into an outcome. Without a redactor, text from others is left out. */
	redact: (text: string) => Redacted = () => ours`(left out: it could not be redacted)`;

	foundUnreadable(run: UnreadableRun): void {
		if (this.#unreadable.has(run.seq)) return;
		this.#unreadable.add(run.seq);
		this.onUnreadable(run);
	}

	get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
		// Bun answers null where Node answers undefined.
		return this.#do(() => readAnyNumber(this.#statement(sql), (it) => it.get(...values)) as Row | null) ?? undefined;
	}

	all<Row>(sql: string, ...values: SqlValue[]): Row[] {
		return this.#do(() => readAnyNumber(this.#statement(sql), (it) => it.all(...values)) as Row[]);
	}

	/** Returns how many rows changed. */
	run(sql: string, ...values: SqlValue[]): number {
		return this.#do(() => Number(this.#statement(sql).run(...values).changes));
	}

	/**
	 * All or nothing. IMMEDIATE, because a transaction that reads first and writes later fails at once, without
	 * waiting, when another process wrote in between. Waits for its turn up to the busy timeout.
	 *
	 * Do not nest: an inner transaction would neither be durable when it returns nor be undone alone when it fails.
	 */
	transaction<Result>(durability: Durability, work: () => Result): Result {
		if (this.#inTransaction) {
			throw new Error("A transaction of the ledger is open already. Do the work inside that one.");
		}
		if (this.#durability !== durability) {
			this.#do(() => this.#database.exec(`PRAGMA synchronous = ${durability}`));
			this.#durability = durability;
		}
		this.#do(() => this.#database.exec("BEGIN IMMEDIATE"));
		this.#inTransaction = true;
		try {
			const result = work();
			this.#do(() => this.#database.exec("COMMIT"));
			return result;
		} catch (error) {
			this.#rollback();
			throw error;
		} finally {
			this.#inTransaction = false;
		}
	}

	/**
	 * After some errors (disk full, I/O) SQLite has already rolled back, and reports that. Callers should see the first
	 * error.
	 */
	#rollback(): void {
		try {
			this.#database.exec("ROLLBACK");
		} catch (error) {
			if (!(error instanceof Error && error.message.includes("no transaction is active"))) throw error;
		}
	}

	/** Puts problems of the file, rather than of this program, into words for the user. */
	#do<Result>(work: () => Result): Result {
		try {
			return work();
		} catch (error) {
			throw inWords(error, this.file);
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

/**
 * Opens the ledger, or creates it. Refuses a damaged one, or with `setAsideIfDamaged` keeps it under another name and
 * creates a new one. Only callers that can tell the user may ask for that.
 */
export async function openLedger(
	file: string,
	{ setAsideIfDamaged = false, patienceMs = LOCK_PATIENCE_MS }: OpenOptions = {},
): Promise<Ledger> {
	let aside: string | undefined;
	for (let tries = 1; ; tries++) {
		try {
			return await openFile(file, patienceMs, aside);
		} catch (error) {
			if (tries === TRIES) throw inWords(error, file);
			if (!existsSync(file)) continue; // Another process has set it aside since we looked.
			if (!isDamage(error)) throw inWords(error, file);
			if (!setAsideIfDamaged) throw damaged(file, error);
			aside = await setAside(file, waitForOthers(patienceMs));
		}
	}
}

/** A ledger that no other process sees. None of it reaches the disk. */
export async function openLedgerInMemory(): Promise<Ledger> {
	const ledger = new Ledger(":memory:", await openDatabase(":memory:"));
	migrate(ledger);
	return ledger;
}

interface OpenOptions {
	setAsideIfDamaged?: boolean;
	/** How long to wait for a process that is writing, now and at each statement. The wait blocks this process. */
	patienceMs?: number;
}

const TRIES = 5;

async function openFile(file: string, patienceMs: number, setAside?: string): Promise<Ledger> {
	createPrivately(file);
	await lookWithoutTouching(file, waitForOthers(patienceMs));
	chmodSync(file, 0o600);
	const database = await openDatabase(file);
	try {
		database.exec(waitForOthers(patienceMs));
		refuseUnknown(file, database);
		await switchToWal(database, patienceMs);
		database.exec("PRAGMA synchronous = full; PRAGMA foreign_keys = on;");
		const ledger = new Ledger(file, database, { setAside });
		migrate(ledger);
		return ledger;
	} catch (error) {
		database.close();
		throw error;
	}
}

const damaged = (file: string, cause: unknown): LedgerUnusable =>
	new LedgerUnusable(
		`${file} cannot be read as a ledger: ${messageOf(cause)}. Nothing was changed. ` +
			"Start pi again: it is then kept under another name, and a new ledger is made there.",
		{ kind: "damaged", cause },
	);

/** How long we wait for a process that is writing. The variable is for tests. */
const LOCK_PATIENCE_MS = Number(process.env.PI_GEON_LEDGER_PATIENCE_MS) || 10_000;
const waitForOthers = (ms: number): string => `PRAGMA busy_timeout = ${ms}`;

/**
 * Two processes that switch a fresh ledger at the same instant each hold the lock that the other needs. SQLite detects that
 * and fails at once, whatever its busy timeout; a retry a moment later succeeds. On a ledger in WAL mode this does nothing.
 */
async function switchToWal(database: Database, patienceMs: number): Promise<void> {
	const deadline = performance.now() + patienceMs;
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

/**
 * SQLite gives its -wal and -shm files the mode of the main file, so the main file is created first, for the user alone.
 */
function createPrivately(file: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	closeSync(openSync(file, "a", 0o600));
}

/** Brings the tables to the newest version. */
export function migrate(ledger: Ledger): void {
	const version = () => ledger.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
	if (version() === MIGRATIONS.length) return;
	ledger.transaction("full", () => {
		// Read again inside the transaction: another process may have been quicker, and may have a newer version.
		const from = version();
		if (from > MIGRATIONS.length) throw tooNew(ledger.file, from);
		for (const [index, sql] of [...MIGRATIONS.entries()].slice(from)) {
			for (const statement of sql.split(";").filter((part) => part.trim() !== "")) ledger.run(statement);
			ledger.run(`PRAGMA user_version = ${index + 1}`);
		}
		ledger.run(`PRAGMA application_id = ${APPLICATION_ID}`);
	});
}
