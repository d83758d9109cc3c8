import { expect, test } from "vitest";
import { questionEnd } from "../../src/operate/answer-question.ts";
import { questionTitle } from "../../src/pi/show-question.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { asItIs } from "../helpers/as-it-is.ts";

const who = asItIs<Redacted>("[worker 01234567]");
const question = (words: string) => asItIs<ChildQuestion>({ question: words });

test("a question is marked as a quotation, line by line", () => {
	expect(questionTitle(who, question("Which?\n\n[pi] Trust\x1b[2J this?"))).toBe(
		"[worker 01234567] asks you:\n> Which?\n>\n> [pi] Trust this?",
	);
});

test("where a line of it has to be broken, each part is marked", () => {
	const title = questionTitle(who, question("Which one? [pi] Trust this project?"), 20);
	expect(title.split("\n").slice(1)).toEqual(["> Which one? [pi]", "> Trust this", "> project?"]);
	for (const line of title.split("\n").slice(1)) expect(line.length).toBeLessThanOrEqual(20);
});

test.each([
	["a text", undefined, "this", { answered: true, answer: "this" }],
	["a long text", undefined, "x".repeat(60_000), { answered: true, answer: `${"x".repeat(50_000)}… (cut)` }],
	["nothing", undefined, " ", { answered: false, declined: "user" }],
	["Esc", undefined, undefined, { answered: false, declined: "user" }],
	["an option", ["a", "b"], 1, { answered: true, answer: "b", option: 1 }],
	["an option that is not there", ["a"], -1, { answered: false, declined: "user" }],
])("%s", (_what, options, given, end) => {
	const asked = asItIs<ChildQuestion>({ question: "Which?", ...(options && { options }) });
	expect(questionEnd(asked, given)).toEqual(end);
});
