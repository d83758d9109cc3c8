import { markdownTable } from "../markdown-table.ts";
import { elementsIn, isPageElement, type PageElement, type PageNode } from "./tree.ts";

/** A wider span is not a table any more, but an attack on the reader's memory. */
const WIDEST_SPAN = 50;

const ROW_GROUPS = new Set(["thead", "tbody", "tfoot"]);
const NOT_ROWS = new Set(["caption", "colgroup", "col"]);

export interface TableParts {
	/** Without the rows of tables in cells. */
	rows: PageElement[][];
	/** Nodes between rows and cells, where HTML allows none. They contain words too. */
	strays: PageNode[];
}

export function tableParts(table: PageElement): TableParts {
	const strays: PageNode[] = [];
	const pick = (parent: PageElement, isWanted: (name: string) => boolean): PageElement[] =>
		parent.children.flatMap((child) => {
			if (isPageElement(child) && isWanted(child.name)) return [child];
			if (!isPageElement(child) || !NOT_ROWS.has(child.name)) strays.push(child);
			return [];
		});
	const outer = pick(table, (name) => name === "tr" || ROW_GROUPS.has(name));
	const rows = outer.flatMap((part) => (part.name === "tr" ? [part] : pick(part, (name) => name === "tr")));
	return { rows: rows.map((row) => pick(row, (name) => name === "td" || name === "th")), strays };
}

/** Old pages use tables for layout. The content of such a table is not data in rows and columns. */
export function isLayout(table: PageElement, rows: readonly PageElement[][]): boolean {
	if (table.attribs.role === "presentation" || rows.every((cells) => cells.length <= 1)) return true;
	for (const { name } of elementsIn(table)) if (/^(table|pre|h[1-6]|ul|ol|dl)$/.test(name)) return true;
	return false;
}

/** Spanning cells leave empty ones, so that columns stay aligned. */
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
