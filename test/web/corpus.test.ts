import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
// @ts-expect-error: a plain script that runs before TypeScript is installed
import { hasApt, pagesPath } from "../../scripts/fetch-pages.mjs";
import { htmlToMarkdown } from "../../src/web/convert/html/html.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { API_PAGE, INDEX_PAGE } from "./pages-of-ours.ts";
import { truthOf } from "./truth.ts";

interface Read {
	page: string;
	kept: number;
	notes: readonly string[];
	/** Headings that are not in the text. */
	lost: string[];
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const letters = (text: string): string => words(text).join("");
const withoutTargets = (markdown: string): string => markdown.replace(/\]\([^)\s]*\)/g, "]");

function readPage(page: string, html: string, source: string): Read {
	const { text, notes = [] } = htmlToMarkdown(html, { url: "https://docs.example/page.html", preferReader: true });
	const truth = truthOf(html, source);
	const there = Map.groupBy(words(withoutTargets(text)), (word) => word);
	const wanted = Map.groupBy(words(truth.text), (word) => word);
	const [all, kept] = [...wanted].reduce(
		([sum, found], [word, { length }]) => [sum + length, found + Math.min(length, there.get(word)?.length ?? 0)],
		[0, 0],
	);
	const squeezed = letters(withoutTargets(text));
	const lost = truth.headings.filter((heading) => !squeezed.includes(letters(heading)));
	return { page, kept: all === 0 ? 1 : kept / all, notes, lost };
}

function figures(read: readonly Read[]) {
	const shares = read.map(({ kept }) => kept).toSorted((a, b) => a - b);
	return {
		median: shares[Math.floor(shares.length / 2)] ?? 0,
		/** Pages with less than nine words of ten, and no word about it. */
		silent: read
			.filter(({ kept, notes }) => kept < 0.9 && notes.length === 0)
			.map(({ page, kept }) => `${page} ${kept}`),
		lost: read.filter(({ lost }) => lost.length > 0).map(({ page, lost }) => `${page}: ${lost.join(" / ")}`),
	};
}

/** Only Debian and its kin have these packages. Everybody has the pages that we wrote, below. */
if (!hasApt()) console.warn("Without apt there are no real pages of documentation: their test is skipped.");
describe.skipIf(!hasApt())("real pages of documentation", () => {
	// The first time, apt may have to learn which packages there are.
	test("keep their words and their headings", { timeout: 300_000 }, async () => {
		await promisify(execFile)(process.execPath, [join(repositoryRoot, "scripts", "fetch-pages.mjs")]);
		const read = readdirSync(pagesPath()).flatMap((source) => {
			const folder = join(pagesPath(), source);
			const pages = readdirSync(folder).filter((file) => file.endsWith(".html"));
			return pages.map((file) => readPage(`${source}/${file}`, readFileSync(join(folder, file), "utf8"), source));
		});
		expect(read.length).toBeGreaterThanOrEqual(300);
		const { median, silent, lost } = figures(read);
		expect({ silent, lost }).toEqual({ silent: [], lost: [] });
		expect(median).toBeGreaterThanOrEqual(0.98);
	});
});

test("pages in the manner of generators keep their words and their headings", () => {
	const read = [API_PAGE, INDEX_PAGE].map((html, place) => readPage(String(place), html, "cython-doc"));
	expect(figures(read)).toEqual({ median: 1, silent: [], lost: [] });
});
