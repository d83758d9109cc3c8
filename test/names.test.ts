import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./helpers/repository.ts";

const SRC = join(repositoryRoot, "src");
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;

/** Node's own `require` and `String.raw`, which mean the same wherever they are made. */
const SHARED = new Set(["require", "raw"]);

const FILES = globSync("**/*.{ts,tsx}", { cwd: SRC }).map((file) => file.split(sep).join("/"));
const inBrowser = (file: string): boolean => file.startsWith("page/browser/");
/** All that the page in the browser is made of. It is a program of its own, in the words of the web. */
const ofPage = (file: string): boolean => inBrowser(file) || file.startsWith("run/") || file.startsWith("page/api/");

function namedTwice(files: readonly string[]): { names: number; several: string[] } {
	const declared = files.flatMap((file) => {
		const names = [...readFileSync(join(SRC, file), "utf8").matchAll(DECLARED)].map(([, name = ""]) => name);
		return [...new Set(names)].map((name) => ({ name, file }));
	});
	const several = [...Map.groupBy(declared, ({ name }) => name)]
		.filter(([name, places]) => places.length > 1 && !SHARED.has(name))
		.map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
	return { names: declared.length, several };
}

test("a name at the top level of a file has one meaning throughout src/", () => {
	const { names, several } = namedTwice(FILES.filter((file) => !inBrowser(file)));
	expect(names).toBeGreaterThan(2000);
	expect(several).toEqual([]);
});

test("and one meaning throughout the page in the browser", () => {
	const { names, several } = namedTwice(FILES.filter(ofPage));
	expect(names).toBeGreaterThan(400);
	expect(several).toEqual([]);
});
