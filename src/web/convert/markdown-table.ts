/** A table whose first row is its heading. Does not fill up short rows: a hostile file would grow without bound. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
	const [heading, ...body] = rows.filter((row) => row.some((cell) => cell.trim() !== ""));
	if (!heading) return "";
	return [tableRow(heading), `|${" --- |".repeat(heading.length)}`, ...body.map(tableRow)].join("\n");
}

const tableRow = (cells: readonly string[]): string => `| ${cells.map(cellText).join(" | ")} |`;

/** Text for a markdown cell: in one line, with escaped bars. Takes linear time. */
const cellText = (text: string): string =>
	text
		.split(/[\r\n]+/)
		.map((line) => line.trim())
		.filter((line) => line !== "")
		.join(" ")
		.replaceAll("|", "\\|");
