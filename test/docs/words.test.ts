import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "../helpers/repository.ts";

/** Words and turns of phrase that read like a translation, each with what to write. */
const NOT_TO_COME_BACK: readonly (readonly [RegExp, string])[] = [
	[/\bmend(s|ed|ing)?\b/i, "fix"],
	[/\banew\b/i, "again"],
	[/\bwhoever\b/i, "name the subject"],
	// As code it is a value in the ledger.
	[/(?<![`"])\bnobody\b(?!")/i, "name the subject"],
	[/\bat work\b/i, "running"],
	[/\bhas ended\b|\bhave ended\b/i, "has finished"],
	[/\bhand(s|ed)? over\b/i, "return"],
	[/\bput aside\b/i, "archive"],
	[/\bgo(es)? on with\b/i, "continue"],
	[/(?<!\bthere )\bis no (?!longer\b|more\b|one\b)\w+/i, "is not a"],
	[/, 1 before it\b|\bnext in line\b/i, "queued"],
	[/\bcan(not)? be had\b|\bto be had\b/i, "is available"],
	[/\b(tak(es?|en)|took) (it |them |the message )?in\b(?! (an?|the|this|its|one|order|another)\b)/i, "receive"],
	[/\b(tak(es?|en)|took) (its |the )?changes over\b/i, "apply"],
	[/\btakes? (it|them) out again\b/i, "revert"],
	[/\bof (now|late)\b/i, "current"],
	[/\bby now\b/i, "already"],
	[/\bin silence\b/i, "silently"],
	[/\bone too many\b|\bin the wrong way\b/i, "unexpected argument, usage error"],
	[/, also (if|while|when|after|in) /i, "even"],
	[/\b(any|every|some)body\b/i, "name the subject"],
	[/\bfor ever\b/i, "forever"],
	[/\b(go(es)?|went) on\b(?! to\b)/i, "continue"],
	// A variable that was renamed with the words of a message.
	[/\b([Tt]he|is) (?!outputSchema\b|agentId\b|sessionKey\b)[a-z]+[A-Z]\w+/, "words, not the name of a variable"],
];

const complaints = (text: string): string[] =>
	NOT_TO_COME_BACK.flatMap(([pattern, better]) => {
		const [said] = pattern.exec(text) ?? [];
		return said === undefined ? [] : [`"${said}" in "${text.trim().slice(0, 100)}", better: ${better}`];
	});

const textOf = (file: string): string => readFileSync(join(repositoryRoot, file), "utf8");

describe("documents are plain English", () => {
	const pages = globSync(
		[
			"README.md",
			"CONTRIBUTING.md",
			"SECURITY.md",
			"AGENTS.md",
			"docs/*.md",
			"docs/tasks/*.md",
			"examples/*/README.md",
		],
		{
			cwd: repositoryRoot,
			// The first names the words not to use, and the second quotes titles of tests.
			exclude: ["docs/glossary.md", "docs/lessons.md"],
		},
	);

	test.for(pages)("%s", (page) => {
		expect(textOf(page).split("\n").flatMap(complaints)).toEqual([]);
	});
});

/** What a program says: its texts of several words, without its comments. */
const textsIn = (source: string): string[] =>
	[
		...source
			.replaceAll(/\/\*[\s\S]*?\*\//g, "")
			.replaceAll(/(^|\s)\/\/.*$/gm, "$1")
			.matchAll(/"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g),
	].map(([text]) => text.slice(1, -1));

test("messages, help and screens are plain English", () => {
	const found = globSync("src/**/*.ts", { cwd: repositoryRoot, exclude: ["src/collect/redact/**"] }).flatMap((file) =>
		textsIn(textOf(file))
			.flatMap(complaints)
			.map((complaint) => `${file}: ${complaint}`),
	);
	expect(found).toEqual([]);
});

/** Of the list above, what has no other meaning in a comment. */
const NOT_IN_COMMENTS =
	/\b(anew|for ever|mend(s|ed|ing)?|at work|whoever|hand(s|ed)? over|go(es)? on with|can(not)? be had)\b/i;

test("comments are plain English", () => {
	const found = globSync("src/**/*.{ts,tsx}", { cwd: repositoryRoot }).flatMap((file) =>
		[...textOf(file).matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].flatMap(([comment]) => {
			const [said] = NOT_IN_COMMENTS.exec(comment.replaceAll(/\s*\n\s*(\*|\/\/)?\s*/g, " ")) ?? [];
			return said === undefined ? [] : [`${file}: "${said}" in "${comment.slice(0, 100)}"`];
		}),
	);
	expect(found).toEqual([]);
});

test("names of tests are plain English", () => {
	const TITLE = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^"\n]*\))?\(\s*"((?:[^"\\\n]|\\.)*)"/g;
	const found = globSync("test/**/*.test.ts", { cwd: repositoryRoot }).flatMap((file) =>
		[...textOf(file).matchAll(TITLE)].flatMap(([, title = ""]) => complaints(title)).map((one) => `${file}: ${one}`),
	);
	expect(found).toEqual([]);
});
