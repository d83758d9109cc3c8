import { decodeDeclared } from "./charset.ts";
import { type Converted, Unreadable } from "./converted.ts";
import { htmlToMarkdown } from "./html/html.ts";
import { TextParts } from "./text-parts.ts";
import { pathInArchive, readXml } from "./xml.ts";
import { ZipArchive } from "./zip.ts";

/** Links between chapters cannot be fetched. With this address, they become plain words. */
const BOOK = "book:/";

/** A book as markdown: its chapters in reading order, each converted like a page. */
export function epubToMarkdown(bytes: Uint8Array): Converted {
	const zip = new ZipArchive(bytes);
	const book = packagePath(zip.read("META-INF/container.xml"));
	const { title, chapters } = bookOf(zip.read(book), book.replace(/[^/]*$/, ""));
	if (chapters.length === 0) throw new Unreadable("The book names no chapters.");
	const parts = new TextParts();
	parts.fill(() => {
		for (const path of chapters) {
			const chapter = zip.read(path);
			const html = chapter && (decodeDeclared(chapter) ?? chapter.toString("latin1"));
			if (html !== undefined) parts.add(htmlToMarkdown(html, { url: BOOK, preferReader: true }).text);
		}
	});
	return { ...parts.done(), ...(title !== "" && { title }) };
}

function packagePath(container: Buffer | undefined): string {
	let path = "";
	readXml(container, {
		open: (tag, attributes) => {
			if (tag.endsWith("rootfile")) path ||= attributes["full-path"] ?? "";
		},
	});
	if (path === "") throw new Unreadable("The book has no list of its parts.");
	return path;
}

function bookOf(xml: Buffer | undefined, folder: string): { title: string; chapters: string[] } {
	const files = new Map<string, string>();
	const chapters: string[] = [];
	let title = "";
	let inTitle = false;
	readXml(xml, {
		open: (tag, { id = "", href = "", idref = "" }) => {
			if (tag === "dc:title") inTitle = title === "";
			else if (tag.endsWith("itemref")) chapters.push(files.get(idref) ?? "");
			else if (tag.endsWith("item")) files.set(id, pathInArchive(href, folder.replace(/\/$/, "")));
		},
		text: (text) => {
			if (inTitle) title += text;
		},
		close: (tag) => {
			if (tag === "dc:title") inTitle = false;
		},
	});
	return { title: title.trim(), chapters: [...new Set(chapters)].filter((path) => path !== "") };
}
