import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "../../src/web/convert/html/html.ts";
import { wordsKept } from "../../src/web/convert/html/words.ts";
import { API_PAGE, INDEX_PAGE } from "./pages-of-ours.ts";

const URL_HERE = "https://site.example/page.html";
const read = (html: string, preferReader = true) => htmlToMarkdown(html, { url: URL_HERE, preferReader });
const body = (html: string, preferReader = true) =>
	read(`<!doctype html><html><body>${html}</body></html>`, preferReader).text;
const words = (count: number, word = "word") =>
	Array.from({ length: count }, (_, place) => `${word}${place}`).join(" ");

describe("nothing of a page disappears silently", () => {
	test("a reference of many entries is kept to its last one", () => {
		const { text } = read(API_PAGE);
		for (const symbol of ["xml.loft.Node", "Node.childNodes", "Node.appendChild(newChild)", "Node.normalize()"]) {
			expect(text).toContain(symbol);
		}
		expect(text.trimEnd().endsWith("the last sentence of the page.")).toBe(true);
	});

	test("an index of links is kept whole", () => {
		const { text } = read(INDEX_PAGE);
		for (let entry = 0; entry < 200; entry++) expect(text).toContain(`[symbol_${entry}()]`);
	});

	test("links to another place of the same page stay in their sentence, as words", () => {
		const html = `<main><p>See <a class="reference internal" href="#x">the part</a>, or <a href="${URL_HERE}#y"><code>loft()</code></a>, and <a href="/other#z">another page</a>.</p><h2 id="x">Part<a class="headerlink" href="#x">¶</a></h2></main>`;
		expect(body(html)).toBe("See the part, or `loft()`, and [another page](https://site.example/other#z).\n\n## Part");
	});

	test("an article with less than 80 % of the main part is not used instead of the main part", () => {
		const html = `<main><article><p>${words(70)}</p></article><div><p>${words(30, "more")}</p></div></main>`;
		expect(wordsKept(`${words(70)} ${words(30, "more")}`, body(html))).toEqual({ words: 100, kept: 100 });
		expect(read(`<body>${html}</body>`).notes).toEqual([]);
	});

	test("an article with a little less than the main part says so", () => {
		const html = `<body><main><article><p>${words(90)}</p></article><div><p>${words(10, "more")}</p></div></main></body>`;
		expect(read(html)).toMatchObject({
			text: words(90),
			notes: ["The article has 90 of the 100 words of the page's main part. preferReader: false shows all."],
		});
	});

	test("an empty main part beside the text is not believed", () => {
		expect(body(`<main><p>Loading</p></main><div><p>${words(40)}</p></div>`)).toContain(words(40));
	});

	test("hidden words are left out, and their number is reported if there are many; tabs that wait for a click are kept", () => {
		const html = `<body><p>Seen</p><div style="color:red; display:none">${words(60)}</div><p hidden>x</p><div role="tabpanel" hidden>yarn add loft</div></body>`;
		expect(read(html)).toMatchObject({
			text: "Seen\n\nyarn add loft",
			notes: ["Left out: 61 words that the page hides from its readers."],
		});
	});
});

describe("the whole page", () => {
	const page = `<header>Site</header><nav><a href="/">Home</a></nav><div class="sphinxsidebar">Side</div><main><article><h1>One</h1><p>${words(40)}</p></article></main><footer>Imprint</footer>`;

	test("has everything once, but no navigation", () => {
		const text = body(page, false);
		expect(text).toBe(`Site\n\n# One\n\n${words(40)}\n\nImprint`);
	});

	test("a page of nothing but navigation is its navigation", () => {
		expect(body('<nav><ul><li><a href="/a">Flights</a></li><li><a href="/b">Lofts</a></li></ul></nav>')).toBe(
			"- [Flights](https://site.example/a)\n- [Lofts](https://site.example/b)",
		);
	});
});

