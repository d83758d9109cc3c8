import { getDocumentProxy, getMeta } from "unpdf";
import type { Converted } from "./converted.ts";
import { headingsOf, type PdfDocument, type PdfHeading } from "./pdf-outline.ts";
import { readPageText } from "./pdf-page.ts";
import { taggedBlocks } from "./pdf-tags.ts";
import { LONGEST_TEXT } from "./text-parts.ts";

/** The text of a PDF, page by page, with the headings and tables that the file itself marks. */
export async function pdfToMarkdown(bytes: Uint8Array): Promise<Converted> {
	const document = await getDocumentProxy(bytes);
	const headings = await headingsOf(document);
	const pages: string[] = [];
	let length = 0;
	for (let number = 1; number <= document.numPages && length <= LONGEST_TEXT; number++) {
		const text = await pdfPageText(document, number, headings.get(number) ?? []);
		length += text.length;
		pages.push(text);
	}
	const title = await titleOfPdf(document);
	const named = { ...(title !== undefined && { title }) };
	if (pages.every((page) => page === "")) {
		const what =
			pages.length === 1 ? "its page is an image or a drawing" : `its ${pages.length} pages are images or drawings`;
		return { ...named, text: "", whyEmpty: `the PDF has no text, ${what}: it may be scanned` };
	}
	return { ...named, text: withPageNumbers(pages), cut: pages.length < document.numPages };
}

async function pdfPageText(document: PdfDocument, number: number, headings: readonly PdfHeading[]): Promise<string> {
	const page = await document.getPage(number);
	const { lines, byTag } = await readPageText(page);
	const tagged = taggedBlocks(await page.getStructTree(), byTag);
	page.cleanup();
	const plain = lines
		.map((line) => asHeading(line, headings))
		.join("\n")
		.trim();
	// A partly tagged file loses nothing.
	return tagged.replace(/\W/g, "").length >= plain.replace(/\W/g, "").length * 0.8 ? tagged : plain;
}

function asHeading(line: string, headings: readonly PdfHeading[]): string {
	const text = lowered(line);
	// Many tables of contents omit the numbers of headings.
	const found = headings.find(({ title }) => title === text || title === text.replace(/^[a-z]?[\d.]+\s+/, ""));
	return found ? `${"#".repeat(found.level)} ${line.trim()}` : line;
}

const lowered = (text: string): string => text.replace(/\s+/g, " ").trim().toLowerCase();

const withPageNumbers = (pages: readonly string[]): string =>
	pages.length === 1
		? (pages[0] ?? "")
		: pages
				.map((page, index) => `[Page ${index + 1}]\n\n${page || "(no text on this page: it is empty or an image)"}`)
				.join("\n\n");

async function titleOfPdf(document: PdfDocument): Promise<string | undefined> {
	const title: unknown = (await getMeta(document)).info.Title;
	return typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
}
