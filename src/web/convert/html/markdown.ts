import { type AnchorOffsets, Anchors, isBlank, withoutMarks } from "./anchors.ts";
import { codeBlock, codeCell } from "./code-block.ts";
import { isHiddenElement, isMachinery } from "./furniture.ts";
import { isLayout, tableLines, tableParts } from "./table.ts";
import { isPageElement, type PageElement, type PageParent, rawText, textOfNode } from "./tree.ts";
import { countWords } from "./words.ts";

const BLOCKS = new Set(
	(
		"address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form " +
		"frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup p pre search section summary " +
		"table tbody td tfoot th thead tr ul caption colgroup"
	).split(" "),
);
/** Below this depth, only the words are kept, without structure. */
const DEEPEST = 150;
const COPY_BUTTON = /^\W*(copy|copied|copy code|copy to clipboard)\W*$/i;

export interface WrittenPage {
	text: string;
	anchors: AnchorOffsets;
	/** Words that were left out because no reader sees them. */
	hiddenWords: number;
}

/** A part of a page as markdown, without what `leaveOut` names. */
export function writeMarkdown(part: PageParent, leaveOut: (element: PageElement) => boolean): WrittenPage {
	const writer = new PageWriter(leaveOut);
	return writer.write(part);
}

class PageWriter {
	readonly #leaveOut: (element: PageElement) => boolean;
	readonly #anchors = new Anchors();
	#hiddenWords = 0;
	#depth = 0;

	constructor(leaveOut: (element: PageElement) => boolean) {
		this.#leaveOut = leaveOut;
	}

