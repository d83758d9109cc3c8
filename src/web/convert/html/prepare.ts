import { elementsIn, isPageElement, type PageElement, type PageTree, rawText } from "./tree.ts";

/** The text of a link to the heading around it. */
const PERMALINK = /^[\s¶#§🔗⚓∞]*$/u;
const FETCHABLE = /^(https?|mailto|ftp):$/;

/**
 * Makes every address complete, and removes links to another place of the same page: their words stay in the sentence, the
 * signs beside headings go.
 */
export function prepareLinks(page: PageTree, url: string): void {
	const base = baseOf(page, url);
	for (const element of elementsIn(page)) {
		const { attribs } = element;
		if (element.name === "a" && attribs.href !== undefined) prepareLink(element, base, url);
		if (attribs.src !== undefined) attribs.src = addressOf(attribs.src, base) ?? "";
	}
}

function prepareLink(link: PageElement, base: string, url: string): void {
	const href = (link.attribs.href ?? "").trim();
	const target = addressOf(href, base);
	const isHere = href.startsWith("#") || (target?.includes("#") && withoutHash(target) === withoutHash(url));
	if (target !== undefined && !isHere) {
		link.attribs.href = target;
		return;
	}
	delete link.attribs.href;
	const hasImage = link.children.some((child) => isPageElement(child) && child.name === "img");
	if (isHere && !hasImage && PERMALINK.test(rawText(link))) link.children = [];
}

function baseOf(page: PageTree, url: string): string {
	for (const { name, attribs } of elementsIn(page)) {
		if (name === "body") break;
		if (name === "base" && attribs.href) return URL.parse(attribs.href, url)?.href ?? url;
	}
	return url;
}

/** For a page on disk, the name of a file beside it stays as it is. */
function addressOf(text: string, base: string): string | undefined {
	const address = URL.parse(text.trim(), base);
	if (address) return FETCHABLE.test(address.protocol) ? address.href : undefined;
	return /^[a-z][a-z0-9+.-]*:/i.test(text.trim()) ? undefined : text.trim();
}

const withoutHash = (address: string): string => address.replace(/#.*$/s, "");
