import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../helpers/repository.ts";

/** Words and turns of phrase that read like a translation, each with what to write. */
const NOT_TO_COME_BACK: readonly (readonly [RegExp, string])[] = [
	[/\bmend(s|ed|ing)?\b/i, "fix"],
	[/\banew\b/i, "again"],
	[/\bwhoever\b/i, "name the subject"],
	// As code it is a value in the ledger.
	[/(?<!`)\bnobody\b/i, "name the subject"],
	[/\bat work\b/i, "running"],
	[/\bhas ended\b|\bhave ended\b/i, "has finished"],
	[/\bhand(s|ed)? over\b/i, "return"],
	[/\bput aside\b/i, "archive"],
	[/\bgo(es)? on with\b/i, "continue"],
	[/(?<!\bthere )\bis no (?!longer\b|more\b)\w+/i, "is not a"],
	[/, 1 before it\b|\bnext in line\b/i, "queued"],
];

const pages = globSync(
	["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/tasks/*.md", "examples/*/README.md"],
	{
		cwd: repositoryRoot,
		// The first names the words not to use, and the second quotes titles of tests.
		exclude: ["docs/glossary.md", "docs/lessons.md"],
	},
);

test.for(pages)("%s is plain English", (page) => {
	const lines = readFileSync(join(repositoryRoot, page), "utf8").split("\n");
	const found = lines.flatMap((line, index) =>
		NOT_TO_COME_BACK.flatMap(([pattern, better]) => {
			const [said] = pattern.exec(line) ?? [];
			return said === undefined ? [] : [`line ${index + 1}: "${said}", better: ${better}`];
		}),
	);
	expect(found).toEqual([]);
});
