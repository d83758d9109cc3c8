import { type CredentialName, credentialName } from "./credential-names.ts";
import { maskOf } from "./mask.ts";
import { Rewriting } from "./rewriting.ts";
import { isSecretValue, looksMixed, looksRandom } from "./secret-values.ts";

/** How many rows of a table are examined, and how many columns. */
const MOST_TABLE_ROWS = 2_000;
const MOST_COLUMNS = 60;

/** A column whose name says that it holds passwords or tokens, with the separator beside it. */
const TELLING_COLUMN =
	/(?:passw\w{0,16}|(?<=[,;|│\t"] ?)pass|pwd|secret|token|api[_-]?key|credentials?)["'*]{0,2}(?:[ \t]{0,40}[,;|│\n\t]| {2})/gi;
const LONGEST_HEAD = 600;
/** A line between the header and the rows, or around them. */
const RULE = /[ \t]{0,8}[-+|=:─═┼├┤┌┐└┘┬┴╪╞╡│ \t]{3,300}\r?\n/y;
const INSERT =
	/\bINSERT[ \t]+INTO[ \t]+[\w."`[\]]{1,80}[ \t]*\(([^()]{1,600})\)\s{0,20}VALUES\s{0,20}((?:\([^()\n]{1,2000}\)[,;\s]{0,8}){1,200})/gi;
const HTML_HEAD = /<tr[^<>]{0,60}>\s{0,20}((?:<th[^<>]{0,60}>[^<>]{0,60}<\/th>\s{0,20}){2,30})<\/tr>/gi;
const HTML_ROW =
	/\s{0,20}(?:<\/thead>\s{0,20}<tbody[^<>]{0,60}>\s{0,20})?<tr[^<>]{0,60}>\s{0,20}((?:<td[^<>]{0,60}>[^<>]{0,200}<\/td>\s{0,20}){2,30})<\/tr>/iy;
const HTML_CELL = /(<t[dh][^<>]{0,60}>)([^<>]{0,200})(?=<)/gi;

/** Masks the values of a table whose header names their column: in Markdown, CSV, SQL, HTML, or as a program prints it. */
export function maskColumns(text: string): string {
	const inserted = /INSERT/i.test(text) ? maskInserted(text) : text;
	const marked = inserted.includes("</th>") ? maskHtmlTables(inserted) : inserted;
	const rewriting = new Rewriting(marked);
	TELLING_COLUMN.lastIndex = 0;
	for (let found = TELLING_COLUMN.exec(marked); found !== null; found = TELLING_COLUMN.exec(marked)) {
		const start = marked.lastIndexOf("\n", found.index) + 1;
		const lineEnd = marked.indexOf("\n", found.index);
		if (lineEnd === -1) break;
		TELLING_COLUMN.lastIndex = lineEnd;
		if (lineEnd - start <= LONGEST_HEAD) maskTable(rewriting, marked, start, lineEnd + 1);
		TELLING_COLUMN.lastIndex = Math.max(lineEnd, rewriting.done);
	}
	return rewriting.result();
}

/** What a column holds. A short name such as `pass` also means the tests that passed. */
type ColumnKind = { name: CredentialName; short: boolean } | undefined;

function maskTable(rewriting: Rewriting, text: string, start: number, afterHead: number): void {
	const names = text.slice(start, afterHead).trimEnd();
	const from = afterRule(text, afterHead);
	const sign = separatorOf(names, from > afterHead);
	if (sign === undefined) return;
	const kinds = kindsOf(cellsOf(names, sign));
	if (!kinds.some((kind) => kind !== undefined)) return;
	const to = endOfRows(text, from, sign, kinds.length);
	if (to === from) return;
	const starts = sign === ALIGNED ? [...names.matchAll(ALIGNED_NAME)].map(({ index }) => index) : [];
	rewriting.replace(
		from,
		to,
		text
			.slice(from, to)
			.replace(/[^\n]+/g, (row) => (sign === ALIGNED ? maskAligned(row, starts, kinds) : maskRow(row, sign, kinds))),
	);
}

function afterRule(text: string, from: number): number {
	RULE.lastIndex = from;
	return RULE.test(text) ? RULE.lastIndex : from;
}

/** Columns that begin where their names begin, as `kubectl get` prints them. */
const ALIGNED = "  ";
const ALIGNED_NAME = /\S+(?: \S+)*/g;
const ALIGNED_HEAD = /^[ \t]*[A-Z][\w-]*(?: [\w-]+)*(?: {2,}[A-Z][\w-]*(?: [\w-]+)*)+$/;

function separatorOf(names: string, hasRule: boolean): string | undefined {
	if (/^[ \t]*\|.*\|/.test(names)) return "|";
	if (names.includes("│")) return "│";
	if (hasRule && names.includes("|")) return "|";
	// A sentence has a blank after a comma; the header of a file has only names.
	const ofFile = [",", ";", "\t"].find(
		(sign) => names.includes(sign) && /^["'\w.-]+(?:[,;\t]["'\w. -]+)+\s*$/.test(names),
	);
	return ofFile ?? (ALIGNED_HEAD.test(names) ? ALIGNED : undefined);
}

const cellsOf = (line: string, sign: string): string[] =>
	(sign === ALIGNED ? (line.match(ALIGNED_NAME) ?? []) : line.split(sign)).slice(0, MOST_COLUMNS);

const bareCell = (cell: string): string => cell.trim().replace(/^["'`*]+|["'`*]+$/g, "");

const kindsOf = (cells: string[]): ColumnKind[] =>
	cells.map((cell) => {
		const written = bareCell(cell);
		if (/^(?:pass|pwd|pw)$/i.test(written)) return { name: "password", short: true };
		const name = /^[\w .-]{2,40}$/.test(written) ? credentialName(written) : undefined;
		return name && { name, short: false };
	});

/** Rows have as many cells as the header; lines may be between them. */
function endOfRows(text: string, from: number, sign: string, columns: number): number {
	let end = from;
	for (let row = 0; row < MOST_TABLE_ROWS && end < text.length; row += 1) {
		const found = text.indexOf("\n", end);
		const lineEnd = found === -1 ? text.length : found;
		if (lineEnd - end > 4_000) break;
		const line = text.slice(end, lineEnd);
		if (
			sign === ALIGNED
				? !/\S {2,}\S/.test(line)
				: cellsOf(line, sign).length !== columns && afterRule(text, end) === end
		)
			break;
		end = Math.min(text.length, lineEnd + 1);
	}
	return end;
}

function maskRow(row: string, sign: string, kinds: ColumnKind[]): string {
	const cells = row.split(sign);
	return cells.map((cell, at) => maskCell(cell, kinds[at])).join(sign);
}

/** From the last column to the first: a mask moves what comes after it. */
function maskAligned(row: string, starts: readonly number[], kinds: ColumnKind[]): string {
	let masked = row;
	for (let column = starts.length - 1; column >= 0; column -= 1) {
		const at = starts[column] ?? 0;
		if (kinds[column] === undefined || (at > 0 && row.charAt(at - 1) !== " ")) continue;
		const value = /^\S*/.exec(row.slice(at))?.[0] ?? "";
		if (looksMixed(value))
			masked = masked.slice(0, at) + maskCell(value, kinds[column]) + masked.slice(at + value.length);
	}
	return masked;
}

/** A table cell is treated like a quoted value. */
function maskCell(cell: string, kind: ColumnKind): string {
	const value = bareCell(cell);
	if (kind === undefined || !/\d/.test(value) || !isSecretValue(value, kind.name, "quoted")) return cell;
	if (kind.short && !looksMixed(value)) return cell;
	if (kind.name === "token" && !looksRandom(value) && !/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return cell;
	return cell.replace(value, () => maskOf(kind.name));
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

function maskHtmlTables(text: string): string {
	const rewriting = new Rewriting(text);
	for (const head of text.matchAll(HTML_HEAD)) {
		const kinds = kindsOf([...(head[1] ?? "").matchAll(HTML_CELL)].map((cell) => cell[2] ?? ""));
		if (!kinds.some((kind) => kind !== undefined)) continue;
		const from = head.index + head[0].length;
		let to = from;
		for (let row = 0; row < MOST_TABLE_ROWS; row += 1) {
			HTML_ROW.lastIndex = to;
			if (!HTML_ROW.test(text)) break;
			to = HTML_ROW.lastIndex;
		}
		rewriting.replace(
			from,
			to,
			text.slice(from, to).replace(/<tr[\s\S]*?<\/tr>/gi, (row) => {
				let column = 0;
				return row.replace(HTML_CELL, (_cell, tag: string, value: string) => {
					column += 1;
					return tag + maskCell(value, kinds[column - 1]);
				});
			}),
		);
	}
	return rewriting.result();
}
