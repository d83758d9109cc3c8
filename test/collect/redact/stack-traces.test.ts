import { describe, expect, it } from "vitest";
import { shortenStackTraces } from "../../../src/collect/redact/stack-traces.ts";

const STYLES: { name: string; before: string; frame: (at: number) => string; after: string }[] = [
	{
		name: "Python",
		before: "Traceback (most recent call last):\n",
		frame: (at) => `  File "app/m${at}.py", line 123, in f\n    return foo(bar)\n`,
		after: "ValueError: x",
	},
	{
		name: "Python 3.13 with markers",
		before: "Traceback (most recent call last):\n",
		frame: (at) => `  File "app/m${at}.py", line ${at}, in f\n    return foo(\n        bar)\n    ~~~^^^^^\n`,
		after: "ValueError: x",
	},
	{ name: "Node", before: "Error: x\n", frame: (at) => `    at f${at} (file:///a/b.js:${at}:1)\n`, after: "done" },
	{
		name: "Java",
		before: "java.lang.IllegalStateException: x\n",
		frame: (at) => `\tat org.acme.App.f${at}(App.java:${at})\n`,
		after: "Caused by: x",
	},
	{
		name: "Go",
		before: "goroutine 1 [running]:\n",
		frame: (at) => `main.f${at}(0x2a, {0x1, 0x2})\n\t/src/app/main.go:${at} +0x1d\n`,
		after: "exit status 2",
	},
	{ name: "Ruby", before: "a.rb:1:in `a': x\n", frame: (at) => `\tfrom a.rb:${at}:in \`f${at}'\n`, after: "done" },
	{
		name: ".NET",
		before: "System.Exception: x\n",
		frame: (at) => `   at Acme.App.F${at}(String s) in C:\\src\\App.cs:line ${at}\n`,
		after: "done",
	},
	{
		name: "Rust",
		before: "stack backtrace:\n",
		frame: (at) => `  ${at}: app::f${at}\n             at ./src/main.rs:${at}:5\n`,
		after: "note: x",
	},
];

describe.each(STYLES)("a stack trace of $name", ({ before, frame, after }) => {
	const counts = Array.from({ length: 40 }, (_, at) => at + 1);

	it.each(counts)("of %i frames is cut in the middle if it has more than twelve, at once", (count) => {
		const frames = Array.from({ length: count }, (_, at) => frame(at));
		const indent = /^[ \t]*/.exec(frame(0))?.[0];
		const left = `${indent}… ${count - 10} frames left out …\n`;
		const kept = count > 12 ? [...frames.slice(0, 8), left, ...frames.slice(-2)] : frames;
		const spent = process.threadCpuUsage();
		const output = shortenStackTraces(`${before}${frames.join("")}${after}`);
		// An expression that tries every division of the lines needs seconds for ten frames, and hours for twenty.
		expect(process.threadCpuUsage(spent).user).toBeLessThan(200_000);
		expect(output).toBe(`${before}${kept.join("")}${after}`);
		expect(shortenStackTraces(output)).toBe(output);
	});
});

describe("what only resembles a stack trace", () => {
	const repeated = (line: string): string => line.repeat(40);

	it.each([
		["a numbered list", repeated("1: buy milk\n")],
		["lines of code", repeated("call(x)\n\treturn y\n")],
		["prose", repeated("  at\nfrom here\n  from there to here\n")],
		["a message with a file", repeated('File "x" is missing\n  File "y"\n')],
	])("stays: %s", (_name, text) => {
		expect(shortenStackTraces(text)).toBe(text);
	});

	it("is read in one go, whatever its lines are", () => {
		for (const line of [
			'  File "x", line 123456789012345678901234567890',
			'  File "',
			"\t ",
			"    at ",
			"\tfrom a:1:1:1:1:1",
			"f()\n\ta:1",
			"1: a\n at b\n",
			") ",
		]) {
			for (const text of [line, `${line}\n`, `${line}\n  `, `${line}\n x\n`].map((part) => part.repeat(20_000))) {
				const spent = process.threadCpuUsage();
				shortenStackTraces(text);
				expect(process.threadCpuUsage(spent).user, JSON.stringify(line)).toBeLessThan(1_000_000);
			}
		}
	});
});
