import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Workspace } from "../../src/lsp/workspace.ts";
import { isAlive, useLab } from "./lab.ts";

const openLab = useLab();
const TS = { "tsconfig.json": "{}", "a.ts": "export const a = 1;\n" };

describe("files", () => {
	test.each([
		["/etc/hostname", "is outside the workspace"],
		["../outside.ts", "There is no file"],
		["link.ts", "is outside the workspace"],
		["folder", "is not a file"],
		["large.ts", "is over 2 MiB"],
		["missing.ts", "There is no file missing.ts"],
	])("that may not be looked at are refused: %s", async (file, message) => {
		const lab = openLab({ files: { ...TS, "folder/x.ts": "", "large.ts": "/".repeat(2 * 1024 * 1024 + 1) } });
		symlinkSync("/etc/hostname", join(lab.folder, "link.ts"));
		await expect(lab.lsp({ action: "hover", file, line: 1 })).rejects.toThrow(message);
		await expect(lab.lsp({ action: "diagnostics", files: [file] })).rejects.toThrow(message);
		expect(lab.pids()).toEqual([]);
	});

	test("that are hidden are neither examined nor listed", async () => {
		const files = { ...TS, "keys/b.ts": "export const b: string = 1;\n", "keys/c.ts": "export const mention = 1;\n" };
		const lab = openLab({ files });
		const workspace = new Workspace(lab.folder, [join(lab.folder, "keys")]);
		for (const file of ["keys/b.ts", "link.ts"]) {
			if (file === "link.ts") symlinkSync("keys/b.ts", join(lab.folder, file));
			await expect(lab.lsp({ action: "symbols", file }, { workspace })).rejects.toThrow("is hidden from subagents");
		}
		const { text } = await lab.lsp({ action: "workspace-diagnostics" }, { workspace });
		expect(text).toContain("1 file");
		expect(text).not.toContain("keys");
		const mentions = lab.lsp({ action: "references", query: "mention" }, { workspace });
		await expect(mentions).rejects.toThrow(/^(?!.*keys)/s);
	});

	test("of the repository around the working directory are in the workspace, and shown from there", async () => {
		const lab = openLab({ files: { ...TS, "pkg/b.ts": 'import { a } from "../a";\na;\n' }, cwd: "pkg" });
		mkdirSync(join(lab.folder, ".git"));
		const { text } = await lab.lsp({ action: "definition", file: "b.ts", line: 2, query: "a" });
		expect(text).toBe("../a.ts:1:14  export const a = 1;");
	});

	test("outside that a server points at are named, not shown", async () => {
		const lab = openLab({ files: { ...TS, "b.ts": "[].map;\n" } });
		const { text } = await lab.lsp({ action: "definition", file: "b.ts", line: 1, query: "map" });
		expect(text).toMatch(/lib\.es5\.d\.ts:\d+:\d+$/);
	});
});

test("wrong positions and questions are told", async () => {
	const lab = openLab({ files: TS });
	const ask = (request: object) => lab.lsp({ action: "hover", file: "a.ts", ...request });
	await expect(ask({ line: 9 })).rejects.toThrow("There is no line 9: the file has 2 lines.");
	await expect(ask({ line: 1, column: 99 })).rejects.toThrow("no column 99 in line 1, which has 19: export const a");
	await expect(ask({ line: 1, query: "b" })).rejects.toThrow("b is not in line 1: export const a = 1;");
	await expect(ask({ query: "b" })).rejects.toThrow("There is no b in this file.");
	await expect(ask({})).rejects.toThrow("needs a `line` (with `column`) or a `query`");
	await expect(lab.lsp({ action: "hover" })).rejects.toThrow("needs a `file`");
	await expect(lab.lsp({ action: "diagnostics" })).rejects.toThrow("`workspace-diagnostics` needs none");
	await expect(lab.lsp({ action: "servers", server: "nope" })).rejects.toThrow(
		"There is no server nope. Known: typescript,",
	);
	await expect(ask({ line: 1, server: "gopls" })).rejects.toThrow("gopls does not know .ts");
});

