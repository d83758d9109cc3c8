import type { DatabaseSync } from "node:sqlite";
import type { SqlValue, Statement } from "../../src/ledger/sqlite.ts";

interface Table {
	name: string;
	/** How often it may have changed. */
	changes: number;
}

/**
 * The statements of a database, which remember what was read for as long as nobody has changed a table that they name. Loops
 * ask the same again and again, each process for itself, and most of the time nobody has written since.
 */
export class RememberedRows {
	readonly #database: DatabaseSync;
	readonly #tables: readonly Table[];
	readonly #statements = new Map<string, Statement>();

	constructor(database: DatabaseSync) {
		this.#database = database;
		const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
		this.#tables = tables.map(({ name }) => ({ name, changes: 0 }));
	}

	/** The same for everybody who asks for it. */
	statement(sql: string): Statement {
		const known = this.#statements.get(sql);
		if (known) return known;
		const statement = isReading(sql) ? this.#reading(sql) : this.#writing(sql);
		this.#statements.set(sql, statement);
		return statement;
	}

	/** Rows were changed in another way: a transaction was undone, or everything was removed. */
	forget(): void {
		for (const table of this.#tables) table.changes++;
	}

	#reading(sql: string): Statement {
		const statement = this.#database.prepare(sql);
		const tables = this.#namedIn(sql);
		return {
			run: (...values) => statement.run(...values),
			get: remembering(tables, (...values) => statement.get(...values)),
			all: remembering(tables, (...values) => statement.all(...values)),
		};
	}

	#writing(sql: string): Statement {
		const statement = this.#database.prepare(sql);
		// A row that is removed takes those along that belong to it, whatever table they are in.
		const tables = /^\s*DELETE\b/.test(sql) ? this.#tables : this.#namedIn(sql);
		const changed = () => {
			for (const table of tables) table.changes++;
		};
		return {
			run: (...values) => {
				const done = statement.run(...values);
				if (done.changes !== 0) changed();
				return done;
			},
			get: (...values) => {
				changed();
				return statement.get(...values);
			},
			all: (...values) => {
				changed();
				return statement.all(...values);
			},
		};
	}

	#namedIn(sql: string): Table[] {
		return this.#tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(sql));
	}
}

const isReading = (sql: string): boolean => /^\s*(SELECT|WITH)\b/.test(sql);

function remembering<Result>(
	tables: readonly Table[],
	read: (...values: SqlValue[]) => Result,
): (...values: SqlValue[]) => Result {
	const known = new Map<string, Result>();
	let asOf = -1;
	return (...values) => {
		let changes = 0;
		for (const table of tables) changes += table.changes;
		if (asOf !== changes) known.clear();
		asOf = changes;
		const key = values.join();
		const answer = known.get(key);
		if (answer !== undefined || known.has(key)) return answer as Result;
		const rows = read(...values);
		known.set(key, rows);
		return rows;
	};
}
