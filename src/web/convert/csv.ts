/** Rows of RFC 4180, forgiving: a quote that is never closed ends with the text. */
function* rowsOf(text: string, separator: string): Generator<string[]> {
	const token = new RegExp(
		`"((?:[^"]|"")*)(?:"|$)|([^"${separator}\\r\\n][^${separator}\\r\\n]*)|(${separator})|(\\r\\n?|\\n)`,
		"g",
	);
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

/** A table whose first row is its heading. Short rows stay short: filled up, a hostile file would grow without bound. */
export function csvToMarkdown(text: string, separator: "," | "\t"): string {
	const rows = [...rowsOf(text, separator)].filter((row) => row.some((cell) => cell.trim() !== ""));
	const line = (row: string[]) => `| ${row.map(cell).join(" | ")} |`;
	const [heading, ...body] = rows;
	if (!heading) return "";
	return [line(heading), `|${" --- |".repeat(heading.length)}`, ...body.map(line)].join("\n");
}

const cell = (text: string): string =>
	text
		.trim()
		.replaceAll("\\", "\\\\")
		.replaceAll("|", "\\|")
		.replace(/\s*[\r\n]+\s*/g, " ");