describe("programs", () => {
	const found = async (lab: ReturnType<typeof openLab>, trusted: boolean, path = "") => {
		const { details } = await lab.lsp({ action: "servers" }, { trusted, env: { PATH: path } });
		const { servers } = details as { servers: { name: string; command?: string }[] };
		return Object.fromEntries(servers.map(({ name, command }) => [name, command]));
	};

	test("of the project are run in a trusted one only, even if they are on the PATH", async () => {
		const lab = openLab({ files: TS });
		const bin = join(lab.folder, "node_modules", ".bin");
		for (const name of ["gopls", "typescript-language-server"]) {
			chmodSync(lab.write(`node_modules/.bin/${name}`, "#!/bin/sh\n"), 0o755);
		}
		expect((await found(lab, true)).gopls).toBe(join(bin, "gopls"));
		expect((await found(lab, false)).gopls).toBeUndefined();
		expect((await found(lab, false, bin)).gopls).toBeUndefined();
		expect((await found(lab, true))["typescript-language-server"]).toBe(`${bin}/typescript-language-server --stdio`);
		expect((await found(lab, false, "relative"))["typescript-language-server"]).toBeUndefined();
	});

	test("of the wrong kind are passed over: tsc before 7 speaks no LSP", async () => {
		const lab = openLab({ files: TS });
		const install = (version: string) => {
			lab.write("node_modules/typescript/package.json", JSON.stringify({ name: "typescript", version }));
			chmodSync(lab.write("node_modules/typescript/bin/tsc", "#!/bin/sh\n"), 0o755);
		};
		install("6.0.3");
		mkdirSync(join(lab.folder, "node_modules/.bin"));
		symlinkSync("../typescript/bin/tsc", join(lab.folder, "node_modules/.bin/tsc"));
		expect((await found(lab, true)).typescript).toBeUndefined();
		install("7.1.0");
		expect((await found(lab, true)).typescript).toContain("node_modules/.bin/tsc --lsp --stdio");
	});

	test("and tables of the user's come before ours", async () => {
		const lab = openLab({
			files: { ...TS, "x.foo": "" },
			servers: [
				{ name: "foo", command: ["/bin/cat"], extensions: [".foo"] },
				{ name: "pyright", disabled: true },
				{ name: "gopls", command: ["./gopls"] },
			],
		});
		const { foo, ...others } = await found(lab, true);
		expect(foo).toBe("/bin/cat");
		expect(others).not.toHaveProperty("pyright");
		expect(others.gopls).toBeUndefined();
	});
});

test("each project has its own server, and they end together", async () => {
	const lab = openLab({
		files: { "one/tsconfig.json": "{}", "one/a.ts": "a;", "two/package.json": "{}", "two/b.ts": "b;" },
	});
	const { text } = await lab.lsp({ action: "workspace-diagnostics", severity: "error" });
	expect(text).toContain("one/a.ts:1:1 error: Cannot find name 'a'.");
	expect(text).toContain("two/b.ts:1:1 error: Cannot find name 'b'.");
	expect(lab.pids().filter(isAlive)).toHaveLength(2);
});

test("of many projects, those with the name are searched, else the largest, and the answer says so", async () => {
	const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
	const files = Object.fromEntries(
		names.flatMap((name) => [
			[`${name}/tsconfig.json`, "{}"],
			[`${name}/x.ts`, `export const ${name} = 1;`],
		]),
	);
	const lab = openLab({ files: { ...files, "p7/y.ts": "export const here = 1;" } });
	const { text } = await lab.lsp({ action: "definition", query: "here" });
	expect(text).toBe("p7/y.ts:1:14  variable: export const here = 1;");
	expect((await lab.lsp({ action: "symbols", query: "her" })).text).toBe(
		"p7/y.ts:1:14  variable here\nNote: 2 projects not asked: p5, p6. Give a `file` of one.",
	);
	expect((await lab.lsp({ action: "workspace-diagnostics" })).text).toContain("Only 7 of 9 files were checked.");
});
