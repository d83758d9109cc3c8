import { describe, expect, test } from "vitest";
import { docxToMarkdown } from "../../src/web/convert/docx.ts";
import { epubToMarkdown } from "../../src/web/convert/epub.ts";
import { ipynbToMarkdown } from "../../src/web/convert/ipynb.ts";
import { documentKind } from "../../src/web/convert/kind.ts";
import { odfToMarkdown } from "../../src/web/convert/odf.ts";
import { pdfToMarkdown } from "../../src/web/convert/pdf.ts";
import { pptxToMarkdown } from "../../src/web/convert/pptx.ts";
import { rtfToText } from "../../src/web/convert/rtf.ts";
import { xlsxToMarkdown } from "../../src/web/convert/xlsx.ts";
import { ZipArchive } from "../../src/web/convert/zip.ts";
import { makeDocx, makePdf, makeZip } from "./documents.ts";
import { makeEpub, makeOdt, makeOutlinedPdf, makePptx, makeTaggedPdf, makeXlsx } from "./office.ts";

describe("a workbook", () => {
	test("is a table for each sheet, with texts, numbers and dates as their author saw them", () => {
		const flights = [
			'<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Note</t></is></c></row>',
			'<row r="2"><c r="A2" s="1"><v>45000</v></c><c r="B2" s="2"><v>45000.5</v></c><c r="C2"><v>90.5</v></c></row>',
			'<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="str"><f>A1&amp;B1</f><v>a|b</v></c><c r="C3"><f>1+1</f><v/></c></row>',
		].join("");
		const { text } = xlsxToMarkdown(makeXlsx({ "Tom &amp; Jerry": flights, Empty: "" }, ["Date"]));
		expect(text).toBe(
			[
				"## Tom & Jerry\n",
				"| Date |  | Note |",
				"| --- | --- | --- |",
				"| 2023-03-15 | 2023-03-15 12:00:00 | 90.5 |",
				"| TRUE | a\\|b | =1+1 |\n",
				"## Empty\n",
				"(empty sheet)",
			].join("\n"),
		);
	});

	test("with cells at the far end of every row is not filled up without end", () => {
		const rows = Array.from({ length: 40 }, (_, row) => `<row><c r="XFD${row + 1}"><v>1</v></c></row>`).join("");
		const { text, cut } = xlsxToMarkdown(makeXlsx({ Wide: rows }));
		expect([text.length < 2_000_000, cut]).toEqual([true, true]);
	});

	test("with more text than is kept is cut, and that is told", () => {
		const row = '<row><c t="s"><v>0</v></c></row>'.repeat(3_000);
		expect(xlsxToMarkdown(makeXlsx({ A: row, B: row, C: row }, ["x".repeat(500)])).cut).toBe(true);
	});
});

test("a presentation is its slides in their order, with titles, lists, tables and notes", () => {
	expect(pptxToMarkdown(makePptx()).text).toBe(
		"## Slide 1: Homing\n\n- by the sun\n  - and by smell\n\n## Slide 2\n\n| Breed | Speed |\n| --- | --- |\n| Racer | 90 |\n\nNotes: - Speak slowly.",
	);
});

describe("an OpenDocument text", () => {
	test("has headings, links, lists, code and tables", () => {
		expect(odfToMarkdown(makeOdt()).text).toBe(
			[
				"## Flights\n",
				"They always  come [home](https://pigeons.example/).\n",
				"- grey",
				"  - light\n",
				"```\nfly();\n  land();\n```\n",
				"**T**\n",
				"| Breed | Speed |",
				"| --- | --- |",
				"| x | x |",
			].join("\n"),
		);
	});

	test("does not expand entities of its own", () => {
		const bomb = `<!DOCTYPE a [<!ENTITY a "${"x".repeat(100)}"><!ENTITY b "&a;&a;&a;">]>`;
		expect(odfToMarkdown(makeOdt(`${bomb}<text:p>&b;</text:p>`)).text.length).toBeLessThan(500);
	});
});

