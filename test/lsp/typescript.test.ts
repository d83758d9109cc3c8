import { readFileSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Lab, useLab } from "./lab.ts";

const openLab = useLab();

const FILES = {
	"tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [] } }',
	"src/greet.ts": [
		"/** Says hello. */",
		"export function greet(name: string, loud = false): string {",
		'\treturn loud ? name.toUpperCase() : "hello " + name;',
		"}",
		"export class Greeter {",
		"\tgreet(): string { return greet('x'); }",
		"}",
		"",
	].join("\n"),
	// Tabs before, emoji of two UTF-16 units in the line, and Windows line ends.
	"src/app.ts": [
		'import { greet, Greeter } from "./greet.ts";',
		'\t\tconst 名 = "😀👍"; const said = greet("😀"); const n: number = greet("b", true);',
		"export { said, n, 名, Greeter };",
		"",
	].join("\r\n"),
};

const typescript = (): Lab => openLab({ files: FILES });
const APP_LINE = FILES["src/app.ts"].split("\r\n")[1] ?? "";
const columnOf = (text: string) => APP_LINE.indexOf(text) + 1;

describe("TypeScript 7", () => {
	test("definition: from a position after tabs and emoji, in a file with CRLF", async () => {
		const { text, details } = await typescript().lsp({
			...({ action: "definition", file: "src/app.ts", line: 2 } as const),
			column: columnOf('greet("b"') + 2,
		});
		expect(text).toBe("src/greet.ts:2:17  export function greet(name: string, loud = false): string {");
		expect(details).toMatchObject({
			locations: [{ path: "src/greet.ts", line: 2, column: 17, endLine: 2, endColumn: 22 }],
			total: 1,
			server: "typescript",
		});
	});

	test("references: all of them, in order, right behind the emoji", async () => {
		const { text } = await typescript().lsp({ action: "references", file: "src/greet.ts", query: "greet" });
		const line = APP_LINE.trim();
		expect(text.split("\n")).toEqual([
			'src/app.ts:1:10  import { greet, Greeter } from "./greet.ts";',
			`src/app.ts:2:${columnOf('greet("😀")')}  ${line}`,
			`src/app.ts:2:${columnOf('greet("b"')}  ${line}`,
			"src/greet.ts:2:17  export function greet(name: string, loud = false): string {",
			"src/greet.ts:6:27  greet(): string { return greet('x'); }",
		]);
	});

	test("hover and signature, by position and by name", async () => {
		const lab = typescript();
		const hover = await lab.lsp({ action: "hover", file: "src/app.ts", line: 2, query: "said" });
		expect(hover.text).toContain("const said: string");
		expect((await lab.lsp({ action: "hover", query: "Greeter" })).text).toContain("class Greeter");
		const inCall = await lab.lsp({ action: "signature", file: "src/app.ts", line: 2, column: columnOf('"b", true') });
		expect(inCall.text).toContain("greet(name: string, loud?: boolean): string");
		const onName = await lab.lsp({ action: "signature", file: "src/app.ts", line: 2, column: columnOf('greet("b"') });
		expect(onName.text).toBe(inCall.text);
		const declared = await lab.lsp({ action: "signature", file: "src/greet.ts", query: "greet" });
		expect(declared.text).toContain("greet(name: string");
	});

	test("symbols: of a file, and of the workspace", async () => {
		const lab = typescript();
		const file = await lab.lsp({ action: "symbols", file: "src/greet.ts" });
		expect(file.text.split("\n")).toEqual([
			"src/greet.ts",
			"2:17 function greet",
			"5:14 class Greeter",
			"  6:2 method greet",
		]);
		const workspace = await lab.lsp({ action: "symbols", query: "Greeter" });
		expect(workspace.text).toContain("src/greet.ts:5:14  class Greeter");
	});

	test("a name that several symbols have is asked back, one of a container is not", async () => {
		const lab = typescript();
		expect((await lab.lsp({ action: "definition", query: "greet" })).text.split("\n")).toHaveLength(2);
		await expect(lab.lsp({ action: "hover", query: "greet" })).rejects.toThrow(/2 symbols are called greet.*\nsrc/s);
		const method = await lab.lsp({ action: "references", file: "src/greet.ts", query: "Greeter.greet" });
		expect(method.text.split("\n")).toEqual([
			"src/greet.ts:6:2  greet(): string { return greet('x'); }",
			"Note: src/app.ts has errors and greet in it: references there may be missing.",
		]);
		await expect(lab.lsp({ action: "hover", query: "nowhere" })).rejects.toThrow(
			"No symbol in the workspace is called",
		);
	});

	test("diagnostics: of files, of the workspace, by severity", async () => {
		const lab = typescript();
		const one = await lab.lsp({ action: "diagnostics", file: "src/app.ts" });
		const expected = `src/app.ts:2:${columnOf("n: number")} error: Type 'string' is not assignable to type 'number'. [ts 2322]`;
		expect(one.text).toContain(expected);
		expect(one.details).toMatchObject({ checked: 1, diagnostics: [expect.anything(), expect.anything()] });
		const two = await lab.lsp({ action: "diagnostics", files: ["src/app.ts", "src/greet.ts"], severity: "error" });
		expect(two.text).toMatch(/^2 errors in 2 files\.\n/);
		const all = await lab.lsp({ action: "workspace-diagnostics", severity: "error" });
		expect(all.text).toContain(expected);
		expect(all.details).toMatchObject({ checked: 2, files: 2 });
	});

	test("what changes on disk is seen: in open files, in others, new ones, deleted ones", async () => {
		const lab = typescript();
		const problems = async () => (await lab.lsp({ action: "diagnostics", file: "src/use.ts", severity: "error" })).text;
		await lab.lsp({ action: "symbols", file: "src/greet.ts" });
		lab.write("src/use.ts", 'import { value } from "./value";\nexport const n: number = value;\n');
		expect(await problems()).toContain("Cannot find module './value'");
		const value = lab.write("src/value.ts", "export const value = 1;\n");
		expect(await problems()).toBe("No problems in 1 file.");
		lab.write("src/value.ts", 'export const value = "now a text";\n');
		expect(await problems()).toContain("src/use.ts:2:14 error: Type 'string'");
		lab.write("src/use.ts", 'import { value } from "./value";\nexport const n: string = value;\n');
		expect(await problems()).toBe("No problems in 1 file.");
		rmSync(value);
		expect(await problems()).toContain("Cannot find module './value'");
	});

	test("many problems are cut, and the answer says so", async () => {
		const lab = openLab({ files: { "tsconfig.json": "{}", "many.ts": "missing;\n".repeat(250) } });
		const { text, details } = await lab.lsp({ action: "diagnostics", file: "many.ts" });
		expect(text).toMatch(/^250 errors in 1 file\.\n.*\n… the first 200 of 250\.$/s);
		expect(details).toMatchObject({ total: 250 });
	});

	test("rename and code actions are a diff, applied where allowed, all or nothing", async () => {
		const lab = typescript();
		const rename = { action: "rename", file: "src/greet.ts", query: "greet", newName: "salute" } as const;
		const shown = await lab.lsp(rename);
		expect(shown.text).toMatch(/NOT applied.*lsp\.allowMutatingActions/);
		expect(shown.text).toContain("-export function greet(name: string, loud = false): string {");
		expect(shown.text).toContain("+export function salute(name: string, loud = false): string {");
		expect(shown.details).toMatchObject({
			applied: false,
			files: expect.arrayContaining(["src/app.ts", "src/greet.ts"]),
		});
		expect(readFileSync(`${lab.folder}/src/greet.ts`, "utf8")).toBe(FILES["src/greet.ts"]);

		const applied = await lab.lsp(rename, { mayWrite: true });
		expect(applied.details).toMatchObject({ applied: true });
		const app = readFileSync(`${lab.folder}/src/app.ts`, "utf8");
		expect(app).toBe(FILES["src/app.ts"].replaceAll("greet(", "salute(").replace("{ greet,", "{ salute,"));

		lab.write("src/fix.ts", 'export const x = salute("y");\n');
		const place = { action: "codeAction", file: "src/fix.ts", line: 1 } as const;
		const offered = await lab.lsp(place);
		expect(offered.text).toContain('- Add import from "./greet" (quickfix)');
		await expect(lab.lsp({ ...place, query: "Add nothing" })).rejects.toThrow("No code action matches Add nothing");
		const fixed = await lab.lsp({ ...place, query: 'Add import from "./greet"' }, { mayWrite: true });
		expect(fixed.text).toContain('+import { salute } from "./greet";');
		expect(readFileSync(`${lab.folder}/src/fix.ts`, "utf8")).toContain('import { salute } from "./greet";');
	});
});
