import { type Converted, Unreadable } from "./converted.ts";
import { fenced } from "./fence.ts";
import { markdownTable } from "./markdown-table.ts";
import { TextParts } from "./text-parts.ts";
import { readXml, type XmlAttributes } from "./xml.ts";
import { ZipArchive } from "./zip.ts";

/** Sheets say how often an empty cell or row is repeated, up to the end of the sheet. */
const MOST_REPEATED = 100;

/** A document of the OpenDocument family as markdown: text, sheets, slides. */
export function odfToMarkdown(bytes: Uint8Array): Converted {
	const zip = new ZipArchive(bytes);
	const content = zip.read("content.xml");
	if (!content) throw new Unreadable("It has no content.xml.");
	const parts = new TextParts();
	parts.fill(() => new OdfWriter(parts).write(content));
	return parts.done();
}

class OdfWriter {
	readonly #parts: TextParts;
	/** Styles of this document that derive from the one for code. */
	readonly #codeStyles = new Set<string>();
	readonly #tables: { rows: string[][]; repeated: number }[] = [];
	#code: string[] = [];
	#text = "";
	#isCode = false;
	#inParagraph = 0;
	#level = 1;
	#listDepth = 0;
	#slides = 0;
	#links: { target: string; start: number }[] = [];

	constructor(parts: TextParts) {
		this.#parts = parts;
	}

	write(xml: Buffer): void {
		readXml(xml, {
			open: (tag, attributes) => this.#open(tag, attributes),
			text: (text) => {
				if (this.#inParagraph > 0) this.#text += text.replace(/\s+/g, " ");
			},
			close: (tag) => this.#close(tag),
		});
		this.#endCode();
	}

	#open(tag: string, attributes: XmlAttributes): void {
		if (tag === "text:p" || tag === "text:h") {
			if (this.#inParagraph++ === 0) this.#text = "";
			this.#isCode = this.#isCodeStyle(attributes["text:style-name"]);
			this.#level = Math.min(Math.max(Number(attributes["text:outline-level"]) || 1, 1), 6);
		} else if (tag === "style:style" && this.#isCodeStyle(attributes["style:parent-style-name"])) {
			this.#codeStyles.add(attributes["style:name"] ?? "");
		} else if (tag === "text:tab") this.#text += "\t";
		else if (tag === "text:line-break") this.#text += "\n";
		else if (tag === "text:s") this.#text += " ".repeat(Math.min(Number(attributes["text:c"] ?? 1) || 1, 200));
		else if (tag === "text:a") this.#links.push({ target: attributes["xlink:href"] ?? "", start: this.#text.length });
		else if (tag === "text:note-body") this.#text += " (note: ";
		else if (tag === "text:list") this.#listDepth++;
		else if (tag === "draw:page") this.#startSlide(attributes["draw:name"]);
		else if (tag === "table:table") this.#startTable(attributes["table:name"]);
		else if (tag === "table:table-row") this.#tables.at(-1)?.rows.push([]);
		else if (tag === "table:table-cell" || tag === "table:covered-table-cell") {
			const repeated = Math.min(Number(attributes["table:number-columns-repeated"] ?? 1) || 1, MOST_REPEATED);
			const table = this.#tables.at(-1);
			if (table) table.repeated = repeated;
			table?.rows.at(-1)?.push("");
		}
	}

	#close(tag: string): void {
		const table = this.#tables.at(-1);
		if (tag === "text:h") this.#endParagraph(`${"#".repeat(this.#level)} `);
		else if (tag === "text:p")
			this.#endParagraph(this.#listDepth > 0 ? `${"  ".repeat(Math.min(this.#listDepth - 1, 8))}- ` : "");
		else if (tag === "text:a") this.#endLink();
		else if (tag === "text:note-body") this.#text += ")";
		else if (tag === "text:list") this.#listDepth--;
		else if (tag === "table:table-cell" && table) {
			const row = table.rows.at(-1);
			for (let more = 1; more < table.repeated; more++) row?.push(row.at(-1) ?? "");
		} else if (tag === "table:table-row" && table) {
			const row = table.rows.at(-1) ?? [];
			while (row.at(-1) === "") row.pop();
		} else if (tag === "table:table") this.#endTable();
	}

	#isCodeStyle = (name: string | undefined): boolean =>
		name !== undefined && (/preformatted|source|code/i.test(name) || this.#codeStyles.has(name));

	#startSlide(name: string | undefined): void {
		this.#endCode();
		this.#slides++;
		this.#parts.add(`## Slide ${this.#slides}${name === undefined || /^page\d+$/i.test(name) ? "" : `: ${name}`}`);
	}

	#startTable(name: string | undefined): void {
		this.#endCode();
		if (this.#tables.length === 0 && name !== undefined) this.#parts.add(`**${name}**`);
		this.#tables.push({ rows: [], repeated: 1 });
	}

	#endLink(): void {
		const link = this.#links.pop();
		if (!link || !/^(https?:|mailto:)/i.test(link.target)) return;
		this.#text = `${this.#text.slice(0, link.start)}[${this.#text.slice(link.start)}](${link.target})`;
	}

	#endParagraph(prefix: string): void {
		// A note is inside its paragraph, with paragraphs of its own.
		if (--this.#inParagraph > 0) return;
		const text = this.#text.trim();
		const row = this.#tables.at(-1)?.rows.at(-1);
		if (row) row[row.length - 1] = `${row.at(-1) ?? ""} ${text}`.trim();
		else if (this.#isCode && prefix === "") this.#code.push(this.#text.trimEnd());
		else {
			this.#endCode();
			if (text !== "") this.#parts.add(prefix + text);
		}
	}

	#endCode(): void {
		const code = this.#code.join("\n");
		this.#code = [];
		if (code.trim() !== "") this.#parts.add(fenced(code));
	}

	#endTable(): void {
		const rows = this.#tables.pop()?.rows ?? [];
		const outer = this.#tables.at(-1)?.rows.at(-1);
		if (outer) outer[outer.length - 1] = [outer.at(-1) ?? "", ...rows.flat()].join(" ").trim();
		else this.#parts.add(markdownTable(rows));
	}
}