describe("a book", () => {
	test("is its chapters in the order of reading, under the names that the archive has", () => {
		const book = makeEpub(
			{
				"two.xhtml": '<h1>Two</h1><p><a href="a%20one.xhtml">After</a>.</p>',
				"a one.xhtml": "<h1>One</h1><p>Before.</p>",
			},
			["a%20one.xhtml", "two.xhtml", "../../../etc/passwd", "missing.xhtml"],
		);
		expect(epubToMarkdown(book)).toMatchObject({ title: "The loft", text: "# One\n\nBefore.\n\n# Two\n\nAfter." });
	});
});

test("an archive that unpacks to far more than it is, in many parts, is an error", () => {
	const bomb = makeZip({ a: Buffer.alloc(30_000_000) });
	expect(bomb.length).toBeLessThan(100_000);
	const archive = new ZipArchive(bomb);
	for (let part = 0; part < 4; part++) expect(archive.read("a")).toHaveLength(30_000_000);
	expect(() => archive.read("a")).toThrow("It unpacks to more than can be read.");
});

describe("an RTF document", () => {
	const rtf = (body: string) => rtfToText(Buffer.from(`{\\rtf1\\ansi\\ansicpg1251\\deff0${body}}`, "latin1"));

	test("is its text, in the charset that it names, without its settings", () => {
		const body =
			"{\\fonttbl{\\f0 Times;}}{\\*\\generator HIDDEN}{\\info{\\title HIDDEN}}\\pard Pigeons \\b always\\b0  come home.\\par \\'cf\\'f0\\'e8\\u8364?\\tab x\\{y\\}\\line next";
		expect(rtf(body).text).toBe("Pigeons always come home.\n\nПри€\tx{y}\nnext");
	});

	test("keeps the cells of a table apart", () => {
		expect(rtf("\\trowd Breed\\cell Speed\\cell\\row Racer\\cell 90\\cell\\row").text).toBe(
			"Breed | Speed\nRacer | 90",
		);
	});

	test("nested without end is read to its end", () => {
		expect(rtf(`${"{".repeat(20_000)}deep`).text).toBe("deep");
	});
});

describe("a notebook", () => {
	const notebook = (cells: unknown) =>
		ipynbToMarkdown(
			Buffer.from(JSON.stringify({ cells, nbformat: 4, metadata: { kernelspec: { language: "python" } } })),
		);

	test("has its text, its code and what the code printed, and says what is an image", () => {
		const { text } = notebook([
			{ cell_type: "markdown", source: ["# Speed\n", "of pigeons"] },
			{
				cell_type: "code",
				source: "print(90)",
				outputs: [
					{ output_type: "stream", text: ["90\n"] },
					{ data: { "image/png": "iVBOR", "text/plain": ["<Figure>"] } },
					{ output_type: "error", traceback: ["\u001b[31mError\u001b[0m"] },
				],
			},
		]);
		expect(text).toBe(
			"# Speed\nof pigeons\n\n```python\nprint(90)\n```\n\nOutput:\n\n```\n90\n```\n\nOutput:\n\n```\n<Figure>\n```\n\n(The output is an image.)\n\nOutput:\n\n```\nError\n```",
		);
	});

	test("with anything in the place of cells, sources and outputs does not fail", () => {
		expect(
			notebook([null, 7, { source: { a: 1 }, outputs: "x" }, { cell_type: "code", outputs: [{ data: 1 }] }]).text,
		).toBe("");
		expect(() => ipynbToMarkdown(Buffer.from("[1"))).toThrow("not a Jupyter notebook");
	});
});

