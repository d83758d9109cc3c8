import { decodeEntities } from "../entities.ts";
import { Unreadable } from "./converted.ts";
import { readZipEntry } from "./zip.ts";

/** Tags and the text between them. No entity but the five of XML and numbers exists here, so none can be expanded. */
const XML_TOKEN = /<(\/?)([\w:.-]+)([^<>]*)>|([^<]+)/g;

/** The text of a Word document as markdown: headings, lists, links and tables; not its look. */
export function docxToMarkdown(zip: Buffer): string {
	const xml = readZipEntry(zip, "word/document.xml");
	if (!xml) throw new Unreadable("It has no word/document.xml.");
	const links = linksIn(readZipEntry(zip, "word/_rels/document.xml.rels")?.toString("utf8") ?? "");
	return new Writer(links).write(xml.toString("utf8"));
}

class Writer {
	readonly #links: ReadonlyMap<string, string>;
	readonly #blocks: string[] = [];
	/** Open tables, the innermost last: each with its finished rows, and the cells of the row at hand. */
	readonly #tables: { rows: string[][]; cells: string[] }[] = [];
	#text = "";
	#prefix = "";
	#link: { target: string; start: number } | undefined;
	#inText = false;

	constructor(links: ReadonlyMap<string, string>) {
		this.#links = links;
	}

	write(xml: string): string {
		for (const [, close, tag, attributes = "", text] of xml.matchAll(XML_TOKEN)) {
			if (text !== undefined) this.#text += this.#inText ? decodeEntities(text) : "";
			else if (close === "/") this.#close(tag);
			else this.#open(tag, attributes);
		}
		return this.#blocks.join("\n\n").replace(/^(\s*- .*)\n\n(?=\s*- )/gm, "$1\n");
	}

	#open(tag: string | undefined, attributes: string): void {
		const value = () => attribute(attributes, "w:val") ?? "";
		if (tag === "w:t") this.#inText = !attributes.endsWith("/");
		else if (tag === "w:tab") this.#text += "\t";
		else if (tag === "w:br" || tag === "w:cr") this.#text += "\n";
		else if (tag === "w:pStyle") this.#prefix = prefixOf(value()) || this.#prefix;
		else if (tag === "w:ilvl") this.#prefix = `${"  ".repeat(Math.min(Number(value()) || 0, 8))}- `;
		else if (tag === "w:numPr") this.#prefix ||= "- ";
		else if (tag === "w:tbl") this.#tables.push({ rows: [], cells: [] });
		else if (tag === "w:tc") this.#tables.at(-1)?.cells.push("");
		else if (tag === "w:hyperlink") {
			const target = this.#links.get(attribute(attributes, "r:id") ?? "");
			this.#link = target === undefined ? undefined : { target, start: this.#text.length };
		}
	}

	#close(tag: string | undefined): void {
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
		if (table) table.cells.push([table.cells.pop() ?? "", text].filter((part) => part !== "").join(" "));
		else if (text !== "") this.#blocks.push(this.#prefix + text);
		this.#text = "";
		this.#prefix = "";
	}

	#endTable(): void {
		const rows = this.#tables.pop()?.rows ?? [];
		const lines = rows.map(
			(row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`,
		);
		const rule = `|${" --- |".repeat(rows[0]?.length ?? 0)}`;
		const outer = this.#tables.at(-1);
		// A table in a cell has no form in markdown; its text stays.
		if (outer) outer.cells.push([outer.cells.pop() ?? "", ...rows.flat()].join(" ").trim());
		else if (lines.length > 0) this.#blocks.push([lines[0], rule, ...lines.slice(1)].join("\n"));
	}
}

function prefixOf(style: string): string {
	if (/^title$/i.test(style)) return "# ";
	const level = /^heading\s?([1-6])$/i.exec(style)?.[1];
	return level === undefined ? "" : `${"#".repeat(Number(level))} `;
}

function linksIn(rels: string): ReadonlyMap<string, string> {
	const links = [...rels.matchAll(/<Relationship\s([^<>]*)>/g)].flatMap(([, attributes = ""]) => {
		const target = attribute(attributes, "Target");
		return target !== undefined && /^(https?:|mailto:)/i.test(target)
			? [[attribute(attributes, "Id") ?? "", target] as const]
			: [];
	});
	return new Map(links);
}

function attribute(attributes: string, name: string): string | undefined {
	const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
	return value ? decodeEntities(value[1] ?? value[2] ?? "") : undefined;
}
