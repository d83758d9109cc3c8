import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Ledger, migrate } from "../../src/ledger/ledger.ts";
import type { Database, SqlValue, Statement } from "../../src/ledger/sqlite.ts";
import type { RunId } from "../../src/run/ids.ts";
import { AUDIT } from "../faults/audit.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import type { SimProcess } from "./process.ts";
import { systemError } from "./system-error.ts";
import type { World } from "./world.ts";

/** SQLite's own error codes: BUSY, FULL, CANTOPEN. */
const CODES = { locked: 5, full: 13, forbidden: 14 } as const;
export type LedgerTroubleKind = keyof typeof CODES;

const trouble = (kind: LedgerTroubleKind): Error =>
	Object.assign(systemError("ERR_SQLITE_ERROR", `simulated: ${kind}`), { errcode: CODES[kind] });

/** One database for all histories of this thread: to make one, and to prepare its statements, takes longer than a history. */
const shared: { raw?: DatabaseSync; statements: Map<string, StatementSync>; world?: World } = { statements: new Map() };

function emptyDatabase(world: World): DatabaseSync {
	shared.world = world;
	shared.raw ??= newDatabase();
	shared.raw.exec(
		["audit", "audit_of_questions", "questions", "inbox", "runs", "hosts", "sessions", "chores"]
			.map((name) => `DELETE FROM ${name};`)
			.join(""),
	);
	return shared.raw;
}

function newDatabase(): DatabaseSync {
	const raw = new DatabaseSync(":memory:");
	raw.exec("PRAGMA foreign_keys = on");
	migrate(new Ledger(":memory:", raw));
	raw.function("sim_now", () => shared.world?.scheduler.time ?? 0);
	raw.exec(AUDIT("sim_now()"));
	raw.function("sim_admitted", (id, task) => shared.world?.admitted(id as RunId, String(task)) ?? null);
	raw.exec(`CREATE TRIGGER admitted AFTER INSERT ON runs BEGIN
		SELECT sim_admitted(NEW.id, NEW.plan ->> '$.task');
	END`);
	return raw;
}

/** The ledger of the simulated machine. Each process has its own way to it. */
export class SimDatabase {
	readonly #world: World;
	readonly raw: DatabaseSync;
	/** How often anything may have changed. */
	commits = 0;

	constructor(world: World) {
		this.#world = world;
		this.raw = emptyDatabase(world);
	}

	ledgerOf(process: SimProcess): Ledger {
		this.#refuseInTrouble();
		const ledger = new Ledger("ledger", this.#handleOf(process), { files: this.#world.files.of(process) });
		ledger.redact = NO_REDACTOR.redact;
		return ledger;
	}

	#handleOf(process: SimProcess): Database {
		return {
			exec: (sql) => {
				if (sql === "ROLLBACK") return this.raw.exec(sql);
				process.requireAlive();
				if (sql.startsWith("PRAGMA")) return;
				if (sql.startsWith("BEGIN")) process.beforeWriting();
				this.#refuseInTrouble();
				if (sql !== "COMMIT") return this.raw.exec(sql);
				process.point("before commit");
				this.raw.exec(sql);
				this.commits++;
				process.point("commit");
			},
			prepare: (sql): Statement => {
				const statement = this.prepared(sql);
				const reading = <Result>(read: (...values: SqlValue[]) => Result) => {
					const known = new Map<string, Result>();
					let asOf = -1;
					return (...values: SqlValue[]): Result => {
						process.reads();
						if (this.raw.isTransaction) return read(...values);
						this.#refuseReading();
						// Loops ask the same again and again, and most of the time nobody has written since.
						if (asOf !== this.commits) known.clear();
						asOf = this.commits;
						const key = values.join();
						if (!known.has(key)) known.set(key, read(...values));
						return known.get(key) as Result;
					};
				};
				return {
					run: (...values) => {
						process.requireAlive();
						if (!this.raw.isTransaction) {
							this.#refuseReading();
							this.commits++;
						}
						return statement.run(...values);
					},
					get: reading((...values) => statement.get(...values)),
					all: reading((...values) => statement.all(...values)),
				};
			},
			close: () => {},
		};
	}

	prepared(sql: string): StatementSync {
		const known = shared.statements.get(sql);
		if (known) return known;
		const statement = this.raw.prepare(sql);
		shared.statements.set(sql, statement);
		return statement;
	}

	#refuseInTrouble(): void {
		const kind = this.#world.ledgerTrouble();
		if (kind) throw trouble(kind);
	}

	/** In WAL mode others' locks and a full disk keep nobody from reading. */
	#refuseReading(): void {
		if (this.#world.ledgerTrouble() === "forbidden") throw trouble("forbidden");
	}
}
