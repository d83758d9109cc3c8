/** The parts of SQLite that we use: few enough that Node's and Bun's built-in drivers both provide them. */
export interface Database {
	exec(sql: string): void;
	prepare(sql: string): Statement;
	close(): void;
}

export interface Statement {
	run(...values: SqlValue[]): { changes: number | bigint };
	get(...values: SqlValue[]): unknown;
	all(...values: SqlValue[]): unknown[];
	setReadBigInts?(enabled: boolean): void;
}

export type SqlValue = string | number | null;

/** Opens a database with the driver of the runtime we are in: Node, or the Bun a compiled pi was built with. */
export async function openDatabase(file: string, { readOnly = false } = {}): Promise<Database> {
	const sqlite = nodeSqlite();
	if (sqlite) return new sqlite.DatabaseSync(file, { readOnly });
	const bun: { Database: new (file: string, options: object) => Database } = await import("bun:sqlite" as string);
	return new bun.Database(file, readOnly ? { readonly: true } : { create: true, readwrite: true });
}

/** Node's driver, without the warning about its being experimental that older releases print over pi's screen. */
function nodeSqlite(): typeof import("node:sqlite") | undefined {
	const emitWarning = process.emitWarning;
	process.emitWarning = () => {};
	try {
		return process.getBuiltinModule("node:sqlite");
	} finally {
		process.emitWarning = emitWarning;
	}
}

/**
 * Node throws on an integer that is too large for a number, which loses every row of the answer. We write none, so such an
 * integer is damage. It is read as an inexact number, which the check of the row finds.
 */
export function readAnyNumber(statement: Statement, read: (statement: Statement) => unknown): unknown {
	try {
		return read(statement);
	} catch (error) {
		if (!(error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE")) throw error;
		statement.setReadBigInts?.(true);
		try {
			const answer = read(statement);
			return Array.isArray(answer) ? answer.map(withNumbers) : withNumbers(answer);
		} finally {
			statement.setReadBigInts?.(false);
		}
	}
}

const withNumbers = (row: unknown): unknown =>
	typeof row !== "object" || row === null
		? row
		: Object.fromEntries(
				Object.entries(row).map(([column, value]) => [column, typeof value === "bigint" ? Number(value) : value]),
			);
