import { markdownTable } from "./markdown-table.ts";

const DELIMITERS = [",", ";", "\t", "|"] as const;
type Delimiter = (typeof DELIMITERS)[number];

/** Enough to see how a file is written. */
const SAMPLE_CHARS = 20_000;
const SAMPLE_ROWS = 50;

/** Values in rows, as a table. */
export function csvToMarkdown(text: string, usual: "," | "\t"): string {
	// Excel's own way to declare it.
	const [line = "", declared] = /^sep=([,;\t|])\r?\n/i.exec(text) ?? [];
	const body = text.slice(line.length);
	return markdownTable([...rowsOf(body, (declared as Delimiter | undefined) ?? delimiterOf(body, usual))]);
}

/** The separator that usually cuts the rows into the same number of cells, unlike a comma in prose. */
function delimiterOf(text: string, usual: Delimiter): Delimiter {
	const sample = text.slice(0, SAMPLE_CHARS);
	const score = (delimiter: Delimiter) => {
		const rows = [...rowsOf(sample, delimiter)].filter((row) => row.some((cell) => cell.trim() !== ""));
		// The last row may be cut.
		const counted = (rows.length > 1 && sample.length < text.length ? rows.slice(0, -1) : rows).slice(0, SAMPLE_ROWS);
		const width = counted[0]?.length ?? 1;
		const same = counted.filter((row) => row.length === width).length / Math.max(1, counted.length);
		return width < 2 ? 0 : same + Math.min(width, 20) / 1000;
	};
	const others = DELIMITERS.filter((delimiter) => delimiter !== usual);
	return others.reduce((best, other) => (score(other) > score(best) ? other : best), usual);
}

/** Rows of RFC 4180, forgiving: a quote that is never closed ends with the text. */
function* rowsOf(text: string, separator: Delimiter): Generator<string[]> {
	const sign = separator === "|" ? "\\|" : separator;
	const token = new RegExp(`"((?:[^"]|"")*)(?:"|$)|([^"${sign}\\r\\n][^${sign}\\r\\n]*)|(${sign})|(\\r\\n?|\\n)`, "g");
	let row: string[] = [""];
	for (const [, quoted, plain, next, end] of text.matchAll(token)) {
		if (next !== undefined) row.push("");
		else if (end === undefined) row[row.length - 1] += quoted?.replaceAll('""', '"') ?? plain ?? "";
		else {
			yield row;
			row = [""];
		}
	}
	yield row;
}
