import { describe, expect, test } from "vitest";
import { Unreadable } from "../../src/web/convert/converted.ts";
import { csvToMarkdown } from "../../src/web/convert/csv.ts";
import { docxToMarkdown } from "../../src/web/convert/docx.ts";
import { epubToMarkdown } from "../../src/web/convert/epub.ts";
import { htmlToMarkdown } from "../../src/web/convert/html/html.ts";
import { ipynbToMarkdown } from "../../src/web/convert/ipynb.ts";
import { documentKind } from "../../src/web/convert/kind.ts";
import { odfToMarkdown } from "../../src/web/convert/odf.ts";
import { pptxToMarkdown } from "../../src/web/convert/pptx.ts";
import { rtfToText } from "../../src/web/convert/rtf.ts";
import { xlsxToMarkdown } from "../../src/web/convert/xlsx.ts";
import fc from "../helpers/fast-check.ts";
import { ARTICLE, makeDocx, makeZip } from "./documents.ts";
import { makeEpub, makeOdt, makePptx, makeXlsx } from "./office.ts";

const MANY = 30_000;

describe("what the process itself looks at takes a time that grows with it", () => {
	test("thousands of comments before a page", () => {
		const comments = "<!---->".repeat(2_000);
		expect(documentKind(Buffer.from(`${comments}x`), {})).toBe("text");
		expect(documentKind(Buffer.from(`${comments}<html>`), {})).toBe("html");
	});

	test("a cell of a million spaces", () => {
		const spaces = " ".repeat(1_000_000);
		expect(csvToMarkdown(`a,b\nx${spaces}y,"p\n${spaces}q"`, ",")).toContain("| p q |");
	});
});

const read = (html: string) => htmlToMarkdown(html, { url: "https://site.example/", preferReader: true });

/** What was made of it, or why nothing was; whatever else is thrown is a failure of ours. */
function outcomeOf(convert: () => unknown): string {
	try {
		return JSON.stringify(convert());
	} catch (error) {
		if (error instanceof Unreadable) return error.message;
		throw error;
	}
}

describe("a hostile document", () => {
	test.each<[string, (bytes: Buffer) => unknown, Buffer]>([
		["Word", docxToMarkdown, makeDocx()],
		["workbook", xlsxToMarkdown, makeXlsx({ A: '<row><c r="B1" t="s"><v>0</v></c></row>' }, ["x"])],
		["presentation", pptxToMarkdown, makePptx()],
		["OpenDocument", odfToMarkdown, makeOdt()],
		["book", epubToMarkdown, makeEpub({ "a.xhtml": "<p>x</p>" })],
		["RTF", rtfToText, Buffer.from("{\\rtf1\\ansi{\\fonttbl x}\\u8364?\\'e4\\par text}")],
		["notebook", ipynbToMarkdown, Buffer.from('{"cells":[{"cell_type":"code","source":["x"],"outputs":[]}]}')],
	])("%s with bytes changed anywhere is text or a reason, and never far more than it was", (_, convert, whole) => {
		const change = fc.record({ at: fc.nat({ max: whole.length - 1 }), byte: fc.nat({ max: 255 }) });
		fc.assert(
			fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
				const bytes = Buffer.from(whole);
				for (const { at, byte } of changes) bytes[at] = byte;
				const outcome = outcomeOf(() => convert(bytes));
				expect(outcome.length).toBeLessThan(100_000);
			}),
			{ numRuns: 100 },
		);
	});

	test("a page of any tags in any order keeps its words, and its places are in its text", () => {
		const tag = fc.constantFrom(
			"p",
			"div",
			"table",
			"tr",
			"td",
			"ul",
			"li",
			"dl",
			"dt",
			"dd",
			"pre",
			"a",
			"b",
			"code",
			"h2",
			"blockquote",
			"span",
		);
		const piece = fc.oneof(
			tag.map((name) => `<${name} id=${name} href=/x>`),
			tag.map((name) => `</${name}>`),
			fc.constantFrom("\n", " ", "<br>", "<!-- c -->", "&amp;"),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
				const { text, anchors = {} } = read(
					`<body>${pieces.map((each, place) => `${each} word${place} `).join("")}</body>`,
				);
				for (const [place] of pieces.entries()) expect(text).toContain(`word${place}`);
				for (const at of Object.values(anchors)) expect(at).toBeLessThanOrEqual(text.length);
			}),
			{ numRuns: 200 },
		);
	});

	test("names of an archive lead nowhere but into it", () => {
		const book = makeZip({
			"META-INF/container.xml": '<container><rootfile full-path="../../../../etc/passwd"/></container>',
		});
		expect(() => epubToMarkdown(book)).toThrow("names no chapters");
	});

	test("many small things do not become many large ones", () => {
		const styles = Array.from(
			{ length: 2_000 },
			(_, n) => `<w:style w:styleId="${n}"><w:basedOn w:val="${n + 1}"/></w:style>`,
		);
		const word = makeZip({ "word/document.xml": "<w:p><w:t>x</w:t></w:p>", "word/styles.xml": styles.join("") });
		expect(docxToMarkdown(word).text).toBe("x");
		expect(read(`<body>${'<a id="x">'.repeat(MANY)}deep</body>`).text).toBe("deep");
		expect(read(ARTICLE.replace("<main>", "<main>".repeat(1_000))).text).toContain("magnetic field");
	});
});
