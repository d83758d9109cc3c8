import { type Converted, Unreadable } from "./converted.ts";
import { markdownTable } from "./markdown-table.ts";
import { TextParts } from "./text-parts.ts";
import { readXml, relationsOf } from "./xml.ts";
import { ZipArchive } from "./zip.ts";

/** A presentation as markdown: each slide with its title, its text and its speaker notes. */
export function pptxToMarkdown(bytes: Uint8Array): Converted {
	const zip = new ZipArchive(bytes);
	const presentation = zip.read("ppt/presentation.xml");
	if (!presentation) throw new Unreadable("It has no ppt/presentation.xml.");
	const targets = relationsOf(zip.read("ppt/_rels/presentation.xml.rels"), "ppt");
	const parts = new TextParts();
	parts.fill(() => {
		for (const [place, path] of slidesOf(presentation, targets).entries()) {
			const { title, blocks } = slideText(zip.read(path));
			parts.add(`## Slide ${place + 1}${title === "" ? "" : `: ${title}`}`);
			for (const block of blocks) parts.add(block);
			const notes = speakerNotes(zip, path);
			if (notes !== "") parts.add(`Notes: ${notes}`);
		}
	});
	return parts.done();
}

function slidesOf(presentation: Buffer, targets: ReadonlyMap<string, string>): string[] {
	const slides: string[] = [];
	readXml(presentation, {
		open: (tag, attributes) => {
			const path = tag === "p:sldId" ? targets.get(attributes["r:id"] ?? "") : undefined;
			if (path !== undefined) slides.push(path);
		},
	});
	return slides;
}

function speakerNotes(zip: ZipArchive, slide: string): string {
	const relations = relationsOf(zip.read(slide.replace(/([^/]+)$/, "_rels/$1.rels")), slide.replace(/\/[^/]+$/, ""));
	const path = [...relations.values()].find((target) => target.includes("notesSlide"));
	if (path === undefined) return "";
	// The notes also contain the number of the slide, alone in its placeholder.
	return slideText(zip.read(path))
		.blocks.filter((block) => !/^- \d+$/.test(block))
		.join("\n");
}

function slideText(xml: Buffer | undefined): { title: string; blocks: string[] } {
	const blocks: string[] = [];
	const shape = { isTitle: false };
	let title = "";
	let rows: string[][] | undefined;
	let paragraph = "";
	let level = 0;
	let inText = false;
	readXml(xml, {
		open: (tag, { type = "", lvl = "0" }) => {
			if (tag === "p:sp") shape.isTitle = false;
			else if (tag === "p:ph") shape.isTitle = /title$/i.test(type);
			else if (tag === "a:tbl") rows = [];
			else if (tag === "a:tr") rows?.push([]);
			else if (tag === "a:tc") rows?.at(-1)?.push("");
			else if (tag === "a:pPr") level = Math.min(Number(lvl) || 0, 8);
			else if (tag === "a:t") inText = true;
			else if (tag === "a:br") paragraph += " ";
		},
		text: (text) => {
			if (inText) paragraph += text;
		},
		close: (tag) => {
			if (tag === "a:t") inText = false;
			else if (tag === "a:p") {
				const row = rows?.at(-1);
				if (row) row[row.length - 1] = `${row.at(-1) ?? ""} ${paragraph}`.trim();
				else if (shape.isTitle) title = `${title} ${paragraph}`.trim();
				else if (paragraph.trim() !== "") blocks.push(`${"  ".repeat(level)}- ${paragraph.trim()}`);
				paragraph = "";
				level = 0;
			} else if (tag === "a:tbl") {
				blocks.push(markdownTable(rows ?? []));
				rows = undefined;
			}
		},
	});
	return { title, blocks };
}