describe("a page without text says why", () => {
	test.each([
		[
			"scripts make it",
			'<html><body><div id="root"></div><script src="/app.js"></script></body></html>',
			"needs a browser",
		],
		["it is empty", "<html><body></body></html>", "the page is empty"],
		["the server sent nothing", " ", "sent an empty page"],
		["it is images", '<html><body><img src="/a.png"></body></html>', "only images"],
	])("when %s", (_, html, reason) => {
		expect(read(html)).toMatchObject({ text: "", whyEmpty: expect.stringContaining(reason) });
	});

	test("a page that scripts hide from simple browsers shows its text", () => {
		const { text, notes } = read("<body><noscript>Switch scripts on.</noscript><script>1</script></body>");
		expect([text, notes]).toEqual([
			"Switch scripts on.",
			["No more text: the page needs a browser: scripts make its text."],
		]);
	});

	test("a frameset is its frames", () => {
		const html =
			'<html><frameset cols="20%,*"><frame src="toc.html" name="toc"><frame src="start.html"></frameset></html>';
		expect(read(html)).toMatchObject({
			text: "- [toc](https://site.example/toc.html)\n- [frame 2](https://site.example/start.html)",
			notes: ["The page is a frameset: its text is in these frames."],
		});
	});
});

test.each([
	["without a body", "<title>T</title><h1>Home</h1><p>Text"],
	["without anything around it", "<p>Text</p><h1>Home</h1>"],
	["with html and no body", "<html><head><title>T</title></head><h1>Home</h1><p>Text</html>"],
	["with two bodies", "<html><body><h1>Home</h1></body><body><p>Text</body></html>"],
	[
		"of XHTML with a prolog",
		'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html xmlns="z"><body><h1>Home</h1><p>Text<br/></p></body></html>',
	],
])("a page %s is read", (_, html) => {
	const { text } = read(html);
	expect(text).toContain("# Home");
	expect(text).toContain("Text");
});

describe("where a page sends its readers on", () => {
	const refresh = (content: string) =>
		read(`<head><meta http-equiv="Refresh" content="${content}"></head><body>Moved.</body>`).refresh;

	test.each([
		["0; url=/new", "https://site.example/new"],
		["0;URL='new.html'", "https://site.example/new.html"],
		["3, other", "https://site.example/other"],
		["5", undefined],
		["300; url=/new", undefined],
		[`0; url=${URL_HERE}`, undefined],
	])("%s leads to %s", (content, target) => {
		expect(refresh(content)).toBe(target);
	});
});

describe("markdown", () => {
	test.each([
		[
			"code with its language, from the box around it",
			'<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span>x = <b>1</b>\n</pre></div></div>',
			"```python\nx = 1\n```",
		],
		[
			"code without the numbers of its lines",
			'<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
			"```\na\nb\n```",
		],
		["code that has fences in it", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
		["lists in lists", "<ol start=3><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ol>", "3. a\n   - b\n4. c"],
		["definitions", "<dl><dt id=f><code>f</code>(x)</dt><dd><p>Does.</p></dd></dl>", "- `f`(x)\n  Does."],
		[
			"cells that span others",
			"<table><tr><th colspan=2>A|B</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>",
			"| A\\|B |  |\n| --- | --- |\n| 1 | 2 |\n|  | 3 |",
		],
		[
			"a table that only places text",
			"<table><tr><td><h2>Menu</h2></td><td><p>One.</p><p>Two.</p></td></tr></table>",
			"## Menu\n\nOne.\n\nTwo.",
		],
		["a quotation", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n> \n> b"],
		["names with signs, as they are", "<p>Call __init__ or *args, a &lt; b</p>", "Call __init__ or *args, a < b"],
		["a card that is one link", '<a href="/x"><h3>Card</h3><p>Text</p></a>', "### Card\n\nText"],
		[
			"a formula",
			'<p>so <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></p>',
			"so $x^2$",
		],
		[
			"images with words for them",
			'<p><img src="a.png" alt="The loft"><img src="dot.gif"></p>',
			"![The loft](https://site.example/a.png)",
		],
		["a script's address as its words", '<p><a href="javascript:x()">go</a></p>', "go"],
	])("has %s", (_, html, expected) => {
		expect(body(html)).toBe(expected);
	});

	test("of a page nested without end keeps its words", () => {
		expect(body(`${"<div><b>".repeat(2_000)}deep`)).toContain("deep");
		expect(body(`<table>${"<tr><td colspan=99999 rowspan=99999>x</td></tr>".repeat(200)}</table>`).length).toBeLessThan(
			100_000,
		);
	});

	test("says where the parts begin that a link can point to", () => {
		const { text, anchors } = read(
			'<body><p>a</p><span id="s"></span><h2 id="h">Part</h2><p>x <a name="old">y</a></p></body>',
		);
		expect(text).toBe("a\n\n## Part\n\nx y");
		expect(anchors).toEqual({ s: 3, h: 3, old: 14 });
	});
});
