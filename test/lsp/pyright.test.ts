import { expect, test } from "vitest";
import { useLab } from "./lab.ts";

const openLab = useLab();

const FILES = {
	"pyproject.toml": "[project]\nname = 'x'\n",
	// A byte order mark, CRLF, and a tab.
	"shapes.py":
		'\uFEFFclass Shape:\r\n\tdef area(self, scale: int = 1) -> int:\r\n\t\t"""How large."""\r\n\t\treturn scale\r\n',
	"main.py": 'from shapes import Shape\n\nlabel = "🟦🟥"; total: str = Shape().area(2)\n',
};
const LINE = FILES["main.py"].split("\n")[2] ?? "";
const columnOf = (text: string) => LINE.indexOf(text) + 1;

test("pyright: every question, with right positions", async () => {
	const lab = openLab({ files: FILES });
	const place = { file: "main.py", line: 3, column: columnOf("area") } as const;

	const definition = await lab.lsp({ action: "definition", ...place });
	expect(definition.text).toBe("shapes.py:2:6  def area(self, scale: int = 1) -> int:");
	const references = await lab.lsp({ action: "references", file: "shapes.py", query: "Shape" });
	expect(references.text.split("\n").map((line) => line.split("  ")[0])).toEqual([
		...["main.py:1:20", `main.py:3:${columnOf("Shape()")}`, "shapes.py:1:7"],
	]);
	expect((await lab.lsp({ action: "hover", ...place })).text).toMatch(/area\(scale: int = 1\) -> int.*How large/s);
	expect((await lab.lsp({ action: "signature", ...place })).text).toContain("scale: int = 1");
	expect((await lab.lsp({ action: "symbols", file: "shapes.py" })).text).toMatch(
		/^1:7 class Shape\n {2}2:6 method area$/m,
	);
	expect((await lab.lsp({ action: "symbols", query: "Shape" })).text).toContain("shapes.py:1:7  class Shape");
	expect((await lab.lsp({ action: "definition", query: "Shape" })).text).toContain("shapes.py:1:7");

	const wrong = `main.py:3:${columnOf("Shape()")} error: Type "int" is not assignable to declared type "str"`;
	expect((await lab.lsp({ action: "diagnostics", file: "main.py" })).text).toContain(wrong);
	const all = await lab.lsp({ action: "workspace-diagnostics" });
	expect(all.text).toContain(wrong);
	expect(all.details).toMatchObject({ checked: 2, files: 2 });

	const rename = { action: "rename", file: "shapes.py", query: "area", newName: "surface" } as const;
	const renamed = await lab.lsp(rename, { mayWrite: true });
	expect(renamed.text).toContain("+\tdef surface(self");
	expect(renamed.text).toContain("Shape().surface(2)");
	expect((await lab.lsp({ action: "definition", ...place })).text).toContain("shapes.py:2:6  def surface(");
	expect((await lab.lsp({ action: "servers", server: "pyright" })).text).toMatch(/running in \.: pid \d+/);
	expect(lab.pids()).toHaveLength(1);
});
