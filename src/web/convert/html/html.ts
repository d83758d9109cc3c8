import type { Converted } from "../converted.ts";
import { fallbackText, framesOf, whyEmpty } from "./empty-page.ts";
import { isNavigation, isSurroundings } from "./furniture.ts";
import { articleIn, bodyOf, declaredMain } from "./main-part.ts";
import { type WrittenPage, writeMarkdown } from "./markdown.ts";
import { prepareLinks } from "./prepare.ts";
import { refreshTarget } from "./refresh.ts";
import { elementsIn, type PageElement, type PageTree, parsePage, rawText } from "./tree.ts";
import { countWords, wordsKept } from "./words.ts";

/** An article with less of the page's main part than this is the wrong one. */
const ENOUGH = 0.8;
/** A main part with less of the body's words than this is not where the text is. */
const ENOUGH_OF_BODY = 0.5;
/** Tell the reader if less than this is left. */
const NEARLY_ALL = 0.98;
/** A page with this few words, and with links to others, is an index: its links are its text. */
const FEW_WORDS = 30;
/** Fewer hidden words than this are labels for screen readers. */
const MANY_HIDDEN = 50;

/** A page as markdown: its main part, or all of it except navigation. Notes say what was left out. */
export function htmlToMarkdown(html: string, { url, preferReader }: { url: string; preferReader: boolean }): Converted {
	const page = parsePage(html);
	prepareLinks(page, url);
	const { text, anchors, notes } = withNotes(preferReader ? mainText(page) : wholePageText(page));
	const title = titleOfPage(page);
	const refresh = refreshTarget(page, url);
	return {
		...(text === "" ? emptyPage(page, html) : { text, anchors, notes }),
		...(title !== "" && { title }),
		...(refresh !== undefined && { refresh }),
	};
}

type Chosen = WrittenPage & { note?: string };

/**
 * The main part, as the page declares it, or the body without the elements around it. If that has a single article, only the
 * article, unless too much is lost. Nothing is guessed: see docs/decisions/041.
 */
function mainText(page: PageTree): Chosen {
	const body = writeUnlessEmpty(bodyOf(page), (element) => isNavigation(element) || isSurroundings(element));
	const declared = declaredMain(page);
	const named = declared && writeUnlessEmpty(declared, isNavigation);
	// Some pages have an empty main part beside their text.
	const isMain = named && countWords(named.text) >= countWords(body.text) * ENOUGH_OF_BODY;
	const main = isMain ? named : body;
	const article = articleIn(isMain && declared ? declared : bodyOf(page));
	if (!article) return main;
	const part = writeMarkdown(article, isNavigation);
	const { words, kept } = wordsKept(main.text, part.text);
	if (kept < words * ENOUGH) return main;
	if (kept >= words * NEARLY_ALL) return part;
	return {
		...part,
		note: `The article has ${kept} of the ${words} words of the page's main part. preferReader: false shows all.`,
	};
}

const wholePageText = (page: PageTree): Chosen => writeUnlessEmpty(bodyOf(page), isNavigation);

/** Without navigation, unless nothing else is left. */
function writeUnlessEmpty(
	part: Parameters<typeof writeMarkdown>[0],
	leaveOut: (element: PageElement) => boolean,
): WrittenPage {
	const written = writeMarkdown(part, leaveOut);
	if (countWords(written.text) >= FEW_WORDS) return written;
	const all = writeMarkdown(part, () => false);
	return countWords(all.text) > countWords(written.text) * 2 ? all : written;
}

function withNotes({ text, anchors, note, hiddenWords }: Chosen) {
	const notes = [
		...(note === undefined ? [] : [note]),
		...(hiddenWords < MANY_HIDDEN ? [] : [`Left out: ${hiddenWords} words that the page hides from its readers.`]),
	];
	return { text, anchors, notes };
}

function emptyPage(page: PageTree, html: string): Pick<Converted, "text" | "notes" | "whyEmpty"> {
	const frames = framesOf(page);
	const said = fallbackText(page);
	if (frames.length > 0) {
		const text = [...frames, said].filter((part) => part !== "").join("\n");
		return { text, notes: ["The page is a frameset: its text is in these frames."] };
	}
	const reason = whyEmpty(page, html);
	return said === "" ? { text: "", whyEmpty: reason } : { text: said, notes: [`No more text: ${reason}.`] };
}

function titleOfPage(page: PageTree): string {
	for (const element of elementsIn(page)) {
		if (element.name === "body" || element.name === "svg") return "";
		if (element.name === "title") return rawText(element).replace(/\s+/g, " ").trim();
	}
	return "";
}
