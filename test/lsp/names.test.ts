import { expect, test } from "vitest";
import { codeOnly } from "../../src/lsp/code-only.ts";
import { isMeant, nameParts } from "../../src/lsp/symbol-names.ts";
import { fakeLab } from "./fake-lab.ts";
import { useLab } from "./lab.ts";

const openLab = useLab();

test.each([
	["greet", ["greet"]],
	["Greeter.greet", ["Greeter", "greet"]],
	["Greeter#greet", ["Greeter", "greet"]],
	["std::vector<int>::push_back(const int &)", ["std", "vector", "push_back"]],
	["ns::Basket::total(int, char)", ["ns", "Basket", "total"]],
	["(*Basket).Total", ["Basket", "Total"]],
	["(Basket).Total", ["Basket", "Total"]],
	["(*Stack[T]).Push", ["Stack", "Push"]],
	["impl Basket", ["Basket"]],
	["impl<T> Iterator for Stack<T>", ["Stack"]],
	["Vec::operator[]", ["Vec", "operator[]"]],
	["<function>", ["<function>"]],
])("the parts of %s are known", (name, parts) => {
	expect(nameParts(name)).toEqual(parts);
});

test.each([
	["Basket.new", { name: "new", within: ["impl Basket"] }, true],
	["Basket::new", { name: "new", within: ["impl Default for Basket"] }, true],
	["new", { name: "new", within: ["impl Basket"] }, true],
	["Shelf.new", { name: "new", within: ["impl Basket"] }, false],
	["core.PriceOf", { name: "PriceOf", within: ["acme.test/core"] }, true],
	["exports.run", { name: "exports.run", within: [] }, true],
	["un", { name: "run", within: [] }, false],
])("%s means %j: %s", (asked, symbol, meant) => {
	expect(isMeant(asked, symbol)).toBe(meant);
});

test("comments and strings are no code, wherever they end", () => {
	const c = ['a(); // b "', "/* c", "d */ e();", `f("g // h", '\\'i'); j();`];
	expect(codeOnly(c, "x.c").map((line) => line.trim().split(/\W+/).filter(Boolean))).toEqual([
		["a"],
		[],
		["e"],
		["f", "j"],
	]);
	const python = ['"""Doc', 'a"""', "b()  # c", "d('e')"];
	expect(codeOnly(python, "x.py").map((line) => line.trim())).toEqual(["", "", "b()", "d(   )"]);
	expect(codeOnly(["fn a<'b>(c: &'b str, d: char) { e('f') }"], "x.rs")[0]).toContain("c: &'b str, d");
});

const FILES = {
	"flat.fake": [
		"// price is what everybody calls.",
		"@traced('price')",
		"@cached",
		"def price(items): return sum(items)",
		"class Basket:",
		"    # total of price",
		"    def total(self): return price(self.items)",
		"",
	].join("\n"),
};

test.each([
	["price", "flat.fake:4:5"],
	["Basket.total", "flat.fake:7:9"],
	["total", "flat.fake:7:9"],
	// No symbol of the file: where it first stands in the code.
	["items", "flat.fake:4:11"],
])("a file and %s mean the name itself, not the decorator, keyword or comment before it", async (query, place) => {
	const { text } = await fakeLab(openLab, "flat", { files: FILES }).lsp({
		action: "definition",
		file: "flat.fake",
		query,
	});
	expect(text.split("  ")[0]).toBe(place);
});

test("a symbol of the workspace comes before one of the standard library, once", async () => {
	const lab = fakeLab(openLab, "library-first", { files: FILES });
	const { text } = await lab.lsp({ action: "definition", query: "price" });
	expect(text).toBe("flat.fake:4:5  function: def price(items): return sum(items)");
	expect((await lab.lsp({ action: "hover", query: "price" })).text).toBe('hover {"line":3,"character":4}');
	const matches = await lab.lsp({ action: "symbols", query: "price" });
	expect(matches.text.match(/\S+:\d+:\d+/g)).toEqual(["flat.fake:4:5", "/usr/lib/fake/price.fake:1:1"]);
});

test("a server that cannot search is named, and its declarations are found anyway", async () => {
	const lab = fakeLab(openLab, "flat", { files: FILES });
	const { text } = await lab.lsp({ action: "definition", query: "Basket.total" });
	expect(text).toMatch(/^flat\.fake:7:9 .*\nNote: fake cannot search a workspace by name/);
	await expect(lab.lsp({ action: "hover", query: "Shelf.total" })).rejects.toThrow(
		/^No symbol called Shelf\.total was found\. Give a `file`\.\nNote: fake cannot search/,
	);
});
