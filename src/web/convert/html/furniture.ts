import { isOneOf, isPageElement, type PageElement } from "./tree.ts";

/** Elements that are never part of a page's text. */
const MACHINERY = new Set(
	"head script style template noscript noframes svg canvas select datalist textarea object embed applet area frame".split(
		" ",
	),
);

/** Links to other pages. The only classes are those of documentation generators, which have no other meaning. */
const NAVIGATION = new Set(
	"nav role=navigation role=search role=menubar .navheader .navfooter .sphinxsidebar .related .wy-nav-side .breadcrumb .breadcrumbs .skip-link".split(
		" ",
	),
);

/** Elements around a page's own text, unless they belong to a part of it. */
const SURROUNDINGS = new Set(
	"header footer aside role=banner role=contentinfo role=complementary role=dialog".split(" "),
);

/** Elements that may have their own header, footer or aside. */
const PARTS = new Set("main role=main article role=article section blockquote figure td".split(" "));

export const isMachinery = (element: PageElement): boolean => MACHINERY.has(element.name);

export const isNavigation = (element: PageElement): boolean => isOneOf(element, NAVIGATION);

export const isSurroundings = (element: PageElement): boolean =>
	isOneOf(element, SURROUNDINGS) && !isWithinPart(element);

/** Hidden from every reader: a popular place for instructions to a model. The panels of tabs are only one click away. */
export function isHiddenElement({ attribs }: PageElement): boolean {
	if (attribs.role === "tabpanel" || /\btab/i.test(attribs.class ?? "")) return false;
	if (attribs.hidden !== undefined && attribs.hidden !== "until-found") return true;
	return /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$))/i.test(
		attribs.style ?? "",
	);
}

function isWithinPart(element: PageElement): boolean {
	for (let { parent } = element; parent && isPageElement(parent as PageElement); { parent } = parent as PageElement) {
		if (isOneOf(parent as PageElement, PARTS)) return true;
	}
	return false;
}
