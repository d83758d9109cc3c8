import { stripVTControlCharacters } from "node:util";
import { initTheme } from "@earendil-works/pi-coding-agent";
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, test } from "vitest";
import type { RunInfo } from "../../src/operate/info.ts";
import { poolReport } from "../../src/operate/report/pool.ts";
import type { ListedRun } from "../../src/pi/inspector/run-rows.ts";
import { drawScreen, type InspectorView } from "../../src/pi/inspector/screen.ts";
import { itemsOf } from "../../src/pi/inspector/transcript-items.ts";
import { transcriptPainter } from "../../src/pi/inspector/transcript-lines.ts";
import { asItIs, NO_REDACTOR, type Plain } from "../helpers/as-it-is.ts";
import { hostile } from "./hostile.ts";
import { theme } from "./row.ts";

const NOW = new Date(2026, 0, 31, 14, 5, 9).getTime();
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");
const SIZES = [
	{ width: 40, height: 12 },
	{ width: 60, height: 15 },
	{ width: 80, height: 24 },
	{ width: 120, height: 40 },
];

const info = (change: Partial<Plain<RunInfo>> = {}): RunInfo =>
	asItIs<RunInfo>({
		runId: "1a2b3c4d",
		number: 2,
		agent: "explorer",
		label: "the auth hunt",
		task: "Find where auth is registered.",
		kind: "background",
		phase: "running",
		model: "anthropic/claude-haiku",
		createdAt: NOW - 75_000,
		startedAt: NOW - 72_000,
		usage: { input: 12_345, output: 2_210, cacheRead: 98_000, cacheWrite: 0, cost: 0.0213, turns: 3 },
		sessionId: "0199c0de-7a11-7000-8000-00000000beef",
		sessionKey: "agent:main:subagent:0199c0de-7a11-7000-8000-00000000beef",
		parentSession: "p",
		cwd: "/home/ada/shop",
		warnings: [],
		attempt: 1,
		maxAttempts: 2,
		attempts: [],
		host: "00ff00ff",
		tools: ["read", "grep", "find", "ls"],
		limits: {
			timeoutMs: 900_000,
			idleTimeoutMs: 180_000,
			toolTimeoutMs: 600_000,
			maxCorrections: 2,
			parentSession: {},
		},
		agentFile: "/home/ada/.pi/agent/agents/explorer.md",
		principal: "main",
		cleanup: "keep",
		transcript: "/home/ada/.pi/subagent-sessions/shop/0199c0de-7a11-7000-8000-00000000beef.jsonl",
		messagesWaiting: 1,
		...change,
	});

const message = (fields: object) => ({ type: "message", id: "a", parentId: null, timestamp: "", message: fields });

const said = (...texts: string[]) =>
	[
		message({ role: "user", content: `${texts[0]}\nName the file and the line.` }),
		...texts.flatMap((text) => [
			message({
				role: "assistant",
				content: [
					{ type: "text", text },
					{ type: "toolCall", name: "grep", arguments: { pattern: text, path: "src" } },
				],
			}),
			message({ role: "toolResult", toolName: "grep", content: [{ type: "text", text: `${text}\nsecond\nthird` }] }),
		]),
	].flatMap((entry) => itemsOf(entry as never, NO_REDACTOR.redact));

const answered = itemsOf(
	message({
		role: "assistant",
		content: [
			{ type: "toolCall", name: "subagent_finalize", arguments: { status: "SUCCESS", result: "**It** is there." } },
		],
	}) as never,
	NO_REDACTOR.redact,
);

const told = itemsOf(
	{
		type: "custom_message",
		customType: "pi-geon:message",
		content: "A message from the user:\n\nOnly the tests.\n\nNot the rest.",
		details: { seq: 1, runId: "1a2b3c4d", sender: "user" },
	} as never,
	NO_REDACTOR.redact,
);

