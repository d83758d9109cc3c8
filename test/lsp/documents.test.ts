import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Documents } from "../../src/lsp/server/documents.ts";
import type { PublishedDiagnostics } from "../../src/lsp/server/published-diagnostics.ts";

const SECRET = "marzipan";

let folder: string;
beforeEach(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "documents-")));
	for (const name of ["src", "keys"]) mkdirSync(join(folder, name));
	writeFileSync(join(folder, "src", "a.ts"), "export const a = 1;\n");
	writeFileSync(join(folder, "keys", "a.ts"), `export const a = "${SECRET}";\n`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each<[string, () => void]>([
	[
		"a link",
		() => {
			rmSync(join(folder, "src", "a.ts"));
			symlinkSync(join(folder, "keys", "a.ts"), join(folder, "src", "a.ts"));
		},
	],
	[
		"a file in a folder that has become a link",
		() => {
			renameSync(join(folder, "src"), join(folder, "before"));
			symlinkSync(join(folder, "keys"), join(folder, "src"));
		},
	],
])("a document that is replaced by %s", (_what, replace) => {
	const documents = () => {
		const told: string[] = [];
		const diagnostics = { expect: () => {}, forget: () => {} } as unknown as PublishedDiagnostics;
		const notify = (method: string, params: object) => told.push(`${method} ${JSON.stringify(params)}`);
		return { told, all: new Documents({ notify, languages: { ".ts": "typescript" }, diagnostics }) };
	};

	test("is closed, and the server does not get what it leads to", () => {
		const { told, all } = documents();
		all.open(join(folder, "src", "a.ts"));
		replace();
		all.refresh();
		expect(told.at(-1)).toMatch(/^textDocument\/didClose/);
		expect(told.join()).not.toContain(SECRET);
	});

	test("is not opened", () => {
		const { told, all } = documents();
		replace();
		expect(() => all.open(join(folder, "src", "a.ts"))).toThrow(/has become a link/);
		expect(told).toEqual([]);
	});
});