	write(part: PageParent): WrittenPage {
		const { text, anchors } = this.#anchors.settle(this.#blocks(part).join("\n\n"));
		return { text, anchors, hiddenWords: this.#hiddenWords };
	}

	/** The content as paragraphs, headings, lists and so on. */
	#blocks(parent: PageParent): string[] {
		const blocks: string[] = [];
		let run = "";
		// A position without words of its own belongs to the next block.
		let places = "";
		const add = (block: string) => {
			if (isBlank(block)) places += block.trim();
			else {
				blocks.push(places + block);
				places = "";
			}
		};
		const endRun = () => {
			add(paragraph(run));
			run = "";
		};
		for (const child of this.#visible(parent)) {
			const text = textOfNode(child);
			if (text !== undefined) run += collapsed(text);
			else if (isPageElement(child) && this.#isBlock(child)) {
				endRun();
				add(this.#anchors.markOf(placeName(child)));
				for (const block of this.#block(child)) add(block);
			} else if (isPageElement(child)) run += this.#inline(child);
		}
		endRun();
		return places === "" ? blocks : [...blocks, places];
	}

	#block(element: PageElement): string[] {
		if (this.#depth >= DEEPEST) return [paragraph(collapsed(rawText(element, isMachinery)))];
		this.#depth++;
		try {
			return this.#blockOf(element);
		} finally {
			this.#depth--;
		}
	}

	#blockOf(element: PageElement): string[] {
		const { name } = element;
		const level = /^h([1-6])$/.exec(name)?.[1];
		if (level !== undefined) {
			const title = this.#oneLine(element);
			return [isBlank(title) ? title : `${"#".repeat(Number(level))} ${title}`];
		}
		if (name === "pre") return [codeBlock(element)];
		if (name === "hr") return ["---"];
		if (name === "ul" || name === "ol" || name === "menu" || name === "dir") return [this.#list(element)];
		if (name === "dl") return [this.#definitions(element)];
		if (name === "blockquote") return [prefixed(this.#blocks(element).join("\n\n"), "> ", "> ")];
		if (name === "table") return this.#table(element);
		return this.#blocks(element);
	}

	#list(list: PageElement): string {
		let number = Number.parseInt(list.attribs.start ?? "1", 10) || 1;
		const items: string[] = [];
		for (const child of this.#visible(list)) {
			const bare = textOfNode(child);
			if (bare !== undefined) items.push(...(bare.trim() === "" ? [] : [`- ${paragraph(collapsed(bare))}`]));
			if (!isPageElement(child)) continue;
			// Lists directly in lists are wrong and common.
			if (child.name !== "li") {
				items.push(...this.#block(child).map((block) => prefixed(block, "  ", "  ")));
				continue;
			}
			const mark = list.name === "ol" ? `${number++}. ` : "- ";
			const item = this.#anchors.markOf(placeName(child)) + this.#item(child);
			if (!isBlank(item)) items.push(prefixed(item, mark, " ".repeat(mark.length)));
		}
		return items.join("\n");
	}

	/** Short ones stay together; code and paragraphs need room. */
	#item(item: PageElement): string {
		const blocks = this.#blocks(item);
		return blocks
			.reduce((text, block) => text + (/^\s*(?:[-*>]|\d+\.) /.test(block) ? "\n" : "\n\n") + block, "")
			.trim();
	}

	#definitions(list: PageElement): string {
		const parts: string[] = [];
		for (const child of this.#visible(list)) {
			const bare = textOfNode(child);
			if (bare !== undefined) parts.push(paragraph(collapsed(bare)));
			if (!isPageElement(child)) continue;
			const mark = this.#anchors.markOf(placeName(child));
			if (child.name === "dt")
				parts.push(
					`- ${mark}${this.#blocks(child)
						.join(" ")
						.replace(/\s*\n\s*/g, " ")}`,
				);
			else if (child.name === "dd") parts.push(prefixed(mark + this.#blocks(child).join("\n\n"), "  ", "  "));
			else parts.push(mark + this.#block(child).join("\n\n"));
		}
		return parts.filter((part) => !isBlank(part.replace(/^- /, ""))).join("\n");
	}

	#table(table: PageElement): string[] {
		const { rows: all, strays } = tableParts(table);
		const rows = all.map((cells) => cells.filter((cell) => !this.#isLeftOut(cell)));
		const caption = table.children.filter(isPageElement).find(({ name }) => name === "caption");
		const before = [
			...(caption ? this.#blocks(caption) : []),
			...this.#blocks({ ...table, children: strays } as PageElement),
		];
		const [first] = rows;
		const code = rows.length === 1 && first ? codeCell(first) : undefined;
		if (code) return [...before, ...this.#blocks(code)];
		if (isLayout(table, rows)) {
			return [
				...before,
				...rows.flat().flatMap((cell) => [this.#anchors.markOf(placeName(cell)), ...this.#block(cell)]),
			];
		}
		const textOf = (cell: PageElement) => this.#anchors.markOf(placeName(cell)) + this.#blocks(cell).join(" ");
		return [...before, tableLines(rows, textOf)];
	}

	/** Words with their inline elements, on one line or with the page's line breaks. */
	#inline(element: PageElement): string {
		if (this.#depth >= DEEPEST) return collapsed(rawText(element, isMachinery));
		this.#depth++;
		try {
			return this.#anchors.markOf(placeName(element)) + this.#inlineOf(element);
		} finally {
			this.#depth--;
		}
	}

	#inlineOf(element: PageElement): string {
		const { name, attribs } = element;
		const words = () => this.#inlines(element);
		if (name === "br") return "\n";
		if (name === "img") return image(attribs);
		if (name === "a") return link(words(), attribs.href);
		if (name === "code" || name === "tt" || name === "kbd" || name === "samp")
			return codeSpan(collapsed(rawText(element, isMachinery)));
		if (name === "b" || name === "strong") return around(words(), "**");
		if (name === "i" || name === "em") return around(words(), "*");
		if (name === "sup") return raised(words());
		if (name === "math") return formula(element);
		if (name === "input") return checkbox(attribs);
		if (name === "iframe" || name === "video" || name === "audio") {
			return link(attribs.title || attribs.name || name, attribs.src || undefined) + words();
		}
		if (name === "button" && COPY_BUTTON.test(rawText(element))) return "";
		return words();
	}

	#inlines(parent: PageElement): string {
		let text = "";
		for (const child of this.#visible(parent)) {
			const own = textOfNode(child);
			if (own !== undefined) text += collapsed(own);
			else if (isPageElement(child)) {
				text += BLOCKS.has(child.name)
					? ` ${this.#anchors.markOf(placeName(child))}${this.#oneLine(child)} `
					: this.#inline(child);
			}
		}
		return text;
	}

	#oneLine(element: PageElement): string {
		const line =
			element.name === "table" || element.name === "pre"
				? collapsed(rawText(element, isMachinery))
				: this.#inlines(element);
		return line
			.replace(/\s*\n\s*/g, " ")
			.replaceAll("**", "")
			.trim();
	}

	/** Includes inline elements that contain blocks, such as links around whole cards. */
	#isBlock(element: PageElement): boolean {
		return BLOCKS.has(element.name) || (element.name !== "button" && this.#holdsBlocks(element, 0));
	}

	#holdsBlocks(element: PageElement, depth: number): boolean {
		if (depth > 6) return false;
		return element.children.some(
			(child) => isPageElement(child) && (BLOCKS.has(child.name) || this.#holdsBlocks(child, depth + 1)),
		);
	}

	*#visible(parent: PageParent): Generator<PageElement["children"][number]> {
		for (const child of parent.children) if (!isPageElement(child) || !this.#isLeftOut(child)) yield child;
	}

	#isLeftOut(element: PageElement): boolean {
		if (isMachinery(element) || this.#leaveOut(element)) return true;
		if (!isHiddenElement(element)) return false;
		this.#hiddenWords += countWords(rawText(element, isMachinery));
		return true;
	}
}

const placeName = ({ name, attribs }: PageElement): string | undefined =>
	attribs.id ?? (name === "a" ? attribs.name : undefined);

const collapsed = (text: string): string => withoutMarks(text).replace(/[ \t\r\n\f]+/g, " ");

/** One space between words, none at the ends of lines. */
const paragraph = (text: string): string =>
	text
		.replace(/ {2,}/g, " ")
		.replace(/ *\n */g, "\n")
		.replace(/\n{3,}/g, "\n\n")
		.trim();

const prefixed = (text: string, first: string, others: string): string =>
	text
		.split("\n")
		.map((line, place) => (place === 0 ? first : line === "" && others.trim() === "" ? "" : others) + line)
		.join("\n");

/** Emphasis marks touch the words, wherever the page has its spaces. */
function around(text: string, mark: string): string {
	const [, before = "", words = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
	return isBlank(words) || words.includes(mark) || words.includes("\n")
		? text
		: `${before}${mark}${words}${mark}${after}`;
}

function codeSpan(code: string): string {
	const text = code.trim();
	if (text === "") return "";
	const ticks = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
	const room = text.startsWith("`") || text.endsWith("`") ? " " : "";
	const [before, after] = [code.startsWith(" ") ? " " : "", code.endsWith(" ") ? " " : ""];
	return `${before}${ticks}${room}${text}${room}${ticks}${after}`;
}

function link(words: string, href: string | undefined): string {
	if (href === undefined || isBlank(words)) return words;
	const [, before = "", text = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(words.replace(/\s*\n\s*/g, " ")) ?? [];
	return `${before}[${text}](${href
		.replace(/[\s<>()]/g, encodeURIComponent)
		.replaceAll("(", "%28")
		.replaceAll(")", "%29")})${after}`;
}

/** Pictures without an alternative text are left out. */
function image({ alt = "", src = "", title = "" }: Readonly<Record<string, string>>): string {
	const words = collapsed(alt || title).trim();
	if (src === "") return words === "" ? "" : `(image: ${words})`;
	return words === ""
		? ""
		: `![${words}](${src.replace(/[\s()]/g, (sign) => encodeURIComponent(sign).replace("(", "%28").replace(")", "%29"))})`;
}

function raised(words: string): string {
	const text = words.trim();
	return isBlank(text) ? words : /^[[(*†‡]/.test(text) ? words : `^${text}`;
}

/** In its original notation, if the page has it. */
function formula(math: PageElement): string {
	const source = math.attribs.alttext ?? annotationOf(math);
	return source === undefined ? collapsed(rawText(math)) : `$${source.trim()}$`;
}

function annotationOf(element: PageElement): string | undefined {
	for (const child of element.children.filter(isPageElement)) {
		if (child.name === "annotation" && /x-tex/.test(child.attribs.encoding ?? "")) return rawText(child);
		const inside = annotationOf(child);
		if (inside !== undefined) return inside;
	}
	return undefined;
}

const checkbox = ({ type, checked }: Readonly<Record<string, string>>): string =>
	type?.toLowerCase() === "checkbox" ? (checked === undefined ? "[ ] " : "[x] ") : "";
