import { describe, expect, test } from "vitest";
import { editJson5, NotEditable } from "../../src/config/edit-json5.ts";

const FILE = `// Mine.
{
	subagents: {
		timeoutMs: 60_000_0, // a comment
	},
}
`.replace("60_000_0", "60000");

describe("a changed JSON5 text", () => {
	test("keeps comments, order and spaces", () => {
		expect(editJson5(FILE, ["subagents", "timeoutMs"], 5)).toBe(FILE.replace("60000", "5"));
	});

	test("gets a new key first in its object, and new objects where there are none", () => {
		expect(editJson5(FILE, ["subagents", "disabled"], ["worker"])).toBe(
			FILE.replace("subagents: {", 'subagents: {\n\t\t"disabled": ["worker"],'),
		);
		expect(editJson5(FILE, ["ui", "widget"], false)).toBe(
			FILE.replace("{\n", '{\n\t"ui": {\n\t\t"widget": false\n\t},\n'),
		);
		expect(editJson5("", ["ui", "widget"], false)).toBe('{\n\t"ui": {\n\t\t"widget": false\n\t}\n}\n');
	});

	test("loses a key with its line, and nothing else", () => {
		expect(editJson5("{\n\ta: 1,\n\tb: [1, {c: 2}], // two\n}", ["a"], undefined)).toBe(
			"{\n\tb: [1, {c: 2}], // two\n}",
		);
		expect(editJson5("{ a: { b: 1, c: 2 } }", ["a", "c"], undefined)).toBe("{ a: { b: 1,  } }");
		expect(editJson5("{ a: 1 }", ["b", "c"], undefined)).toBe("{ a: 1 }");
	});

	test("is found in strings that look like something else", () => {
		const text = `{ 'a': "}, b: 1 // no", /* b: 2 */ "b": 3 }`;
		expect(editJson5(text, ["b"], 4)).toBe(text.replace("3", "4"));
	});

	test("of a key that is there twice, the value that counts changes", () => {
		expect(editJson5("{ a: 1, a: 2 }", ["a"], 3)).toBe("{ a: 1, a: 3 }");
	});

	test.each([
		["[1]", ["a"]],
		["{ a: 1 }", ["a", "b"]],
		["{ a: 1, a: 2 }", ["a"]],
		["{ '\\u0061': 1 }", ["a"]],
	])("is refused where something else would change: %s", (text, path) => {
		const value = path.length === 1 && text.includes("a: 2") ? undefined : 5;
		expect(() => editJson5(text, path, value)).toThrow(NotEditable);
	});
});
