import { elementsIn, isOneOf, type PageElement, type PageParent, type PageTree } from "./tree.ts";

const MAIN_PART = new Set(["main", "role=main"]);
const ARTICLE = new Set(["article", "role=article"]);

/** The page's own declaration of where its text is. */
export function declaredMain(page: PageTree): PageElement | undefined {
	for (const element of elementsIn(page)) if (isOneOf(element, MAIN_PART)) return element;
	return undefined;
}

/** The only article of a part. If there are several, the page is all of them. */
export function articleIn(part: PageParent): PageElement | undefined {
	const articles = [...elementsIn(part)].filter((element) => isOneOf(element, ARTICLE));
	return articles.length === 1 ? articles[0] : undefined;
}

/** Where the visible part of a page is. Many pages leave the tag out, some have two. */
export function bodyOf(page: PageTree): PageParent {
	const bodies = [...elementsIn(page)].filter(({ name }) => name === "body");
	return bodies.length === 1 && bodies[0] ? bodies[0] : page;
}
