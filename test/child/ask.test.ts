import { describe, expect, test } from "vitest";
import { Asking, type EndedQuestion, readAskCall } from "../../src/child/ask.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { newRunId } from "../../src/run/ids.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import fc from "../helpers/fast-check.ts";

const SECRET = "s3cret-value-of-a-key";
const { redact } = createRedactor({ secrets: [SECRET], homeDir: "/home/ada" });
const runId = newRunId();

describe("a question as it is put to the user", () => {
	test("has no controls, nothing that cannot be seen, and no secret, also not one that was hidden", () => {
		const hidden = SECRET.replace("value", "va\u200blue");
		expect(
			readAskCall(
				{ question: `  \x1b[31mUse\x1b[0m ${hidden}\u202e\r\n\n\n\nor not?\n`, options: [" y\x07es ", "no\n"] },
				redact,
			),
		).toEqual({ question: expect.not.stringContaining("s3cret"), options: ["yes", "no"] });
		expect(readAskCall({ question: "a\n\n\n\nb" }, redact)).toEqual({ question: "a\n\nb" });
	});

	test.each([
		["a megabyte", { question: "x".repeat(2 ** 20) }, /1,048,576 characters, of at most 2,000/],
		["too many lines", { question: "x\n".repeat(40) }, /more than 30 lines/],
		["nothing", { question: " \u200b\n" }, /is empty/],
		[
			"too many options",
			{ question: "Which?", options: Array.from({ length: 21 }, String) },
			/21 options, of at most 20/,
		],
		["a long option", { question: "Which?", options: ["x".repeat(201)] }, /more than 200 characters/],
		["an empty option", { question: "Which?", options: ["a", "\u200b "] }, /An option is empty/],
	])("of %s is refused with what to do", (_what, call, problem) => {
		const read = readAskCall(call, redact);
		expect("problem" in read && read.problem).toMatch(problem);
		expect("problem" in read && read.problem).toContain("Nothing was asked.");
	});

	test("is short and legible, whatever a model writes", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: "binary", maxLength: 300 }),
				fc.array(fc.string({ unit: "binary" })),
				(question, options) => {
					const read = readAskCall({ question, options }, redact);
					if ("problem" in read) return;
					for (const text of [read.question, ...(read.options ?? [])]) {
						expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
						expect(text.trim()).toBe(text);
					}
				},
			),
		);
	});
});

/** The tool of a child whose questions end like this, and a session that holds these results. */
function asking(ends: EndedQuestion[]) {
	const asked: ChildQuestion[] = [];
	const taken: number[] = [];
	const entries: unknown[] = [];
	const it = new Asking({
		runId,
		redact,
		over: new AbortController().signal,
		questions: {
			ask: async (question) => {
				asked.push(question);
				return ends.shift() ?? expect.fail("asked too often");
			},
			untaken: () =>
				({ seq: 7, runId, question: asItIs<ChildQuestion>({ question: "Which?", options: ["a"] }) }) as never,
			taken: (seq) => void taken.push(seq),
		},
	});
	const transcript = { getBranch: () => entries, getSessionFile: () => undefined } as never;
	const call = async (question: string, options?: string[]) => {
		const result = await it.tool.execute(
			"id",
			{ question, ...(options && { options }) },
			undefined,
			undefined,
			{} as never,
		);
		return { ...result, texts: result.content.map((part) => (part.type === "text" ? part.text : "")) };
	};
	const hold = (details: unknown) =>
		entries.push({ type: "message", message: { role: "toolResult", toolName: "subagent_ask", details } });
	return { it, asked, taken, transcript, call, hold };
}

describe("what the child gets", () => {
	test("is the answer as it was given; an option as the child itself wrote it", async () => {
		const { call } = asking([
			{ answered: true, answer: "this", seq: 1 },
			{ answered: true, answer: "b", option: 1, seq: 2 },
		]);
		expect((await call("Which?")).texts).toEqual(['{"answered":true,"answer":"this"}']);
		expect((await call("Which?", ["a", "\x1b[1mb"])).texts).toEqual([
			JSON.stringify({ answered: true, answer: "\x1b[1mb" }),
		]);
	});

	test("is that there is none, why, and what to do", async () => {
		const { call } = asking((["user", "nobody", "time"] as const).map((declined) => ({ answered: false, declined })));
		for (const why of [/The user did not answer/, /No user is here/, /No user was there/]) {
			const { texts } = await call("Which?");
			expect(texts).toEqual(['{"answered":false}', expect.stringMatching(why)]);
			expect(texts[1]).toContain("Continue without the answer");
			expect(texts[1]).toContain("subagent_finalize with status ERROR");
		}
	});

	test("names the question that was answered, if that is an earlier one", async () => {
		const earlier = asItIs<ChildQuestion>({ question: "Whether?" });
		const { call } = asking([{ answered: true, answer: "yes", option: 0, seq: 1, earlier }]);
		expect((await call("Which?", ["a"])).texts).toEqual([
			'{"answered":true,"answer":"yes"}',
			expect.stringContaining('before you were interrupted: "Whether?"'),
		]);
	});

	test("several questions of one message are asked one after the other", async () => {
		const { call, asked } = asking([
			{ answered: true, answer: "1", seq: 1 },
			{ answered: true, answer: "2", seq: 2 },
		]);
		const both = [call("One?"), call("Two?")];
		expect(asked).toHaveLength(0);
		await Promise.all(both);
		expect(asked.map(({ question }) => question)).toEqual(["One?", "Two?"]);
	});
});

test("how it ended counts as taken once the session holds it, for this run", async () => {
	const { it, call, hold, taken, transcript } = asking([{ answered: true, answer: "x", seq: 4 }]);
	const { details } = await call("Which?");
	it.observe(transcript);
	hold({ ...(details as object), runId: "00000000" });
	it.observe(transcript);
	expect(taken).toEqual([]);
	hold(details);
	it.observe(transcript);
	it.observe(transcript);
	expect(taken).toEqual([4]);
});

test("the next attempt is told to ask the same, unless its session holds the end", () => {
	const { it, hold, taken, transcript } = asking([]);
	expect(it.recall(transcript)).toContain('exactly these arguments: {"question":"Which?","options":["a"]}');
	hold({ answered: true, answer: "x", runId, seq: 7 });
	expect(it.recall(transcript)).toBe("");
	expect(taken).toEqual([7]);
});
