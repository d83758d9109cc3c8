import { DomUtils, parseDocument } from "htmlparser2";

type Tree = ReturnType<typeof parseDocument>;
type Tag = Parameters<typeof DomUtils.getAttributeValue>[0];
type Node = Tree["children"][number];

const has = (name: string, value: string) => (tag: Tag) =>
	(DomUtils.getAttributeValue(tag, name) ?? "").split(/\s+/).includes(value);
const named = (name: string) => (tag: Tag) => DomUtils.getName(tag) === name;

/** Where a person finds the text of the pages of a package, and what in it is not text. Looked up by hand. */
const TRUTH: Readonly<Record<string, { main: (tag: Tag) => boolean; not?: ((tag: Tag) => boolean)[] }>> = {
	"asciidoctor-doc": { main: named("main") },
	"cppreference-doc-en-html": {
		main: has("id", "content"),
		not: [has("class", "t-navbar"), has("class", "editsection")],
	},
	"cython-doc": { main: has("role", "main") },
	"debian-policy": { main: has("role", "main") },
	"developers-reference": { main: has("role", "main") },
	"exim4-doc-html": { main: has("id", "content") },
	"git-doc": { main: named("body") },
	"libglib2.0-doc": { main: named("body"), not: [has("class", "navigation")] },
	"libxml2-doc": { main: named("body") },
	"maint-guide": { main: named("body") },
	"mkdocs-doc": { main: has("role", "main") },
	"python-flask-doc": { main: has("role", "main") },
	"python-jinja2-doc": { main: has("role", "main") },
	"python-requests-doc": { main: has("role", "main") },
	"sbcl-doc": { main: named("body"), not: [has("class", "header")] },
};

/** Ways to other pages, and windows that open over them. */
const AROUND = [has("class", "navheader"), has("class", "navfooter"), has("role", "navigation"), has("role", "dialog")];
const NOT_WORDS = new Set([
	"script",
	"style",
	"noscript",
	"template",
	"svg",
	"select",
	"textarea",
	"nav",
	"button",
	"head",
	"footer",
]);
const WITHIN_WORDS = new Set(
	"a abbr acronym b bdi big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt u var wbr".split(
		" ",
	),
);

/** The words of a page's main part and its headings, found without anything of what is tested. */
export function truthOf(html: string, source: string): { text: string; headings: string[] } {
	const { main, not = [] } = TRUTH[source] ?? { main: named("body") };
	const page = parseDocument(html);
	const [part = page] = DomUtils.findAll(main, page.children);
	const isText = (tag: Tag) =>
		!NOT_WORDS.has(DomUtils.getName(tag)) &&
		!has("class", "headerlink")(tag) &&
		!/display:\s*none/.test(DomUtils.getAttributeValue(tag, "style") ?? "") &&
		![...AROUND, ...not].some((is) => is(tag));
	const textIn = (node: Node | Tree): string => {
		if (node.type === "text") return (node as unknown as { data: string }).data;
		if (node.type !== "root" && !DomUtils.isTag(node)) return "";
		if (DomUtils.isTag(node) && !isText(node)) return "";
		const inside = DomUtils.getChildren(node)
			.map((child) => textIn(child as Node))
			.join("");
		return DomUtils.isTag(node) && WITHIN_WORDS.has(DomUtils.getName(node)) ? inside : ` ${inside} `;
	};
	const headings = DomUtils.findAll((tag) => /^h[1-6]$/.test(DomUtils.getName(tag)), part.children)
		.filter(
			(tag) =>
				!DomUtils.existsOne(
					(inner) => inner === tag,
					DomUtils.findAll((outer) => !isText(outer), part.children),
				),
		)
		.map((tag) => textIn(tag));
	return { text: textIn(part as Node), headings };
}
