import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "./helpers/repository.ts";

const SRC = join(repositoryRoot, "src");
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;

/** Node's own `require` and `String.raw`, which mean the same wherever they are made. */
const SHARED = new Set(["require", "raw"]);

test("a name at the top level of a file has one meaning throughout src/", () => {
	const files = globSync("**/*.ts", { cwd: SRC });
	const declared = files.flatMap((file) => {
		const names = [...readFileSync(join(SRC, file), "utf8").matchAll(DECLARED)].map(([, name = ""]) => name);
		return [...new Set(names)].map((name) => ({ name, file }));
	});
	expect(declared.length).toBeGreaterThan(2000);
	const several = [...Map.groupBy(declared, ({ name }) => name)]
		.filter(([name, places]) => places.length > 1 && !SHARED.has(name))
		.map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`);
	expect(several).toEqual([]);
});
