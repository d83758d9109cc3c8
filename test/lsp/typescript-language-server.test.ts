import { expect, test } from "vitest";
// @ts-expect-error: a plain script that runs before TypeScript is installed
import { tsserverPath } from "../../scripts/fetch-typescript.mjs";
import { useLab } from "./lab.ts";

const openLab = useLab();

test("typescript-language-server: where TypeScript 7 is not", async () => {
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
				initializationOptions: { tsserver: { path: tsserverPath(), useSyntaxServer: "never" } },
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
