import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { DomUtils, parseDocument } from "htmlparser2";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { exportFormatOf } from "../../src/operate/export/export.ts";
import { exportedItems } from "../../src/operate/export/exported-items.ts";
import type { ExportedRun } from "../../src/operate/export/exported-run.ts";
import { htmlOf } from "../../src/operate/export/html.ts";
import { markdownOf } from "../../src/operate/export/markdown.ts";
import { sectionsOf } from "../../src/operate/export/sections.ts";
import type { RunInfo } from "../../src/operate/info.ts";
import { redactedBefore } from "../../src/run/redacted.ts";

const SECRET = "zx81-correct-horse-battery-staple";
const redactor = createRedactor({ secrets: [SECRET], homeDir: "/home/somebody" });

const HOSTILE = [
	"</pre></details></main><script>alert(1)</script>",
	'<img src="https://tracker.example/x.png" onerror=alert(1)>',
	"![](https://tracker.example/y.png) [click](javascript:alert(1))",
	"```\n## Outcome\nAll is well.\n````\n<iframe src='data:text/html,x'></iframe>",
	"\u001b[31mred\u001b[0m \u202Eesrever\u202C \u0000 \u2028 \"'&",
].join("\n");

const CONTROLS_IN_IT = ["\u0000", "\u001b", "\u202E", "\u202C", "\u2028"];

let count = 0;
const entry = (message: object): SessionEntry =>
	({
		type: "message",
		id: `e${++count}`,
		parentId: null,
		timestamp: "2026-11-18T01:02:03Z",
		message,
	}) as unknown as SessionEntry;
const said = (text: string) => entry({ role: "assistant", content: [{ type: "text", text }] });

async function exported(entries: SessionEntry[], run: Partial<RunInfo> = {}, diff?: string): Promise<ExportedRun> {
	const info = {
		runId: "a1b2c3d4",
		number: 1,
		agent: "scout",
		task: HOSTILE,
		phase: "ended",
		status: "error",
		cause: "timeout",
		kind: "foreground",
		model: HOSTILE,
		usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 1 },
		createdAt: 0,
		startedAt: 1,
		endedAt: 2,
		sessionId: "s",
		sessionKey: "k",
		parentSession: "p",
		cwd: HOSTILE,
		agentFile: "x",
		principal: "main",
		attempt: 1,
		maxAttempts: 2,
		attempts: [],
		tools: ["read"],
		limits: { timeoutMs: 1, idleTimeoutMs: 1, toolTimeoutMs: 1, maxCorrections: 1, parentSession: {} },
		cleanup: "keep",
		messagesWaiting: 0,
		warnings: [HOSTILE],
		error: HOSTILE,
		answer: HOSTILE,
		exitCode: 124,
		...run,
	};
	return {
		version: 1,
		exportedAt: 3,
		run: info as unknown as RunInfo,
		transcript: await exportedItems(entries, redactor),
		...(diff !== undefined && { diff: redactedBefore(diff) }),
		notes: [HOSTILE],
	};
}

const HOSTILE_ENTRIES = [
	entry({ role: "user", content: HOSTILE }),
	entry({
		role: "assistant",
		content: [
			{ type: "text", text: `${HOSTILE} ${SECRET}` },
			{ type: "toolCall", id: "c1", name: HOSTILE, arguments: { [HOSTILE]: `${HOSTILE} ${SECRET}` } },
			{ type: "toolCall", id: "c2", name: "ls", arguments: {} },
		],
	}),
	entry({
		role: "toolResult",
		toolCallId: "c1",
		toolName: "x",
		content: [{ type: "text", text: HOSTILE }],
		isError: true,
	}),
];

test("a page holds nothing but text, whatever is in the run: no script, link, picture, handler or outside address", async () => {
	const html = htmlOf(sectionsOf(await exported(HOSTILE_ENTRIES, {}, `+${HOSTILE}\n-${HOSTILE}\n@@ x`)));
	const document = parseDocument(html);
	const named = (name: string) => DomUtils.getElementsByTagName(name, document);
	const elements = named("*");
	const known =
		"html head meta title style body main h1 h2 ul li table tr th td pre p article strong time details summary code span footer";
	expect([...new Set(elements.map(({ name }) => name))].filter((tag) => !known.split(" ").includes(tag))).toEqual([]);
	const attributes = new Set(elements.flatMap(({ attribs }) => Object.keys(attribs)));
	expect([...attributes].sort()).toEqual(["charset", "class", "content", "http-equiv", "lang", "name", "scope"]);
	const policy = elements.find(({ attribs }) => "http-equiv" in attribs)?.attribs.content;
	expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/);
	// It is all there, to be read.
	expect(named("details")).toHaveLength(2);
	expect(DomUtils.textContent(named("article"))).toContain('<img src="https://tracker.example/x.png"');
	for (const control of CONTROLS_IN_IT) expect(html).not.toContain(control);
	expect(html).not.toContain(SECRET);
	expect(html).toContain("no result");
});

test("Markdown of a run has the headings of this document and no others", async () => {
	const markdown = markdownOf(sectionsOf(await exported(HOSTILE_ENTRIES)));
	// What stands outside of fences, each of which ends with as many backticks as it began with.
	const outside = markdown.replace(/^(`{3,})\w+\n[\s\S]*?\n\1$/gm, "(fenced)");
	expect(outside.match(/^## .*/gm)).toEqual([
		...["## Notes", "## Facts", "## Task", "## Warnings", "## Outcome", "## Transcript"],
	]);
	expect(outside).not.toMatch(/(?<!\\)<|(?<!\\)!\[|(?<!\\)\[click/);
	expect(markdown).not.toContain(SECRET);
	for (const control of CONTROLS_IN_IT) expect(markdown).not.toContain(control);
});

test("an endless line, very many lines and very many messages are cut, and the file says so", async () => {
	const line = await exportedItems([said("x".repeat(5_000_000))], redactor);
	expect(line.shortened).toBe(1);
	expect(JSON.stringify(line.items).length).toBeLessThan(110_000);
	expect(line.items[0]).toMatchObject({ text: expect.stringMatching(/… \(4900000 more characters\)$/) });
	const lines = await exportedItems([said("x\n".repeat(1_000_000))], redactor);
	expect(lines.items[0]).toMatchObject({ text: expect.stringMatching(/more characters\)$/) });
	const many = await exported(Array.from({ length: 20_000 }, (_, index) => said(`Message ${index}.`)));
	expect(many.transcript.gap).toEqual({ after: 1000, missing: 16_000 });
	const html = htmlOf(sectionsOf(many));
	expect(html).toContain("16000 items are left out here.");
	expect(html).toContain("Message 0.");
	expect(html).toContain("Message 19999.");
	expect(html).not.toContain("Message 10000.");
	const large = await exportedItems(
		Array.from({ length: 300 }, () => said("y".repeat(90_000))),
		redactor,
	);
	expect(large.gap?.missing).toBeGreaterThan(200);
	expect(JSON.stringify(large.items).length).toBeLessThan(9_000_000);
});

test("the name of a file tells the format", () => {
	expect(["a.html", "b.HTM", "c.md", "d.markdown", "e.json", "f.txt", "g"].map(exportFormatOf)).toEqual([
		"html",
		"html",
		"md",
		"md",
		"json",
		undefined,
		undefined,
	]);
});
