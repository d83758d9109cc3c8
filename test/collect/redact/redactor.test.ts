import { describe, expect, it } from "vitest";
import { plain } from "../../../src/collect/plain.ts";
import { DEEPEST_RESULT } from "../../../src/collect/redact/redact-value.ts";
import { createRedactor } from "../../../src/collect/redact/redactor.ts";
import { legible } from "../../../src/run/legible.ts";
import fc from "../../helpers/fast-check.ts";
import { lookAlikes } from "./look-alikes.ts";
import { secretShapes } from "./secret-shapes.ts";

const { redact, redactValue } = createRedactor({ secrets: ["literal-s3cret"], homeDir: "/home/al" });
const fragments = [...secretShapes(), ...lookAlikes()].flatMap(({ text }) => [
	text,
	text.slice(0, 30),
	text.slice(-30),
]);
const joints = [
	"",
	" ",
	"\n",
	'"',
	"'",
	"=",
	": ",
	"\\n",
	"&",
	";",
	"/",
	"-",
	"[redacted]",
	"password=",
	"literal-s3cret",
];

describe("redact", () => {
	it("never throws, and changes nothing the second time", () => {
		const text = fc
			.array(fc.oneof(fc.constantFrom(...fragments), fc.constantFrom(...joints), fc.string({ unit: "binary" })), {
				maxLength: 8,
			})
			.map((parts) => parts.join(""));
		fc.assert(
			fc.property(text, (value) => {
				const once = redact(value);
				expect(redact(once)).toBe(once);
			}),
			{ numRuns: 1_000 },
		);
	});

	it.each([
		["between its letters", "\u200B"],
		["that a terminal acts on", "\u001B[31m"],
		["that a terminal acts on, and a model reads over", "\u001B"],
		["of a text direction", "\u202E"],
	])("masks a key with hidden characters %s, which those who show it take out", (_which, hidden) => {
		for (const key of ["literal-s3cret", `ghp_${"aB3dE5gH7jK9".repeat(3)}`]) {
			const shown = redact(`The key is ${key.slice(0, 8)}${hidden}${key.slice(8)}, \u2764\uFE0F`);
			for (const text of [shown, legible(shown), plain(shown)]) expect(text).not.toContain(key.slice(8));
		}
	});

	it("leaves hidden characters alone that hide no key", () => {
		const text = "\u001B[31mred\u001B[0m and soft\u00ADhyphens, a joiner\u200D, \u202Eblue\r\n and \u2764\uFE0F";
		expect(redact(text)).toBe(text);
	});

	it("leaves no key to be seen when one kind of hidden characters is taken out, and not the other", () => {
		const key = `aB3dE5gH7jK9${"q8Zr3vT1xW6y".repeat(2)}`;
		const shown = redact(`x\u200Bgh\u0000p_${key} and pass\u202Eword\u200B=${key}`);
		for (const text of [shown, legible(shown), plain(shown)]) {
			expect(text).not.toContain(`ghp_${key}`);
			expect(text).not.toContain(`password=${key}`);
		}
	});

	it("masks every password of a script that is written on one line", () => {
		const script = Array.from({ length: 8 }, (_, at) => `curl -u al:ab${at}!CdEf https://x`).join("\\n");
		expect(redact(script)).not.toContain("!CdEf");
	});

	it("masks a key that the end of the text cuts off", () => {
		const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
		expect(redact(`-----BEGIN PRIVATE KEY-----\n${body}`)).not.toContain(body);
	});
});

describe("home paths", () => {
	it.each([
		["cat /home/al/x.txt", "cat ~/x.txt"],
		["cd /home/al", "cd ~"],
		["in /home/al.", "in ~."],
		["file:///home/al/x", "file://~/x"],
		['{"a":"/home/al","b":"x\\n/home/al/y"}', '{"a":"~","b":"x\\n~/y"}'],
		["gcc -I/home/al/include", "gcc -I~/include"],
		["PATH=/home/al/bin:/usr/bin:/home/al/go", "PATH=~/bin:/usr/bin:~/go"],
		["/home/alice/x /home/al-2/x /home/al.bak/x", "~/x ~/x ~/x"],
		["in /Users/bob.smith/work, or /home/bob.", "in ~/work, or ~."],
		[
			"HOME=/home/bob cd /Users/bob scp h:/home/bob bob:x:1:1::/home/bob:/bin/sh",
			"HOME=~ cd ~ scp h:~ bob:x:1:1::~:/bin/sh",
		],
		["C:\\Users\\bob /mnt/c/Users/bob", "~ ~"],
		["s.replace(/home/g, x).match(/Users/i)", "s.replace(/home/g, x).match(/Users/i)"],
		["location /home/app { path: '/home/team' }", "location /home/app { path: '/home/team' }"],
		["the /home/dashboard/stats page, /home/index.html", "the /home/dashboard/stats page, /home/index.html"],
		["router.push('/home/settings') \"/home/dashboard\"", "router.push('/home/settings') \"/home/dashboard\""],
		["navigate(`/home/settings/mail`)", "navigate(`/home/settings/mail`)"],
		["app.get('/home/users/list', f)", "app.get('/home/users/list', f)"],
		["open('/home/bob/x.txt') \"/home/bob/y\"", "open('~/x.txt') \"~/y\""],
		["-I/home/bob/include file:///home/bob/x", "-I~/include file://~/x"],
		['{"a":"x\\n/home/bob/y"}', '{"a":"x\\n~/y"}'],
		["C:\\Users\\bob\\x c:/users/bob/x /c/Users/bob/x /mnt/c/Users/bob/x", "~\\x ~/x ~/x ~/x"],
		['"C:\\\\Users\\\\bob\\\\x"', '"~\\\\x"'],
		["file:///C:/Users/bob/x", "file://~/x"],
		["/home /home/ /Users/Shared/x C:\\Users\\Public\\x", "/home /home/ /Users/Shared/x C:\\Users\\Public\\x"],
		["https://x.org/home/page GET /home/page /users/42", "https://x.org/home/page GET /home/page /users/42"],
		["/mnt/home/al/x", "/mnt/home/al/x"],
	])("%s", (text, expected) => {
		expect(redact(text)).toBe(expected);
	});

	it("has the forms of Windows", () => {
		const windows = createRedactor({ secrets: [], homeDir: "C:\\Users\\al" });
		expect(windows.redact("C:\\Users\\al\\x and c:/users/al/x")).toBe("~\\x and ~/x");
		expect(windows.redact(JSON.stringify("C:\\Users\\al\\x"))).toBe('"~\\\\x"');
		expect(windows.redact("file:///C:/Users/al/x")).toBe("file://~/x");
		expect(windows.redact("/c/Users/al/x C:\\Users\\alice")).toBe("~/x ~");
		expect(windows.redact("C:\\Users\\alice\\x")).toBe("~\\x");
	});

	it("leaves the home of another user in which this process works", () => {
		const ownFolders = ["/home/node/.pi/agent", "/workspace", "/Users/ann/app", "C:\\Users\\eve\\app"];
		const container = createRedactor({ secrets: [], homeDir: "/root", ownFolders });
		const text = "Its session is in /home/node/.pi/agent/x, see /home/node/app/src/x.ts:12, file:///Users/ann/app/y";
		expect(container.redact(text)).toBe(text);
		expect(container.redact("C:\\Users\\eve\\x c:/users/eve/x /c/Users/eve/x")).toBe(
			"C:\\Users\\eve\\x c:/users/eve/x /c/Users/eve/x",
		);
		expect(container.redact("/root/x /home/nodes/x /home/bob/x /workspace/x")).toBe("~/x ~/x ~/x /workspace/x");
	});

	it.each(["", "/"])("is not shortened if it is %j", (homeDir) => {
		expect(createRedactor({ secrets: [], homeDir }).redact("/usr/bin /")).toBe("/usr/bin /");
	});
});

