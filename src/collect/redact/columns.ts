import { credentialName } from "./credential-names.ts";
import { maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";
import { isSecretValue } from "./secret-values.ts";

/** How many rows of a table are examined, and how many columns. */
const MOST_TABLE_ROWS = 2_000;
const MOST_COLUMNS = 60;

/** A column whose name says that it holds passwords or tokens, with the separator beside it. */
const TELLING_COLUMN = /(?:passw\w{0,4}|pwd|secret|token|api[_-]?key|credentials?)["'*]{0,2}[ \t]{0,40}[,;|\n\t]/gi;
const LONGEST_HEAD = 600;
const RULE = /[ \t]{0,8}\|[ \t:|-]{3,300}\r?\n/y;
const INSERT =
	/\bINSERT[ \t]+INTO[ \t]+[\w."`[\]]{1,80}[ \t]*\(([^()]{1,600})\)\s{0,20}VALUES\s{0,20}((?:\([^()\n]{1,2000}\)[,;\s]{0,8}){1,200})/gi;

/** Masks the values of a table whose header names their column: in Markdown, CSV or SQL. */
export function maskColumns(text: string): string {
	const inserted = /INSERT/i.test(text) ? maskInserted(text) : text;
	const rewriting = new Rewriting(inserted);
	TELLING_COLUMN.lastIndex = 0;
	for (let found = TELLING_COLUMN.exec(inserted); found !== null; found = TELLING_COLUMN.exec(inserted)) {
		const start = inserted.lastIndexOf("\n", found.index) + 1;
		const lineEnd = inserted.indexOf("\n", found.index);
		if (lineEnd === -1) break;
		TELLING_COLUMN.lastIndex = lineEnd;
		if (lineEnd - start <= LONGEST_HEAD) maskTable(rewriting, inserted, start, lineEnd + 1);
		TELLING_COLUMN.lastIndex = Math.max(lineEnd, rewriting.done);
	}
	return rewriting.result();
}

function maskTable(rewriting: Rewriting, text: string, start: number, afterHead: number): void {
	const names = text.slice(start, afterHead).trimEnd();
	const sign = separatorOf(names);
	if (sign === undefined) return;
	const kinds = kindsOf(cellsOf(names, sign));
	if (!kinds.some((kind) => kind !== undefined)) return;
	RULE.lastIndex = afterHead;
	const from = sign === "|" && RULE.test(text) ? RULE.lastIndex : afterHead;
	const to = endOfRows(text, from, sign, kinds.length);
	if (to === from) return;
	rewriting.replace(
		from,
		to,
		text.slice(from, to).replace(/[^\n]+/g, (row) => maskRow(row, sign, kinds)),
	);
}

type Kinds = (ReturnType<typeof credentialName> | undefined)[];

function separatorOf(names: string): string | undefined {
	if (/^[ \t]*\|.*\|/.test(names)) return "|";
	// A sentence has a blank after a comma; the header of a file has only names.
	return [",", ";", "\t"].find((sign) => names.includes(sign) && /^["'\w.-]+(?:[,;\t]["'\w. -]+)+\s*$/.test(names));
}

const cellsOf = (line: string, sign: string): string[] => line.split(sign).slice(0, MOST_COLUMNS);

const bareCell = (cell: string): string => cell.trim().replace(/^["'`*]+|["'`*]+$/g, "");

const kindsOf = (cells: string[]): Kinds =>
	cells.map((cell) => (/^[\w .-]{2,40}$/.test(bareCell(cell)) ? credentialName(bareCell(cell)) : undefined));

/** Rows have as many cells as the header. */
function endOfRows(text: string, from: number, sign: string, columns: number): number {
	let end = from;
	for (let row = 0; row < MOST_TABLE_ROWS && end < text.length; row += 1) {
		const found = text.indexOf("\n", end);
		const lineEnd = found === -1 ? text.length : found;
		if (lineEnd - end > 4_000 || cellsOf(text.slice(end, lineEnd), sign).length !== columns) break;
		end = Math.min(text.length, lineEnd + 1);
	}
	return end;
}

function maskRow(row: string, sign: string, kinds: Kinds): string {
	return row
		.split(sign)
		.map((cell, at) => maskCell(cell, kinds[at]))
		.join(sign);
}

/** A table cell is treated like a quoted value. */
function maskCell(cell: string, kind: Kinds[number]): string {
	const value = bareCell(cell);
	if (kind === undefined || !/\d/.test(value) || !isSecretValue(value, kind, "quoted")) return cell;
	return cell.replace(value, () => maskOf(kind));
}

function maskInserted(text: string): string {
	return text.replace(INSERT, (statement: string, names: string, rows: string) => {
		const kinds = kindsOf(names.split(","));
		if (!kinds.some((kind) => kind !== undefined)) return statement;
		const masked = rows.replace(/\(([^()\n]*)\)/g, (tuple: string, cells: string) => {
			// A comma inside a text would count as a separator: such a row stays as it is.
			return cells.split(",").length === kinds.length ? `(${maskRow(cells, ",", kinds)})` : tuple;
		});
		return statement.slice(0, statement.length - rows.length) + masked;
	});
}
