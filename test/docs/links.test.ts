import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../helpers/repository.ts";

const pages = globSync(["*.md", "docs/**/*.md", "examples/*/*.md"], { cwd: repositoryRoot });
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

const textOf = (page: string): string => readFileSync(join(repositoryRoot, page), "utf8");
const withoutCode = (text: string): string =>
	text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "code");

/** As GitHub makes them: lower case, blanks as hyphens, without other signs. */
function anchorsOf(page: string): Set<string> {
	const headings = textOf(page)
		.replaceAll(/^```[\s\S]*?^```$/gm, "")
		.matchAll(/^#+ (.*)$/gm);
	return new Set(
		[...headings].map(([, heading = ""]) =>
			heading
				.toLowerCase()
				.replaceAll(/[^\p{L}\p{N} _-]/gu, "")
				.replaceAll(" ", "-"),
		),
	);
}

function brokenLinks(page: string): string[] {
	return [...withoutCode(textOf(page)).matchAll(LINK)].flatMap(([, link = ""]) => {
		if (/^https?:/.test(link)) return [];
		const [path = "", anchor] = link.split("#");
		const target = path === "" ? page : relative(repositoryRoot, join(repositoryRoot, dirname(page), path));
		if (!existsSync(join(repositoryRoot, target))) return [`${link}: there is no ${target}`];
		if (anchor === undefined || anchorsOf(target).has(anchor)) return [];
		return [`${link}: ${target} has no such heading`];
	});
}

describe("links", () => {
	test.for(pages)("all links of %s lead somewhere", (page) => {
		expect(brokenLinks(page)).toEqual([]);
	});

	test("the index of the documents has every page", () => {
		const index = textOf("docs/README.md");
		const missing = globSync("docs/{*,tasks/*}.md", { cwd: repositoryRoot })
			.map((page) => relative("docs", page))
			.filter((page) => page !== "README.md" && !index.includes(`(${page})`));
		expect(missing).toEqual([]);
	});
});

describe("the README", () => {
	const readme = textOf("README.md");

	test("has at most 120 lines", () => {
		expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
	});

	test("does without words that only we use", () => {
		expect(readme.match(/\b(ledgers?|hosts?|lanes?|fence[ds]?|leases?)\b/gi)).toBeNull();
	});
});
