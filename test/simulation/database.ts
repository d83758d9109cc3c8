import { DatabaseSync } from "node:sqlite";
import { Ledger, migrate } from "../../src/ledger/ledger.ts";
import type { Database, Statement } from "../../src/ledger/sqlite.ts";
import type { RunId } from "../../src/run/ids.ts";
import { AUDIT } from "../faults/audit.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { BEFORE_BEGIN, type SimProcess } from "./process.ts";
import { RememberedRows } from "./remembered-rows.ts";
import { systemError } from "./system-error.ts";
import type { World } from "./world.ts";

/** SQLite's own error codes: BUSY, FULL, CANTOPEN. */
const CODES = { locked: 5, full: 13, forbidden: 14 } as const;
export type LedgerTroubleKind = keyof typeof CODES;

const trouble = (kind: LedgerTroubleKind): Error =>
	Object.assign(systemError("ERR_SQLITE_ERROR", `simulated: ${kind}`), { errcode: CODES[kind] });

/** One database for all histories of this thread: to make one, and to prepare its statements, takes longer than a history. */
const shared: { machine?: Machine; world?: World } = {};

interface Machine {
	raw: DatabaseSync;
	rows: RememberedRows;
}

function emptyMachine(world: World): Machine {
	shared.world = world;
	shared.machine ??= newMachine();
	shared.machine.raw.exec(
		["audit", "audit_of_questions", "questions", "inbox", "runs", "hosts", "sessions", "chores"]
			.map((name) => `DELETE FROM ${name};`)
			.join(""),
	);
	shared.machine.rows.forget();
	return shared.machine;
}

function newMachine(): Machine {
	const raw = new DatabaseSync(":memory:");
	raw.exec("PRAGMA foreign_keys = on");
	migrate(new Ledger(":memory:", raw));
	raw.function("sim_now", () => shared.world?.scheduler.time ?? 0);
	raw.exec(AUDIT("sim_now()"));
	raw.function("sim_admitted", (id, task) => shared.world?.admitted(id as RunId, String(task)) ?? null);
	raw.exec(`CREATE TRIGGER admitted AFTER INSERT ON runs BEGIN
		SELECT sim_admitted(NEW.id, NEW.plan ->> '$.task');
	END`);
	return { raw, rows: new RememberedRows(raw) };
}

/** The ledger of the simulated machine. Each process has its own way to it. */
export class SimDatabase {
	readonly #world: World;
	readonly raw: DatabaseSync;
	readonly rows: RememberedRows;
	/** How often anything may have changed. */
	commits = 0;
	/** On whose way: nobody else can write until it is over, and SQLite in memory would show it to everybody. */
	isInTransaction = false;

	constructor(world: World) {
		this.#world = world;
		({ raw: this.raw, rows: this.rows } = emptyMachine(world));
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
				if (sql === "ROLLBACK") return this.#rollback();
				process.requireAlive();
				if (sql.startsWith("PRAGMA")) return;
				if (sql.startsWith("BEGIN")) process.point(BEFORE_BEGIN);
				this.#refuseInTrouble();
				if (sql !== "COMMIT") return this.#begin(sql);
				process.point("before commit");
				this.#execute(sql);
				this.isInTransaction = false;
				this.commits++;
				process.point("commit");
			},
			prepare: (sql): Statement => {
				const statement = this.rows.statement(sql);
				const beforeReading = () => {
					process.reads();
					if (!this.isInTransaction) this.#refuseReading();
				};
				return {
					run: (...values) => {
						process.requireAlive();
						if (!this.isInTransaction) {
							this.#refuseReading();
							this.commits++;
						}
						return statement.run(...values);
					},
					get: (...values) => {
						beforeReading();
						return statement.get(...values);
					},
					all: (...values) => {
						beforeReading();
						return statement.all(...values);
					},
				};
			},
			close: () => {},
		};
	}

	#begin(sql: string): void {
		this.#execute(sql);
		this.isInTransaction = true;
	}

	#rollback(): void {
		this.isInTransaction = false;
		this.#execute("ROLLBACK");
		this.rows.forget();
	}

	/** Prepared once: to read the words takes SQLite longer than to begin. */
	#execute(sql: string): void {
		this.rows.statement(sql).run();
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
