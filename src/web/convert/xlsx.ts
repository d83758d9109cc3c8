import { type Converted, Unreadable } from "./converted.ts";
import { markdownTable } from "./markdown-table.ts";
import { TextParts } from "./text-parts.ts";
import { readXml, relationsOf } from "./xml.ts";
import { ZipArchive } from "./zip.ts";

/**
 * The limit of a sheet, including empty cells: a row with a single cell at the far end is filled up to it.
 */
const MOST_CELLS = 500_000;
/** Built-in formats of dates and times. */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);
const EXCEL_DAY_MS = 86_400_000;
/** Day 0 of Excel, which takes 1900 for a leap year. */
const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

/** A workbook as markdown: each sheet a table, with the values that its author last saw. */
export function xlsxToMarkdown(bytes: Uint8Array): Converted {
	const zip = new ZipArchive(bytes);
	const book = zip.read("xl/workbook.xml");
	if (!book) throw new Unreadable("It has no xl/workbook.xml.");
	const targets = relationsOf(zip.read("xl/_rels/workbook.xml.rels"), "xl");
	const strings = sharedStrings(zip.read("xl/sharedStrings.xml"));
	const dates = dateStyles(zip.read("xl/styles.xml"));
	const parts = new TextParts();
	let isCut = false;
	parts.fill(() => {
		for (const { name, id, hidden } of sheetsOf(book)) {
			const { rows, cut } = sheetRows(zip.read(targets.get(id) ?? ""), { strings, dates });
			isCut ||= cut;
			parts.add(`## ${name}${hidden ? " (hidden sheet)" : ""}\n\n${markdownTable(rows) || "(empty sheet)"}`);
		}
	});
	const { text, cut } = parts.done();
	return { text, cut: cut || isCut };
}

function sheetsOf(book: Buffer): { name: string; id: string; hidden: boolean }[] {
	const sheets: { name: string; id: string; hidden: boolean }[] = [];
	readXml(book, {
		open: (tag, { name = "", "r:id": id = "", state }) => {
			if (localName(tag) === "sheet") sheets.push({ name, id, hidden: state === "hidden" || state === "veryHidden" });
		},
	});
	return sheets;
}

/** Each is a cell's text, which may have several runs. Phonetic readings of Japanese words are not part of it. */
function sharedStrings(xml: Buffer | undefined): string[] {
	const strings: string[] = [];
	let inText = false;
	let inReading = false;
	readXml(xml, {
		open: (tag) => {
			if (localName(tag) === "si") strings.push("");
			else if (localName(tag) === "rPh") inReading = true;
			else if (localName(tag) === "t") inText = true;
		},
		text: (text) => {
			if (inText && !inReading) strings[strings.length - 1] += text;
		},
		close: (tag) => {
			if (localName(tag) === "rPh") inReading = false;
			else if (localName(tag) === "t") inText = false;
		},
	});
	return strings;
}

/** The styles that show a number as a date. */
function dateStyles(xml: Buffer | undefined): ReadonlySet<number> {
	const formats = new Set(DATE_FORMATS);
	const styles = new Set<number>();
	let inCells = false;
	let style = 0;
	readXml(xml, {
		open: (tag, { numFmtId, formatCode = "" }) => {
			const name = localName(tag);
			if (name === "numFmt" && isDateFormat(formatCode)) formats.add(Number(numFmtId));
			else if (name === "cellXfs") inCells = true;
			else if (name === "xf" && inCells) {
				if (formats.has(Number(numFmtId))) styles.add(style);
				style++;
			}
		},
		close: (tag) => {
			if (localName(tag) === "cellXfs") inCells = false;
		},
	});
	return styles;
}

const isDateFormat = (code: string): boolean => /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ""));

function sheetRows(
	xml: Buffer | undefined,
	{ strings, dates }: { strings: string[]; dates: ReadonlySet<number> },
): { rows: string[][]; cut: boolean } {
	const rows: string[][] = [];
	let cell = { column: 0, type: "", style: 0, value: "", formula: "" };
	let inside: "value" | "formula" | undefined;
	let size = 0;
	readXml(xml, {
		open: (tag, { r, t = "n", s = "0" }) => {
			const name = localName(tag);
			if (name === "row") rows.push([]);
			else if (name === "c")
				cell = { column: columnOf(r) ?? rows.at(-1)?.length ?? 0, type: t, style: Number(s), value: "", formula: "" };
			else if (name === "v" || (name === "t" && cell.type === "inlineStr")) inside = "value";
			else if (name === "f") inside = "formula";
		},
		text: (text) => {
			if (inside !== undefined) cell[inside] += text;
		},
		close: (tag) => {
			const name = localName(tag);
			if (name === "v" || name === "t" || name === "f") inside = undefined;
			if (name !== "c" || (cell.value === "" && cell.formula === "")) return;
			const row = rows.at(-1);
			size += Math.max(1, cell.column - (row?.length ?? 0) + 1);
			if (!row || size > MOST_CELLS) return;
			while (row.length < cell.column) row.push("");
			// A formula that was never calculated has no value to show.
			row[cell.column] = cell.value === "" ? `=${cell.formula}` : cellValue(cell, strings, dates);
		},
	});
	return { rows, cut: size > MOST_CELLS };
}

function cellValue(
	{ type, style, value }: { type: string; style: number; value: string },
	strings: string[],
	dates: ReadonlySet<number>,
): string {
	if (type === "s") return strings[Number(value)] ?? "";
	if (type === "b") return value === "1" ? "TRUE" : "FALSE";
	return type === "n" && dates.has(style) ? dateText(Number(value)) : value;
}

function dateText(days: number): string {
	const date = new Date(EXCEL_EPOCH + Math.round(days * EXCEL_DAY_MS));
	if (Number.isNaN(date.getTime()) || days < 0) return String(days);
	const [day = "", time = ""] = date.toISOString().slice(0, 19).split("T");
	if (days < 1) return time;
	return Number.isInteger(days) ? day : `${day} ${time}`;
}

function columnOf(reference: string | undefined): number | undefined {
	const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
	return letters === undefined
		? undefined
		: [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Some writers give the elements a prefix. */
export const localName = (tag: string): string => tag.slice(tag.indexOf(":") + 1);
