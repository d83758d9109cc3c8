import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "./helpers/repository.ts";

/** `docs/lessons.md` names the tests that hold what it promises. A test that is renamed or removed must not leave it behind. */
const page = readFileSync(join(repositoryRoot, "docs", "lessons.md"), "utf8");
const rows = page
	.split("\n")
	.filter((line) => line.startsWith("|") && !/^\|(-|\s*what users report)/.test(line))
	.map((line) => {
		const [, report = "", , tests = ""] = line.split("|").map((cell) => cell.trim());
		return { report, tests };
	});

/** A file, and the title of a test or a group of tests in it. */
const NAMED = /`(test\/[\w/.-]+\.test\.ts)`: "([^"]+)"/g;

test("every row that is not tested says why", () => {
	expect(rows.length).toBeGreaterThanOrEqual(25);
	for (const { report, tests } of rows) expect(tests, report).toMatch(/^(`test\/|Not tested: )/);
	expect(rows.filter(({ tests }) => tests.startsWith("Not tested"))).toHaveLength(2);
});

describe("the tests that are named exist", () => {
	const named = rows.flatMap(({ tests }) =>
		[...tests.matchAll(NAMED)].map(([, file = "", title = ""]) => ({ file, title })),
	);

	test.for(named)("$file: $title", ({ file, title }) => {
		const path = join(repositoryRoot, file);
		expect(existsSync(path), `${file} does not exist`).toBe(true);
		const source = readFileSync(path, "utf8");
		const asTitle = ['"', "'", "`"].some((quote) => source.includes(`${quote}${title}${quote}`));
		expect(asTitle, `${file} has no test with this title`).toBe(true);
	});

	test("and nothing else stands beside them", () => {
		for (const { report, tests } of rows.filter(({ tests }) => tests.startsWith("`"))) {
			expect(tests.replaceAll(NAMED, "").replaceAll("<br>", ""), report).toBe("");
		}
	});
});
