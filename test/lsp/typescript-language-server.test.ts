import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../helpers/repository.ts";
import { useLab } from "./lab.ts";

const openLab = useLab();

/** It needs a TypeScript before 7, installed here under another name. */
const tsserver = join(repositoryRoot, "node_modules", "typescript-6", "lib", "tsserver.js");

test.skipIf(!existsSync(tsserver))("typescript-language-server: where TypeScript 7 is not", async () => {
	const lab = openLab({
		files: {
			"tsconfig.json": "{}",
			"a.ts": "export function greet(name: string) { return name; }\n",
			"b.ts": 'import { greet } from "./a";\n\tconst 名 = "😀"; const n: number = greet(名);\r\n',
		},
		servers: [
			{ name: "typescript", disabled: true },
			{
				name: "typescript-language-server",
				initializationOptions: { tsserver: { path: tsserver, useSyntaxServer: "never" } },
			},
		],
	});
	const ask = async (request: Parameters<typeof lab.lsp>[0]) => (await lab.lsp(request, { trusted: true })).text;
	const place = { file: "b.ts", line: 2, query: "greet" } as const;
	expect(await ask({ action: "definition", ...place })).toBe(
		"a.ts:1:17  export function greet(name: string) { return name; }",
	);
	expect(await ask({ action: "hover", query: "greet" })).toContain("function greet(name: string): string");
	expect(await ask({ action: "signature", ...place })).toContain("greet(name: string): string");
	expect((await ask({ action: "references", file: "a.ts", query: "greet" })).match(/^\S+/gm)).toEqual([
		...["a.ts:1:17", "b.ts:1:10", "b.ts:2:36"],
	]);
	expect(await ask({ action: "diagnostics", file: "b.ts" })).toContain("b.ts:2:24 error: Type 'string'");
	expect(await ask({ action: "rename", ...place, newName: "hi" })).toContain("const n: number = hi(名);");
});