describe("a Word document", () => {
	const styles =
		'<w:styles><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="X"><w:name w:val="Source Code"/></w:style><w:style w:styleId="Y"><w:basedOn w:val="X"/></w:style><w:style w:styleId="L"><w:name w:val="List Bullet"/></w:style></w:styles>';
	const word = (body: string) =>
		docxToMarkdown(
			makeZip({
				"word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
				"word/styles.xml": styles,
				"word/footnotes.xml":
					'<w:footnotes><w:footnote w:id="2"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>',
			}),
		).text;
	const styled = (style: string, text: string) =>
		`<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
	const inFont = (text: string) =>
		`<w:p><w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

	test("has its code fenced, known by style or by font, lines together and indented as they are", () => {
		expect(
			word(styled("Y", "fly();") + styled("X", "land();") + styled("None", "Done.") + inFont("if x:") + inFont("  y")),
		).toContain("```\nfly();\nland();\n```\n\nDone.\n\n```\nif x:\n  y\n```");
	});

	test("has the items of lists, by paragraph and by style, and headings with numbers are headings", () => {
		const numbered = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr>';
		const heading = `<w:p><w:pPr><w:pStyle w:val="berschrift1"/>${numbered}</w:pPr><w:r><w:t>Two</w:t></w:r></w:p>`;
		const item = `<w:p><w:pPr>${numbered}</w:pPr><w:r><w:t>light</w:t></w:r></w:p>`;
		expect(word(heading + styled("L", "grey") + item)).toContain("# Two\n\n- grey\n  - light");
	});

	test("has headings of any language, and its footnotes", () => {
		const note = '<w:p><w:r><w:t>Home</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>';
		expect(word(styled("berschrift1", "Flüge") + note)).toBe("# Flüge\n\nHome[^2]\n\n[^2]: A note.");
	});
});

describe("a PDF", () => {
	const fromPdf = (bytes: Buffer) => pdfToMarkdown(new Uint8Array(bytes));

	test("has the headings and tables that its tags name", async () => {
		expect((await fromPdf(makeTaggedPdf())).text).toBe(
			"# Flights\n\n| Breed | Speed |\n| --- | --- |\n| Racer | 90 |\n\nThey come home.",
		);
	});

	test("has the headings that its table of contents names, and the numbers of its pages", async () => {
		expect((await fromPdf(makeOutlinedPdf())).text).toBe(
			"[Page 1]\n\nContents\nHoming\n\n[Page 2]\n\n# 1.2 Homing\nThey come home.",
		);
	});

	test("without text says that it may be scanned, and a page without text that it may be an image", async () => {
		expect(await fromPdf(makePdf(["", ""]))).toMatchObject({
			text: "",
			whyEmpty: expect.stringContaining("its 2 pages are images or drawings: it may be scanned"),
		});
		expect((await fromPdf(makePdf(["Words", ""]))).text).toContain(
			"[Page 2]\n\n(no text on this page: it is empty or an image)",
		);
	});
});

test.each([
	["xlsx", makeXlsx({ A: "" })],
	["pptx", makePptx()],
	["odf", makeOdt()],
	["epub", makeEpub({ "a.xhtml": "" })],
	["docx", makeDocx()],
	["rtf", Buffer.from("{\\rtf1 x}")],
] as const)("%s is known by its bytes, whatever it is called", (kind, bytes) => {
	expect(documentKind(bytes, { contentType: "application/octet-stream", name: "file.bin" })).toBe(kind);
});

test.each([
	["lines.jsonl", '{"a":1}\n{"a":2}', "text"],
	["settings.toml", "[tool]\na = 1", "text"],
	["settings.yaml", "a: 1", "text"],
	["main.rs", "fn main() {}", "text"],
	["Makefile", "all:\n\techo", "text"],
	["LICENSE", "Free.", "text"],
	["data", '{"a":1}', "json"],
	["book.ipynb", "{}", "ipynb"],
])("%s with %j is read as %s", (name, content, kind) => {
	expect(documentKind(Buffer.from(content), { name })).toBe(kind);
});
