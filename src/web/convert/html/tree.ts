import { parseDocument } from "htmlparser2";

export type PageTree = ReturnType<typeof parseDocument>;
export type PageNode = PageTree["children"][number];
export type PageElement = Extract<PageNode, { name: string; attribs: Record<string, string> }>;
export type PageParent = PageTree | PageElement;

/** A page as a tree of plain objects. The parser accepts everything, and knows only the entities of HTML. */
export const parsePage = (html: string): PageTree => parseDocument(html);

export const isPageElement = (node: PageNode): node is PageElement => "attribs" in node;

export const textOfNode = (node: PageNode): string | undefined => (node.type === "text" ? node.data : undefined);

/** Whether the element has one of these names, roles, or classes: "nav", "role=navigation", ".sidebar". */
export function isOneOf(element: PageElement, marks: ReadonlySet<string>): boolean {
	if (marks.has(element.name)) return true;
	const { role, class: classes } = element.attribs;
	if (role !== undefined && marks.has(`role=${role.toLowerCase()}`)) return true;
	return classes?.split(/\s+/).some((name) => marks.has(`.${name}`)) ?? false;
}

/** All elements inside, in the order of the page. Does not recurse, because a page may be nested without end. */
export function* elementsIn(parent: PageParent): Generator<PageElement> {
	const open: PageNode[] = parent.children.toReversed();
	for (let node = open.pop(); node; node = open.pop()) {
		if (!isPageElement(node)) continue;
		yield node;
		for (let child = node.children.length - 1; child >= 0; child--) open.push(node.children[child] as PageNode);
	}
}

/** The text inside, as it is written. */
export function rawText(parent: PageParent, leaveOut: (element: PageElement) => boolean = () => false): string {
	let text = "";
	const open: PageNode[] = parent.children.toReversed();
	for (let node = open.pop(); node; node = open.pop()) {
		text += textOfNode(node) ?? "";
		if (!isPageElement(node) || leaveOut(node)) continue;
		if (node.name === "br") text += "\n";
		for (let child = node.children.length - 1; child >= 0; child--) open.push(node.children[child] as PageNode);
	}
	return text;
}
