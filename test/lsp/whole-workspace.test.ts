import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Lab, useLab } from "./lab.ts";

/** "No references" is read as "nobody needs it": the whole repository is asked, or the answer says which part was not. */

const openLab = useLab();

const TSCONFIG = JSON.stringify({
	compilerOptions: { strict: true, module: "esnext", moduleResolution: "bundler", types: [] },
	include: ["src"],
});
const ORDER = [
	"export function priceOf(items: number[]): number {",
	"\treturn items.length;",
	"}",
	"export function unused(): void {}",
	"",
].join("\n");
const MONOREPO = {
	"package.json": '{ "private": true, "workspaces": ["packages/*"] }',
	// Of another language than the projects, and nearer to the root.
	"eslint.config.js": "export default [];\n",
	"packages/core/package.json": '{ "name": "@acme/core", "types": "src/order.ts" }',
	"packages/core/tsconfig.json": TSCONFIG,
	"packages/core/src/order.ts": ORDER,
	"packages/shop/package.json": '{ "name": "@acme/shop" }',
	"packages/shop/tsconfig.json": TSCONFIG,
	"packages/shop/src/checkout.ts": 'import { priceOf } from "@acme/core";\nexport const sum = priceOf([1]);\n',
};

function monorepo(more: Readonly<Record<string, string>> = {}): Lab {
	const lab = openLab({ files: { ...MONOREPO, ...more } });
	mkdirSync(join(lab.folder, ".git"));
	mkdirSync(join(lab.folder, "node_modules", "@acme"), { recursive: true });
	symlinkSync("../../packages/core", join(lab.folder, "node_modules", "@acme", "core"));
	return lab;
}

const placesIn = (text: string) => text.match(/^\S+:\d+:\d+/gm) ?? [];
const ALL = [
	...["packages/core/src/order.ts:1:17", "packages/shop/src/checkout.ts:1:10"],
	"packages/shop/src/checkout.ts:2:20",
];

describe("in a monorepo", () => {
	test("references are those of all projects, each once", async () => {
		const lab = monorepo();
		const { text } = await lab.lsp({ action: "references", file: "packages/core/src/order.ts", query: "priceOf" });
		expect(placesIn(text)).toEqual(ALL);
		expect(text).not.toContain("Note:");
		// From the other end, and from a folder of it.
		const place = { file: "packages/shop/src/checkout.ts", line: 2, query: "priceOf" };
		expect(placesIn((await lab.lsp({ action: "references", ...place })).text)).toEqual(ALL);
	});

	test("a name that two servers know at one place is one symbol", async () => {
		const { text } = await monorepo().lsp({ action: "references", query: "priceOf" });
		expect(placesIn(text)).toEqual(ALL);
	});

	test("a search is not decided by the configuration of a tool", async () => {
		const lab = monorepo({ "packages/core/.eslintrc.js": "", "packages/core/a.config.js": "export default {};\n" });
		const { text } = await lab.lsp({ action: "symbols", query: "priceOf" });
		expect(placesIn(text)).toEqual(["packages/core/src/order.ts:1:17"]);
	});

	test("only servers of projects that mention a name are asked for it", async () => {
		const lab = monorepo({ "packages/other/tsconfig.json": TSCONFIG, "packages/other/src/x.ts": "export {};\n" });
		await lab.lsp({ action: "definition", query: "unused" });
		expect(lab.pool.running().map(({ launch }) => launch.root)).toEqual([join(lab.folder, "packages/core")]);
	});
});

describe("the answer names", () => {
	test("files in languages without a server, and then claims nothing", async () => {
		const lab = monorepo({
			"native/lib.rs": "pub fn price_in_rust() {}\n",
			"app/Main.java": "class Main { int priceInJava() { return 0; } }\n",
		});
		expect((await lab.lsp({ action: "definition", query: "priceInJava" })).text).toBe(
			"No symbol called priceInJava was found.\n" +
				"Note: 1 .java file with priceInJava not examined: app/Main.java. No language server is known for .java.",
		);
		await expect(lab.lsp({ action: "hover", query: "price_in_rust" })).rejects.toThrow(
			/^No symbol called price_in_rust was found\..*\nNote: 1 \.rs file .*native\/lib\.rs\. rust-analyzer runs build scripts/,
		);
		expect((await lab.lsp({ action: "definition", query: "nowhere" })).text).toBe(
			"No symbol in the workspace is called nowhere.",
		);
	});

	test("files with errors, where references may be missing", async () => {
		const lab = monorepo({ "packages/shop/src/gone.ts": 'import { priceOf } from "@acme/gone";\npriceOf([2]);\n' });
		const { text } = await lab.lsp({ action: "references", file: "packages/core/src/order.ts", query: "priceOf" });
		expect(placesIn(text)).toEqual(ALL);
		expect(text).toContain(
			"\nNote: packages/shop/src/gone.ts has errors and priceOf in it: references there may be missing.",
		);
	});

	test("files that have the name, if there is nothing but the declaration", async () => {
		const lab = monorepo({ "packages/shop/src/own.ts": "export const unused = 1; // unused\n" });
		const { text } = await lab.lsp({ action: "references", file: "packages/core/src/order.ts", query: "unused" });
		expect(placesIn(text)).toEqual(["packages/core/src/order.ts:4:17"]);
		expect(text).toContain(
			"\nNote: unused also occurs in packages/shop/src/own.ts: not references to this symbol as far as is known.",
		);
	});

	test("other projects that a rename does not change", async () => {
		const rename = { action: "rename", file: "packages/core/src/order.ts", query: "priceOf", newName: "cost" } as const;
		const { text } = await monorepo().lsp(rename);
		expect(text).toContain("\nNote: priceOf also occurs in other projects, unchanged: packages/shop/src/checkout.ts.");
	});

	test("a project whose server fails, and asks the others", async () => {
		const lab = monorepo();
		const [typescript] = lab.session().servers.filter(({ name }) => name === "typescript");
		if (!typescript) throw new Error("There is no server for TypeScript.");
		// It gives up in the shop only.
		const script = 'case "$PWD" in *shop) exit 3;; esac; exec tsc --lsp --stdio';
		const { npmPackage: _, ...definition } = { ...typescript, command: ["/bin/sh", "-c", script] };
		const { text } = await lab.lsp(
			{ action: "references", file: "packages/core/src/order.ts", query: "priceOf" },
			{ servers: [definition], trusted: true },
		);
		expect(placesIn(text)).toEqual(ALL.slice(0, 1));
		expect(text).toContain("\nNote: packages/shop was not asked: typescript failed: it ended with exit code 3.");
	});

	test("clangd without compile commands, which is shown the files that matter", async () => {
		const lab = openLab({
			files: {
				"order.h": "int price_of(int count);\n",
				"order.c": '#include "order.h"\nint price_of(int count) { return count; }\n',
				"shop/shop.c": '#include "../order.h"\nint shop(void) { return price_of(2); }\n',
			},
		});
		const { text } = await lab.lsp({ action: "references", file: "order.c", query: "price_of" });
		expect(placesIn(text)).toEqual(["order.c:2:5", "shop/shop.c:2:25"]);
		expect(text).toContain("\nNote: there is no compile_commands.json in ., so clangd may not find everything.");
		// It takes a header for C++ then, where the function is another one.
		expect(text).toContain(
			"\nNote: price_of also occurs in order.h: not references to this symbol as far as is known.",
		);
	});
});
