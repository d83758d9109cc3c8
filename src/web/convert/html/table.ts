import { markdownTable } from "../markdown-table.ts";
import { elementsIn, isPageElement, type PageElement } from "./tree.ts";

/** More is not a table any more, it is an attack on whoever fills it up. */
const WIDEST_SPAN = 50;

/** The rows of a table, without those of tables in its cells. */
export function rowsIn(table: PageElement): PageElement[][] {
	const groups = new Set(["thead", "tbody", "tfoot"]);
	const rows = table.children
		.filter(isPageElement)
		.flatMap((child) => (groups.has(child.name) ? child.children.filter(isPageElement) : [child]))
		.filter(({ name }) => name === "tr");
	return rows.map((row) => row.children.filter(isPageElement).filter(({ name }) => name === "td" || name === "th"));
}

/** Old pages place their text with tables. What such a table holds is not data in rows and columns. */
export function isLayout(table: PageElement, rows: readonly PageElement[][]): boolean {
	if (table.attribs.role === "presentation" || rows.every((cells) => cells.length <= 1)) return true;
	for (const { name } of elementsIn(table)) if (/^(table|pre|h[1-6]|ul|ol|dl)$/.test(name)) return true;
	return false;
}

/** Cells that span others leave empty ones, so that columns stay columns. */
export function tableLines(rows: readonly PageElement[][], textOf: (cell: PageElement) => string): string {
	const pending: number[] = [];
	const lines = rows.map((cells) => {
		const line: string[] = [];
		const skipTaken = () => {
			while ((pending[line.length] ?? 0) > 0) {
				pending[line.length] = (pending[line.length] ?? 0) - 1;
				line.push("");
			}
		};
		for (const cell of cells) {
			skipTaken();
			const rowSpan = spanOf(cell.attribs.rowspan) - 1;
			for (let column = 0, width = spanOf(cell.attribs.colspan); column < width; column++) {
				pending[line.length] = rowSpan;
				line.push(column === 0 ? textOf(cell) : "");
			}
		}
		skipTaken();
		return line;
	});
	return markdownTable(lines);
}

const spanOf = (text: string | undefined): number =>
	Math.min(Math.max(Number.parseInt(text ?? "1", 10) || 1, 1), WIDEST_SPAN);
