import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import { plain } from "../../src/collect/plain.ts";
import fc from "../helpers/fast-check.ts";
import { drawRow, theme, views } from "./row.ts";
import { rows } from "./rows.ts";

/** What a child may write to break a terminal or a layout. */
const nastyPieces = [
	"\x1b[31m",
	"\x1b[2J",
	"\x1b[10;10H",
	"\x1b]0;title\x07",
	"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
	"\x1b_Gf=100;AAAA\x1b\\",
	"\x1b_pi:c\x07",
	"\x1b]1337;File=:AAAA\x07",
	"\x1b[?25l",
	"\x9b31m",
	"\x1b",
	"\x07",
	"\b\b\b",
	"\0",
	"\r",
	"\r\n",
	"\n",
	"\n\n",
	"\t",
	"\v",
	"\u2028",
	"\u202e",
	"\u2066",
	"\u200b",
	"\u200d",
	"\ufe0f",
	"\u0300\u0301\u0302",
	"\ud800",
	"漢字かな",
	"한국어",
	"👩‍👩‍👧‍👦",
	"🇩🇪",
	"👍🏽",
	"ก็ำ",
	"ﷺ",
	"x".repeat(300),
	"漢".repeat(100),
	"https://example.org/".padEnd(200, "a"),
	"# Title\n",
	"- a\n    - b\n        - c\n",
	"1. x\n",
	"| a | b |\n|---|---|\n| 1 | 2 |\n",
	"```ts\nconst x = 1;\n```\n",
	"> > > deep\n",
	"**bold**",
	"[text](http://x)",
	"![](x.png)",
	"$\\frac{1}{2}$",
	"&#27;[31m",
	"<b>html</b>",
	"---\n",
	"word ",
	" ",
];
const nastyText = fc
	.array(fc.oneof(fc.constantFrom(...nastyPieces), fc.string({ unit: "binary", maxLength: 20 })), { maxLength: 30 })
	.map((pieces) => pieces.join(""));
const width = fc.oneof(
	fc.integer({ min: 1, max: 20 }),
	fc.constantFrom(40, 80, 120),
	fc.integer({ min: 20, max: 200 }),
);

const amount = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-1, 1e300, Number.NaN, Number.POSITIVE_INFINITY));
const usage = fc.record(
	{ input: amount, output: amount, cacheRead: amount, cacheWrite: amount, cost: amount, turns: amount },
	{ requiredKeys: [] },
);
const displayItems = fc.array(
	fc.oneof(
		fc.record({ type: fc.constant("text"), text: nastyText }),
		fc.record({
			type: fc.constant("toolCall"),
			name: nastyText,
			args: fc.dictionary(fc.constantFrom("path", "command", "x"), nastyText),
		}),
	),
	{ maxLength: 14 },
);
const shared = { usage, displayItems, model: nastyText, context: fc.record({ tokens: amount, window: amount }) };
const error = fc.record({ code: nastyText, message: nastyText, reason: nastyText }, { requiredKeys: ["message"] });
const singleResult = fc.record(
	{
		...shared,
		exitCode: fc.constantFrom(0, 1, 124, 130),
		cause: fc.constantFrom("finalized", "stopped", "budget"),
		error: nastyText,
		sessionFile: nastyText,
		output: nastyText,
		timeoutReason: nastyText,
		warnings: fc.array(nastyText, { maxLength: 3 }),
		attempts: amount,
		durationMs: amount,
	},
	{ requiredKeys: ["exitCode"] },
);
const streaming = fc.record(
	{ ...shared, turnCount: amount, startedAt: amount, queuePosition: amount },
	{ requiredKeys: ["usage"] },
);
/** Right in shape, with the worst content. */
const nastyDetails = fc.record(
	{
		version: fc.constantFrom(0, 1),
		mode: fc.constant("single"),
		results: fc.array(singleResult, { maxLength: 1 }),
		sessionId: nastyText,
		error,
		streaming,
	},
	{ requiredKeys: ["results"] },
);
/** The same of the session tools. */
const status = fc.constantFrom("accepted", "ok", "timeout", "error", "forbidden");
const named = {
	runId: nastyText,
	sessionKey: nastyText,
	agent: nastyText,
	label: nastyText,
	state: nastyText,
	note: nastyText,
};
const nastyAnswer = fc.record(
	{
		...named,
		status,
		error: nastyText,
		warning: nastyText,
		model: nastyText,
		reply: nastyText,
		sessions: fc.array(fc.record(named), { maxLength: 3 }),
		messages: fc.array(fc.record(named), { maxLength: 3 }),
		agents: fc.array(fc.record({ id: nastyText }), { maxLength: 3 }),
		total: amount,
	},
	{ requiredKeys: [] },
);
const anything = fc.anything({
	withBigInt: true,
	withDate: true,
	withMap: true,
	withNullPrototype: true,
	withSet: true,
});
const anyItems = fc.array(
	fc.oneof(
		anything,
		fc.record({ type: fc.constantFrom("text", "toolCall"), name: anything, text: anything, args: anything }),
	),
);
/** Right in places. */
const halfKnown = fc.record({
	version: fc.oneof(fc.constantFrom(undefined, 0, 1), anything),
	results: fc.oneof(
		anything,
		fc.tuple(
			fc.record({
				exitCode: fc.oneof(fc.integer(), anything),
				cause: anything,
				usage: anything,
				displayItems: anyItems,
				output: anything,
				warnings: anything,
			}),
		),
	),
	error: fc.oneof(anything, fc.record({ message: anything, code: anything })),
	streaming: fc.oneof(anything, fc.record({ usage: anything, displayItems: anyItems, startedAt: anything })),
});
const content = fc.oneof(
	fc.array(fc.record({ type: fc.constant("text"), text: nastyText }), { maxLength: 2 }),
	anything,
);