const rows: ListedRun[] = [
	info({ number: 3, agent: "tester", label: "all tests", phase: "queued", queuePosition: 2 }),
	info(),
	{
		...info({ number: 1, phase: "ended", status: "error", cause: "stopped", endedAt: NOW - 50_000 }),
		said: "It was stopped by the user.",
	},
	{
		...info({ number: 5, phase: "ended", status: "success", cause: "finalized", endedAt: NOW - 40_000 }),
		label: undefined,
		said: "registerAuth is called in src/server/auth.ts:12, and nowhere else in the source files of this project.",
	} as ListedRun,
	info({ number: 4, label: "never began", phase: "ended", status: "error", cause: "stopped", endedAt: NOW }),
];
delete rows[0]?.startedAt;
delete rows[4]?.startedAt;

const base: InspectorView = {
	rows,
	count: { total: 5, queued: 1, running: 1 },
	scope: "session",
	selected: 1,
	pane: "run",
	run: {
		info: info(),
		transcript: { items: said("I look for registerAuth in src.", "It is in auth.ts."), isCut: false },
	},
	shows: "transcript",
	diff: [],
	pools: [],
	unfolded: false,
	top: undefined,
	notice: "",
	question: undefined,
};

const refused: InspectorView["run"] = {
	info: info({
		phase: "ended",
		status: "error",
		cause: "provider",
		endedAt: NOW - 12_000,
		error: 'The provider refused: 429 {"error":{"type":"rate","message":"Slow \\u001b[2Jdown."}} Wait a minute.',
	}),
	transcript: { items: said("I look."), isCut: false },
};

const views: Record<string, InspectorView> = {
	list: { ...base, pane: "list" },
	"list of the folder": { ...base, pane: "list", scope: "folder", selected: 2 },
	empty: { ...base, rows: [], count: { total: 0, queued: 0, running: 0 }, pane: "list", run: undefined },
	pools: {
		...base,
		pane: "list",
		shows: "pools",
		top: 0,
		pools: [
			...poolReport({
				name: "team",
				status: {
					workers: [
						{ name: "box:812", places: 4, busy: 3, version: "0.1.0", pi: "1.5.0", draining: false, silentMs: 900 },
						{ name: "attic:77", places: 2, busy: 1, version: "0.1.0", pi: "1.5.0", draining: true, silentMs: 31_000 },
					],
					running: 4,
					waiting: 2,
					longestWaitMs: 130_000,
					requesters: [{ name: "anna@laptop", running: 4, waiting: 2 }],
					limits: { total: 8, perRequester: null },
				},
			}),
			"",
			...poolReport({ name: "far", problem: "connect ECONNREFUSED 192.0.2.1:5432", remedy: "Check the host." }),
		],
	},
	"empty folder": {
		...base,
		rows: [],
		count: { total: 0, queued: 0, running: 0 },
		scope: "folder",
		pane: "list",
		run: undefined,
	},
	transcript: base,
	"transcript with a message of the user": {
		...base,
		run: { info: info(), transcript: { items: [...said("I look."), ...told], isCut: false } },
	},
	"transcript unfolded": { ...base, unfolded: true },
	paused: {
		...base,
		top: 2,
		run: {
			info: info(),
			transcript: { items: said(...Array.from({ length: 20 }, (_, n) => `Step ${n}.`)), isCut: true },
		},
	},
	ended: {
		...base,
		run: {
			info: info({
				phase: "ended",
				status: "success",
				cause: "finalized",
				delivery: "delivered",
				endedAt: NOW - 12_000,
			}),
			transcript: { items: [...said("I look."), ...answered], isCut: false },
		},
		notice: "Answer copied.",
	},
	refused: { ...base, run: refused },
	"refused unfolded": { ...base, unfolded: true, run: refused },
	facts: { ...base, shows: "facts", top: 0 },
	"facts of a stopped run": {
		...base,
		shows: "facts",
		top: 0,
		run: {
			info: info({
				phase: "ended",
				status: "error",
				cause: "stopped",
				endedAt: NOW - 12_000,
				exitCode: 130,
				error: "It was stopped by the user.",
				stop: { at: NOW - 13_000, by: "the user" },
				delivery: "delivered",
				deliveredAt: NOW - 11_000,
				limits: { ...info().limits, maxTurns: 20, maxCostUsd: 0.5, parentSession: { maxTokens: 2_000_000 } },
				cleanup: "delete",
			}),
			transcript: { items: [], isCut: false },
		},
	},
	diff: {
		...base,
		shows: "diff",
		top: 0,
		diff: [
			"diff --git a/src/server/auth.ts b/src/server/auth.ts",
			"--- a/src/server/auth.ts",
			"+++ b/src/server/auth.ts",
			"@@ -12,3 +12,3 @@ export function registerAuth(server: Server, options: AuthOptions): void {",
			" \tconst { secret } = options;",
			"-\tserver.use(auth(secret));",
			"+\tserver.use(auth({ secret, expiresIn: options.expiresIn ?? DEFAULT_EXPIRY, issuer: options.issuer }));",
			" }",
		],
		run: {
			info: info({
				phase: "ended",
				status: "success",
				cause: "finalized",
				endedAt: NOW - 12_000,
				changes: "1 file (+1 -1), not applied yet",
			}),
			transcript: { items: [], isCut: false },
		},
	},
	help: { ...base, shows: "help", top: 0 },
	stopping: { ...base, question: 'Stop explorer "the auth hunt"? y/n' },
	applying: { ...base, question: 'Apply the changes of worker "the failing test in the queue" here? y/n' },
	hostile: {
		...base,
		rows: Object.values(hostile).map((text, index) => info({ number: index, agent: text, label: text })),
		run: {
			info: info({ agent: hostile.ansi, label: hostile.wide, model: hostile.emoji, error: hostile.rightToLeft }),
			transcript: { items: said(...Object.values(hostile)), isCut: false },
		},
		notice: "A notice that is much longer than any of the screens on which it may be shown, and goes on and on",
		unfolded: true,
		top: 0,
	},
};