describe("stack traces", () => {
	const frames = (count: number): string =>
		Array.from({ length: count }, (_, at) => `    at f${at} (file.js:${at}:1)\n`).join("");
	const pythonFrames = (count: number): string =>
		Array.from({ length: count }, (_, at) => `  File "a.py", line ${at}, in f\n    g(${at})\n`).join("");

	it("keeps twelve frames", () => {
		expect(redact(`Error: x\n${frames(12)}`)).toBe(`Error: x\n${frames(12)}`);
	});

	it("keeps the first eight and the last two of more", () => {
		const output = redact(`Error: x\n${frames(40)}end`);
		expect(output.match(/^ {4}at /gm)).toHaveLength(10);
		expect(output).toContain("    … 30 frames left out …\n    at f38 ");
		expect(output).toMatch(/at f39 .*\nend$/);
	});

	it("counts Python's frames with their source lines", () => {
		const output = redact(`Traceback (most recent call last):\n${pythonFrames(20)}ValueError: x`);
		expect(output.match(/File "/g)).toHaveLength(10);
		expect(output).toContain("… 10 frames left out …");
		expect(output).toMatch(/g\(19\)\nValueError: x$/);
	});
});

describe("redactValue", () => {
	it("redacts every string, also by the name of its key, and leaves keys and other values", () => {
		const date = new Date(0);
		const value = {
			"literal-s3cret": 1,
			text: "is literal-s3cret",
			list: ["/home/al/x", { n: 1, none: null, yes: true }],
			env: { password: "swordfish", apiKey: "$API_KEY", tokens: 12, user: "al" },
			date,
		};
		expect(redactValue(value)).toEqual({
			"literal-s3cret": 1,
			text: "is [redacted]",
			list: ["~/x", { n: 1, none: null, yes: true }],
			env: { password: "[redacted:password]", apiKey: "$API_KEY", tokens: 12, user: "al" },
			date,
		});
		expect(value.env.password).toBe("swordfish");
	});

	it("keeps cycles and bounds the depth", () => {
		const cycle: { self?: unknown; text: string } = { text: "literal-s3cret" };
		cycle.self = cycle;
		const copy = redactValue(cycle);
		expect(copy.self).toBe(copy);
		expect(copy.text).toBe("[redacted]");

		let deep: unknown = "literal-s3cret";
		for (let level = 0; level < 10_000; level += 1) deep = [deep];
		expect(JSON.stringify(redactValue(deep))).not.toContain("literal-s3cret");
	});

	it("goes as deep as the result of a child may", () => {
		let deep: unknown = "is literal-s3cret";
		let expected: unknown = "is [redacted]";
		for (let level = 0; level < DEEPEST_RESULT; level += 1) [deep, expected] = [{ deep }, { deep: expected }];
		expect(redactValue({ outcome: { data: [deep] } })).toEqual({ outcome: { data: [expected] } });
	});

	it("never leaves a known secret in JSON-like data, and changes nothing the second time", () => {
		fc.assert(
			fc.property(fc.jsonValue({ stringUnit: fc.constantFrom("literal-s3cret", "x", " ", "/home/al") }), (value) => {
				const once = redactValue({ value: value as unknown });
				expect(JSON.stringify(Object.values(once))).not.toMatch(/literal-s3cret(?!.*":)/);
				expect(redactValue(once)).toEqual(once);
			}),
		);
	});

	it("takes __proto__ as a key like any other", () => {
		const copy = redactValue(JSON.parse('{"__proto__": {"a": "literal-s3cret"}}'));
		expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
		expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":"[redacted]"}}');
	});
});