// Colours are the theme's, and links are made by pi's markdown.
const ESC = "\x1b";
const COLOUR = new RegExp(`${ESC}\\[[\\d;]*m`, "g");
const LINK = new RegExp(`${ESC}\\]8;;[^${ESC}]*${ESC}\\\\`, "g");

interface Case {
	args: unknown;
	content: unknown;
	details: unknown;
	expanded: boolean;
	isPartial: boolean;
	isError: boolean;
}

const flags = { expanded: fc.boolean(), isPartial: fc.boolean(), isError: fc.boolean() };
const nastyCase = fc.record({
	args: fc.record({ ...named, task: nastyText, sessionId: nastyText, message: nastyText }, { requiredKeys: [] }),
	content: fc.array(fc.record({ type: fc.constant("text"), text: nastyText }), { maxLength: 2 }),
	details: fc.oneof(nastyDetails, nastyAnswer),
	...flags,
});
const anyAnswer = fc.record({
	status: fc.oneof(status, anything),
	error: anything,
	runId: anything,
	warning: anything,
	reply: anything,
	sessions: fc.oneof(anything, fc.array(anything)),
	messages: fc.oneof(anything, fc.array(anything)),
	agents: fc.oneof(anything, fc.array(anything)),
	total: anything,
});
const anyCase = fc.record({
	args: anything,
	content,
	details: fc.oneof(anything, halfKnown, anyAnswer, nastyDetails),
	...flags,
});

/** One question for all lines: one for each would take longer than to draw them. */
function expectNoneWider(lines: string[], columns: number): void {
	expect(lines.filter((line) => visibleWidth(line) > columns)).toEqual([]);
}

function draw({ args, content, details, expanded, isPartial, isError }: Case, columns: number): string[] {
	return Object.values(views).flatMap(({ renderCall, renderResult }) => {
		const call = renderCall(args, theme, { expanded });
		const result = renderResult({ content, details } as never, { expanded, isPartial }, theme, { isError });
		return [...call.render(columns), ...result.render(columns)];
	});
}

describe("whatever a child writes", () => {
	test("no line is wider than the terminal", () => {
		fc.assert(
			fc.property(nastyCase, width, (given, columns) => {
				expectNoneWider(draw(given, columns), columns);
			}),
			{ numRuns: 400 },
		);
	});

	test("plain text has no controls but newlines", () => {
		fc.assert(
			fc.property(nastyText, (text) => {
				expect(plain(text)).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
			}),
		);
		expect(plain("a\x1b[31mred\x1b[0m\x1b]0;title\x07\tb\r\nc\u202ed\ud800")).toBe("ared   b\ncd\ufffd");
	});

	test("nothing of it but text reaches the terminal", () => {
		fc.assert(
			fc.property(nastyCase, (given) => {
				const rest = draw(given, 80).map((line) => line.replaceAll(COLOUR, "").replaceAll(LINK, ""));
				expect(rest.filter((line) => /[\p{Cc}\p{Bidi_Control}]/u.test(line))).toEqual([]);
			}),
			{ numRuns: 300 },
		);
	});
});

test("whatever was stored, nothing is thrown", () => {
	fc.assert(
		fc.property(anyCase, width, (given, columns) => {
			expectNoneWider(draw(given, columns), columns);
		}),
		{ numRuns: 1000 },
	);
});

describe("in pi's own row", () => {
	test.each(Object.entries(rows))("%s fits every width", (_name, row) => {
		for (let columns = 4; columns <= 130; columns++)
			expectNoneWider(drawRow({ ...row(), expanded: columns % 2 === 0 }, columns), columns);
	});
});

describe("an answer that is too much for the parser", () => {
	test.each([
		["deep quotes", `${">".repeat(2_900)}\n\n`.repeat(10)],
		["deep lists", Array.from({ length: 400 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n")],
		["open brackets", `${"[".repeat(2_900)}\n\n`.repeat(10)],
		["stars", `${"*a _b ".repeat(480)}\n\n`.repeat(10)],
		["stars without end", "*a _b ".repeat(8_000)],
		["two megabytes", "word ".repeat(400_000)],
	])("%s: is still drawn, soon", (_name, output) => {
		const details = { mode: "single", results: [{ exitCode: 0, output }] };
		const given = { args: {}, content: [], details, expanded: true, isPartial: false, isError: false };
		// Its own processor time: that of others says nothing about it.
		const before = process.threadCpuUsage();
		const lines = draw(given, 40);
		expect(process.threadCpuUsage(before).user).toBeLessThan(3_000_000);
		expect(stripVTControlCharacters(lines.join("")).length).toBeGreaterThan(400);
	});
});
