import { type Converted, Unreadable } from "./converted.ts";
import { isMonospace, readStyles, styleByName, type WordStyle } from "./docx-styles.ts";
import { fenced } from "./fence.ts";
import { markdownTable } from "./markdown-table.ts";
import { TextParts } from "./text-parts.ts";
import { readXml, relationsOf, type XmlAttributes } from "./xml.ts";
import { ZipArchive } from "./zip.ts";

/** The text of a Word document as markdown: headings, lists, links, tables, code and notes, but not its look. */
export function docxToMarkdown(bytes: Uint8Array): Converted {
	const zip = new ZipArchive(bytes);
	const document = zip.read("word/document.xml");
	if (!document) throw new Unreadable("It has no word/document.xml.");
	const links = relationsOf(zip.read("word/_rels/document.xml.rels"), "word");
	const styles = readStyles(zip.read("word/styles.xml"));
	const parts = new TextParts();
	parts.fill(() => {
		for (const part of [document, zip.read("word/footnotes.xml"), zip.read("word/endnotes.xml")]) {
			new WordWriter(links, styles, parts).write(part);
		}
	});
	return parts.done();
}

class WordWriter {
	readonly #links: ReadonlyMap<string, string>;
	readonly #styles: ReadonlyMap<string, WordStyle>;
	readonly #parts: TextParts;
	/** Open tables, the innermost last: each with its finished rows, and the cells of the current row. */
	readonly #tables: { rows: string[][]; cells: string[] }[] = [];
	/** Consecutive lines of code, one paragraph each. */
	#code: string[] = [];
	#text = "";
	#prefix = "";
	#isCode = false;
	/** Characters in monospaced fonts in the current paragraph. */
	#monospaced = 0;
	#inMonospace = false;
	#link: { target: string; start: number } | undefined;
	#inText = false;

	constructor(links: ReadonlyMap<string, string>, styles: ReadonlyMap<string, WordStyle>, parts: TextParts) {
		this.#links = links;
		this.#styles = styles;
		this.#parts = parts;
	}

	write(xml: Buffer | undefined): void {
		readXml(xml, {
			open: (tag, attributes) => this.#open(tag, attributes),
			text: (text) => this.#write(text),
			close: (tag) => this.#close(tag),
		});
		this.#endCode();
	}

	#write(text: string): void {
		if (!this.#inText) return;
		this.#text += text;
		if (this.#inMonospace) this.#monospaced += text.trim().length;
	}

	#open(tag: string, attributes: XmlAttributes): void {
		const value = attributes["w:val"] ?? "";
		if (tag === "w:t") this.#inText = true;
		else if (tag === "w:tab") this.#text += "\t";
		else if (tag === "w:br" || tag === "w:cr") this.#text += "\n";
		else if (tag === "w:noBreakHyphen") this.#text += "-";
		else if (tag === "w:r") this.#inMonospace = false;
		else if (tag === "w:rFonts") this.#inMonospace = isMonospace(attributes["w:ascii"]);
		else if (tag === "w:pStyle") this.#useStyle(this.#styles.get(value) ?? styleByName(value));
		else if (tag === "w:ilvl" && !this.#prefix.startsWith("#"))
			this.#prefix = `${"  ".repeat(Math.min(Number(value) || 0, 8))}- `;
		else if (tag === "w:numPr") this.#prefix ||= "- ";
		else if (tag === "w:footnoteReference" || tag === "w:endnoteReference")
			this.#text += `[^${attributes["w:id"] ?? ""}]`;
		else if (tag === "w:footnote" || tag === "w:endnote") this.#prefix = `[^${attributes["w:id"] ?? ""}]: `;
		else if (tag === "w:tbl") this.#tables.push({ rows: [], cells: [] });
		else if (tag === "w:tc") this.#tables.at(-1)?.cells.push("");
		else if (tag === "w:hyperlink") {
			const target = this.#links.get(attributes["r:id"] ?? "");
			const leads = target !== undefined && /^(https?:|mailto:)/i.test(target);
			this.#link = leads ? { target, start: this.#text.length } : undefined;
		}
	}

	#useStyle({ level, isCode, item }: WordStyle): void {
		this.#prefix = level > 0 ? `${"#".repeat(level)} ` : item || this.#prefix;
		this.#isCode = isCode;
	}

	#close(tag: string): void {
		if (tag === "w:t") this.#inText = false;
		else if (tag === "w:p") this.#endParagraph();
		else if (tag === "w:hyperlink" && this.#link) {
			const { target, start } = this.#link;
			this.#text = `${this.#text.slice(0, start)}[${this.#text.slice(start)}](${target})`;
			this.#link = undefined;
		} else if (tag === "w:tr") {
			const table = this.#tables.at(-1);
			if (table) table.rows.push(table.cells.splice(0));
		} else if (tag === "w:tbl") this.#endTable();
	}

	#endParagraph(): void {
		const text = this.#text.trim();
		const table = this.#tables.at(-1);
		const isCode = this.#isCode || (text !== "" && this.#monospaced >= text.replace(/\s/g, "").length);
		if (table) table.cells.push([table.cells.pop() ?? "", text].filter((part) => part !== "").join(" "));
		else if (isCode && this.#prefix === "") this.#code.push(this.#text.trimEnd());
		else if (text !== "" || this.#code.length === 0) {
			this.#endCode();
			this.#parts.add(text === "" ? "" : this.#prefix + text);
		} else this.#code.push("");
		this.#text = "";
		this.#prefix = "";
		this.#isCode = false;
		this.#monospaced = 0;
	}

	#endCode(): void {
		const code = this.#code.join("\n");
		this.#code = [];
		if (code.trim() !== "") this.#parts.add(fenced(code));
	}

	#endTable(): void {
		const rows = this.#tables.pop()?.rows ?? [];
		const outer = this.#tables.at(-1);
		// Markdown has no tables inside cells; the text stays.
		if (outer) outer.cells.push([outer.cells.pop() ?? "", ...rows.flat()].join(" ").trim());
		else {
			this.#endCode();
			this.#parts.add(markdownTable(rows));
		}
	}
}
