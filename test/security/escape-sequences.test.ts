import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { plain } from "../../src/collect/plain.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { withoutSequences } from "../../src/run/without-sequences.ts";

/** A file of a project, or an answer, may be full of escape sequences. pi draws it, and a host redacts it. */

const ESCAPE = "\u001b";
const TEXTS = [
	"\u001b]",
	"\u001b]0;",
	"\u001b\u001b]]",
	"\u001b\u001b\u001b]]]",
	"\u009d",
	"\u001b[",
	"\u001b]8;;\u001b",
];

describe("escape sequences that do not end", () => {
	test.each(TEXTS)("do not hold up showing or redacting a megabyte of %j", (unit) => {
		const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
		const began = performance.now();
		expect(plain(text)).not.toContain(ESCAPE);
		createRedactor({ secrets: [], homeDir: "/home/user" }).redact(text);
		// Far above what it takes, and far below the hour that it took.
		expect(performance.now() - began).toBeLessThan(10_000);
	});
});

test("what ends is removed as before", () => {
	for (const text of [
		"\u001b[31mred\u001b[0m",
		"a\u001b]0;title\u0007b",
		"a\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\b",
		"a\u009b1mb",
		"plain",
	])
		expect(withoutSequences(text)).toBe(stripVTControlCharacters(text));
});