const draw = (view: InspectorView, { width, height }: { width: number; height: number }) =>
	drawScreen(view, { theme, width, height, now: NOW, paintTranscript: transcriptPainter(), inputLine: undefined });

describe.each(Object.entries(views))("the inspector, %s", (name, view) => {
	// The words are the same in both; the colours have the names that each theme gives them.
	test.each(["light", "dark"])("is drawn at all sizes, with the %s theme", async (themeName) => {
		initTheme(themeName);
		const drawn = SIZES.map((size) => {
			const lines = draw(view, size).lines.map((line) => stripVTControlCharacters(line).trimEnd());
			return `${`--${size.width}`.padEnd(size.width, "-")}\n${lines.join("\n")}\n`;
		});
		await expect(drawn.join("\n")).toMatchFileSnapshot(`./snapshots/inspector-${name.replaceAll(" ", "-")}.txt`);
	});

	test("fills the screen, whatever its size, and nothing more", () => {
		for (const height of [5, 15, 40]) {
			for (let width = 10; width <= 130; width += 7) {
				const { lines } = draw(view, { width, height });
				expect(lines).toHaveLength(height);
				for (const line of lines) expect(visibleWidth(line), line).toBe(width);
			}
		}
	});

	test("lets nothing through that could paint on the terminal", () => {
		for (const line of draw(view, { width: 80, height: 40 }).lines) {
			// Colours are ours; cursor movements, titles and direction marks are not.
			expect(line.replaceAll(COLOUR, "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
		}
	});
});

test("the selected row is drawn to its end, where its title was cut too", () => {
	const selectedBg = theme.getBgAnsi("selectedBg");
	for (const width of [40, 80, 120]) {
		const view: InspectorView = { ...base, pane: "list", selected: 3 };
		const [line = ""] = draw(view, { width, height: 12 }).lines.filter((drawn) => drawn.includes("▸"));
		expect(line).toContain(width === 80 ? "registered." : "…");
		const highlighted = width < 100 ? line : line.slice(0, line.indexOf("│"));
		const parts = highlighted.split("\x1b[0m").filter((part) => visibleWidth(part) > 0);
		for (const part of parts) expect(part.startsWith(selectedBg), part).toBe(true);
	}
});

test("the selected row is seen in both themes", () => {
	const backgrounds = ["light", "dark"].map((themeName) => {
		initTheme(themeName);
		const [line = ""] = draw({ ...base, pane: "list" }, { width: 80, height: 12 }).lines.filter((drawn) =>
			drawn.includes("▸"),
		);
		expect(line.startsWith(theme.getBgAnsi("selectedBg"))).toBe(true);
		return theme.getBgAnsi("selectedBg");
	});
	expect(new Set(backgrounds).size).toBe(2);
});
