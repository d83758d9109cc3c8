import { stripVTControlCharacters, styleText } from "node:util";
import { describe, expect, test } from "vitest";
import type { LogLine } from "../../src/log/read-logs.ts";
import type { History } from "../../src/operate/history.ts";
import type { RunInfo } from "../../src/operate/info.ts";
import type { ChildMessage } from "../../src/operate/messages.ts";
import { activityReport } from "../../src/operate/report/activity.ts";
import { agentsReport } from "../../src/operate/report/agents.ts";
import { historyReport } from "../../src/operate/report/history.ts";
import { columnsOf, cutTo, factsTo, wrapTo } from "../../src/operate/report/layout.ts";
import { logLinesReport } from "../../src/operate/report/log-lines.ts";
import { runInfoReport } from "../../src/operate/report/run-info.ts";
import { runListReport } from "../../src/operate/report/run-list.ts";
import { stopReport } from "../../src/operate/report/stop.ts";
import { stateInWords, timeInWords } from "../../src/operate/report/words.ts";
import type { RunSummary } from "../../src/operate/runs.ts";
import type { ToolsHere } from "../../src/operate/tools-here.ts";
import type { Attempt } from "../../src/run/attempt.ts";
import type { HostId, RunId } from "../../src/run/ids.ts";
import { asItIs, type Plain } from "../helpers/as-it-is.ts";

const NOW = new Date(2026, 10, 15, 12, 0, 0).getTime();
const WIDTHS = [40, 76, 80, 120];

const summary = (more: Partial<Plain<RunSummary>> = {}): RunSummary =>
	asItIs<RunSummary>({
		runId: "8f3a0c12",
		number: 3,
		agent: "explorer",
		task: "Find where the ledger is opened, and by whom, in all of the source files of this project.",
		kind: "background",
		phase: "running",
		model: "scripted/child",
		createdAt: NOW - 100_000,
		startedAt: NOW - 72_000,
		usage: { input: 12_000, output: 345, cacheRead: 0, cacheWrite: 0, cost: 0.0213, turns: 4 },
		sessionId: "0f1e2d3c-4b5a-4697-8877-665544332211",
		sessionKey: "agent:main:subagent:0f1e2d3c-4b5a-4697-8877-665544332211",
		parentSession: "parent",
		cwd: "~/project",
		...more,
	});

const ended = (more: Partial<Plain<RunSummary>> = {}) =>
	summary({
		phase: "ended",
		status: "success",
		cause: "finalized",
		delivery: "delivered",
		endedAt: NOW - 2_000,
		...more,
	});

const info = (more: Partial<Plain<RunInfo>> = {}): RunInfo =>
	asItIs<RunInfo>({
		...summary(),
		warnings: [],
		attempt: 1,
		maxAttempts: 2,
		attempts: [],
		tools: ["read", "grep"],
		limits: {
			timeoutMs: 900_000,
			idleTimeoutMs: 180_000,
			toolTimeoutMs: 600_000,
			maxCorrections: 2,
			parentSession: {},
		},
		agentFile: "~/agents/explorer.md",
		principal: "main",
		cleanup: "keep",
		messagesWaiting: 0,
		...more,
	});

const HOSTILE =
	"\u001b[31mred\u001b[0m \u001b]0;title\u0007 line one\r\nline two\u2028three \u202Egnihsif\u0000 漢字 👩‍👩‍👧 end";

/** What must hold of any report, whatever was said in it. */
function expectReadable(lines: string[], width: number): void {
	for (const line of lines) {
		expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
		const longest = Math.max(0, ...line.trim().split(" ").map(columnsOf));
		if (longest < width / 2) expect(columnsOf(line), line).toBeLessThanOrEqual(width);
	}
}

describe("a list of runs", () => {
	const runs = [
		summary(),
		summary({ number: 2, runId: "00000002", label: "the label", phase: "queued", usage: ended().usage }),
		ended({ number: 1, runId: "00000001", agent: "reviewer", status: "error", cause: "stopped", reason: "stopped" }),
	];
	const list = { runs, count: { total: 503, queued: 1, running: 1 } };

	test("is one line a run where there is room", () => {
		expect(runListReport(list, { width: 100, now: NOW, howToSeeMore: "Ask." })).toEqual([
			"503 runs: 1 running, 1 queued, 501 finished",
			"",
			"#3  8f3a0c12  explorer  Find where the ledger is opened, and b…  running 1m12s  12.3k tokens  $0.021",
			'#2  00000002  explorer  "the label"                              queued 1m12s   12.3k tokens  $0.021',
			"#1  00000001  reviewer  Find where the ledger is opened, and b…  stopped 1m10s  12.3k tokens  $0.021",
			"",
			"…and 500 more. Ask.",
		]);
	});

	test("is three short lines a run where there is not", () => {
		expect(runListReport(list, { width: 40, now: NOW }).slice(0, 6)).toEqual([
			"503 runs: 1 running, 1 queued, 501",
			"finished",
			"",
			"#3 explorer · running 1m12s",
			"  Find where the ledger is opened, and…",
			"  8f3a0c12 · 12.3k tokens · $0.021",
		]);
	});

	test("has no numbers where runs of several conversations are in it", () => {
		expect(runListReport(list, { width: 100, now: NOW, numbered: false })[2]).toMatch(/^8f3a0c12 {2}explorer/);
	});

	test.each([40, 80, 120])("of all conversations tells where each comes from, at %d columns", async (width) => {
		const options = { width, now: NOW, numbered: false, withOrigin: true };
		const plain = runListReport(list, options);
		await expect(`${plain.join("\n")}\n`).toMatchFileSnapshot(`snapshots/runs-of-all-sessions-${width}.txt`);
		const colored = runListReport(list, {
			...options,
			paint: (color, text) => styleText(color, text, { validateStream: false }),
		});
		expect(colored.map(stripVTControlCharacters)).toEqual(plain);
		const states = ["running 1m12s", "stopped 1m10s"].map((state) => plain.findIndex((line) => line.includes(state)));
		expect(states.map((at) => colored[at])).toEqual([
			expect.stringContaining("\u001b[36mrunning 1m12s"),
			expect.stringContaining("\u001b[33mstopped 1m10s"),
		]);
	});

	test("says that there is nothing", () => {
		const none = { runs: [], count: { total: 0, queued: 0, running: 0 } };
		expect(runListReport(none, { width: 80, now: NOW })).toEqual(["No runs yet."]);
	});

	test.each(WIDTHS)("cannot be spoilt at %d columns", (width) => {
		const hostile = [
			summary({ task: HOSTILE, agent: HOSTILE }),
			ended({ label: HOSTILE }),
			summary({ task: "漢".repeat(300) }),
		];
		const lines = runListReport({ runs: hostile, count: list.count }, { width, now: NOW, withOrigin: true });
		expectReadable(lines, width);
		for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
	});
});

describe("lines of the logs", () => {
	const line: LogLine = {
		time: new Date(NOW).toISOString(),
		level: "error",
		role: "host",
		host: "3f88d0cf",
		runId: "8f3a0c12",
		agent: "explorer",
		message: "gave up starting a host",
		facts: { reason: "it ended with exit code 1, saying nothing", error: "Error: no\n    at here" },
	};

	test("are never cut: text that does not fit continues on the next line", () => {
		const head = "2026-11-15 12:00:00 ERROR host 3f88d0cf 8f3a0c12 explorer gave up starting a host";
		expect(logLinesReport([line], { width: Number.MAX_SAFE_INTEGER })).toEqual([
			`${head} reason=it ended with exit code 1, saying nothing`,
			"  Error: no",
			"      at here",
		]);
		for (const width of WIDTHS) {
			const lines = logLinesReport([line], { width });
			expectReadable(lines, width);
			expect(lines.join(" ").replace(/\s+/g, " ")).toContain(
				"gave up starting a host reason=it ended with exit code 1",
			);
		}
	});

	test.each(WIDTHS)("cannot be spoilt at %d columns", (width) => {
		expectReadable(logLinesReport([{ ...line, message: HOSTILE, facts: { x: HOSTILE } }], { width }), width);
	});
});

describe("show everything about a run", () => {
	test("is complete for one that failed", () => {
		const report = runInfoReport(
			info({
				...ended({ status: "error", cause: "stopped", reason: "stopped" }),
				label: "look",
				exitCode: 130,
				error: "It was stopped by the user.",
				stop: { at: NOW - 3_000, by: "the user" },
				warnings: ["The model x is not known."],
				thinking: "low",
				transcript: "~/.pi/subagent-sessions/1/explorer_0f1e2d3c.jsonl",
				deliveredAt: NOW - 1_000,
				cleanup: "delete",
				archivedAt: NOW - 500,
				messagesWaiting: 2,
				answer: "Half.\nOf it.",
				principal: "work",
			}),
			{ width: 120, now: NOW },
		);
		expect(report).toEqual([
			"Run 8f3a0c12 (#3)",
			"",
			"state        stopped (exit code 130), 1m10s",
			"accepted     2026-11-15 11:58:20",
			"started      2026-11-15 11:58:48",
			"finished     2026-11-15 11:59:58",
			"stop         requested by the user, 2026-11-15 11:59:57",
			"attempt      1 of at most 2",
			"usage        4 turns · 12.3k tokens (12k in / 345 out) · $0.021",
			"delivery     delivered 2026-11-15 11:59:59",
			"cleanup      delete, transcript archived 2026-11-15 11:59:59",
			"messages     2 not received yet",
			"agent        explorer (~/agents/explorer.md)",
			'label        "look"',
			"task         Find where the ledger is opened, and by whom, in all of the source files of this project.",
			"kind         background",
			"model        scripted/child, thinking low",
			"tools        read, grep",
			"limits       15m00s total · 3m00s idle · 10m00s per tool call",
			"directory    ~/project",
			"agent id     work",
			"session id   0f1e2d3c-4b5a-4697-8877-665544332211",
			"session key  agent:main:subagent:0f1e2d3c-4b5a-4697-8877-665544332211",
			"transcript   ~/.pi/subagent-sessions/1/explorer_0f1e2d3c.jsonl",
			"asked by     session parent",
			"warning      The model x is not known.",
			"error        It was stopped by the user.",
			"answer       Half.",
			"             Of it.",
		]);
	});

	test("has its state in colour for a reader who sees colours", () => {
		const paint = (color: string, text: string) => `<${color}>${text}</>`;
		const failed = info(ended({ status: "error", cause: "timeout" }));
		expect(runInfoReport(failed, { width: 120, now: NOW, paint })[2]).toBe("state        <red>timed out</>, 1m10s");
		expect(runInfoReport(info(ended()), { width: 40, now: NOW, paint })[3]).toBe("  <green>finished</>, 1m10s");
	});

	test("has a line for each attempt of a run that had several, even for an unknown one", () => {
		const hostId = "3f88d0cf" as HostId;
		const attempts: Attempt[] = [
			{
				number: 2,
				hostId,
				model: "scripted/child",
				startedAt: NOW - 60_000,
				end: { at: NOW - 48_000, cause: "host_lost" },
				usage: { ...summary().usage, turns: 1 },
			},
			{ number: 3, hostId, startedAt: NOW - 40_000 },
		];
		const report = runInfoReport(info({ attempt: 3, maxAttempts: 3, attempts }), { width: 160, now: NOW });
		expect(report.filter((line) => line.startsWith("attempt"))).toEqual([
			"attempt      3 of at most 3",
			"attempt 1    not known",
			"attempt 2    2026-11-15 11:59:00, 12s: its host died or went silent · host 3f88d0cf · scripted/child · 1 turn · 12.3k tokens · $0.021",
			"attempt 3    2026-11-15 11:59:20, 40s: running · host 3f88d0cf",
		]);
		const spoilt = attempts.map((attempt) => ({ ...attempt, model: HOSTILE }));
		for (const width of WIDTHS) {
			expectReadable(runInfoReport(info({ attempt: 3, attempts: spoilt }), { width, now: NOW }), width);
		}
	});

	test.each(WIDTHS)("cannot be spoilt at %d columns", (width) => {
		expectReadable(runInfoReport(info({ task: HOSTILE, answer: HOSTILE, error: HOSTILE }), { width, now: NOW }), width);
	});
});

test.each([
	[{ phase: "queued" }, "queued"],
	[{ phase: "queued", queuePosition: 0 }, "queued · next"],
	[{ phase: "queued", queuePosition: 3 }, "queued · 3 ahead"],
	[{ phase: "running" }, "running"],
	[{ phase: "ended", cause: "finalized" }, "finished"],
	[{ phase: "ended", cause: "timeout" }, "timed out"],
	[{ phase: "ended", cause: "lost" }, "lost"],
	[{ phase: "ended", cause: "budget" }, "over budget"],
	[{ phase: "ended", cause: "not_finalized", reason: "stopped" }, "failed"],
] as const)("%j is in words: %s", (run, words) => expect(stateInWords(run)).toBe(words));

describe("what was said", () => {
	const history = asItIs<History>({
		sessionKey: "agent:main:subagent:x",
		agent: "explorer",
		state: "running",
		transcript: "~/x.jsonl",
		messages: [
			{ role: "user", text: "Find it.", at: new Date(NOW).toISOString() },
			{ role: "tool", tool: "ls", text: "a\n\tb", at: "yesterday" },
		],
		note: "3 earlier messages are left out.",
	});

	test("is shown with its author and time", () => {
		expect(historyReport(history, { width: 80, run: { phase: "running" } })).toEqual([
			"explorer, running",
			"",
			"[2026-11-15 12:00:00] task or message",
			"  Find it.",
			"",
			"[(unknown time)] result of ls",
			"  a",
			"     b",
			"",
			"3 earlier messages are left out.",
			"Transcript: ~/x.jsonl",
		]);
	});

	test.each(WIDTHS)("cannot be spoilt at %d columns", (width) => {
		const messages = asItIs<ChildMessage[]>([{ role: "assistant", text: `${HOSTILE} ${"word ".repeat(200)}`, at: "" }]);
		expectReadable(historyReport({ ...history, messages, agent: HOSTILE }, { width, run: summary() }), width);
	});

	test("of a run that ended before it began is nothing, and how it ended is said", () => {
		const nothing = { ...history, messages: [], note: "There is no transcript." };
		const stopped = { phase: "ended", cause: "stopped" } as const;
		expect(historyReport(nothing, { width: 80, run: stopped }).slice(0, 3)).toEqual([
			"explorer, stopped",
			"",
			"Nothing was said.",
		]);
		expect(historyReport(nothing, { width: 80, run: { phase: "queued" } })[2]).toBe("Nothing was said yet.");
	});
});

test("a stop request is answered with its result", () => {
	const id = (n: number) => n.toString(16).padStart(8, "0") as RunId;
	expect(stopReport([])).toEqual(["Nothing to stop: no run is open."]);
	expect(
		stopReport([
			...Array.from({ length: 7 }, (_, n) => ({ runId: id(n), was: "open" as const })),
			{ runId: id(8), was: "stopping" },
			{ runId: id(9), was: "ended" },
		]),
	).toEqual([
		"Stopping 7 runs: 00000000, 00000001, 00000002, 00000003, 00000004 and 2 more.",
		"Already stopping: 00000008.",
		"Already finished: 00000009. Nothing was changed.",
	]);
});

test("what tools did is a line each, below the runs", () => {
	const line = (facts: object, more: object = {}) => ({
		...{ time: new Date(NOW).toISOString(), level: "info" as const, role: "host" as const, message: "used a tool" },
		...more,
		facts: { ...facts },
	});
	const lines = activityReport(
		[],
		[
			{ tool: "lsp", calls: 3, failed: 1, last: line({ action: "hover", file: "a.ts" }, { agent: "explorer" }) },
			{ tool: "fetch_content", calls: 1, failed: 0, last: line({ hosts: ["example.org", "a\u001b[31mb"] }) },
		],
		{ width: 120, now: NOW },
	);
	const when = timeInWords(NOW);
	expect(lines).toEqual([
		"No run is open.",
		"",
		"Tools in this conversation and its subagents:",
		`  lsp            3 calls, 1 failed · last ${when} by explorer: hover a.ts`,
		`  fetch_content  1 call · last ${when} by this session: example.org ab`,
	]);
});

test("what runs are doing is two or three lines each", () => {
	expect(activityReport([], [], { width: 80, now: NOW })).toEqual(["No run is open."]);
	expect(
		activityReport(
			[
				{ run: summary({ label: "one" }), doing: `grep ${"x".repeat(100)}` },
				{ run: summary({ phase: "queued", queuePosition: 2, label: "two" }), doing: undefined },
			],
			[],
			{ width: 44, now: NOW },
		),
	).toEqual([
		"#3 explorer · running 1m12s · 12.3k tokens…",
		"  one",
		`  › grep ${"x".repeat(34)}…`,
		"",
		"#3 explorer · queued · 2 ahead · 1m12s · 12…",
		"  two",
	]);
});

test("an agent is reported with its source, its tools, what it does not get and what it overrides", () => {
	const agent = {
		name: "scout",
		description: "Looks around.",
		readonly: true,
		tools: { kind: "only" as const, names: ["read", "bash"] },
		writtenAs: {},
		leftOut: [],
		warnings: [],
		limits: {},
		isolation: "shared" as const,
		prompt: "",
		source: "user" as const,
		file: "/home/u/scout.md",
		digest: "",
	};
	const catalog = {
		agents: [
			agent,
			{ ...agent, name: "free", readonly: false, tools: { kind: "inherit" as const, except: ["bash"] }, model: "a/b" },
		],
		overridden: [{ ...agent, source: "builtin" as const, file: "/package/scout.md" }],
		unusable: [],
		diagnostics: [
			{ severity: "error" as const, file: "/x.md", line: 2, message: "It has no name.", remedy: "Give it one." },
		],
	};
	const toolsHere = ({ name }: { name: string }): ToolsHere => {
		const nothing = { skills: [], unsure: [], inherits: false, asksFor: [] };
		if (name === "scout") {
			return { ...nothing, tools: ["read"], skills: ["memos"], warnings: ["bash was left out: scout is read-only."] };
		}
		return { ...nothing, tools: [], warnings: [], asksFor: ["edit"], writing: { always: Date.UTC(2026, 10, 16) } };
	};
	const howToForget = ({ name }: { name: string }) => `forget ${name}`;
	const modelHere = ({ model }: { model?: string }) =>
		model === undefined
			? { words: "the parent's", fallbacks: [], warnings: [], isChecked: true }
			: { words: model, fallbacks: ["c/d", "e/f"], warnings: ["It is another provider's."], isChecked: true };
	expect(agentsReport(catalog, { width: 80, toolsHere, modelHere, howToForget })).toEqual([
		"2 agents, 1 problem",
		"",
		"scout · user · readonly",
		"  about      Looks around.",
		"  tools      read, bash",
		"  gets here  read",
		"  skills     memos",
		"  warning    bash was left out: scout is read-only.",
		"  model      the parent's",
		"  file       /home/u/scout.md",
		"  overrides  /package/scout.md (builtin)",
		"",
		"free · user",
		"  about      Looks around.",
		"  tools      the parent's, except bash",
		"  gets here  none, so it cannot run",
		"  asks       you, in pi, whether it may write in your checkout",
		"  may write  always, since 2026-11-16, until its file changes. Take it back with",
		"             forget free",
		"  model      a/b",
		"  fallback   c/d, then e/f",
		"  warning    It is another provider's.",
		"  file       /home/u/scout.md",
		"",
		"Problems:",
		"- error: /x.md:2: It has no name. Give it one.",
	]);
});

describe("layout", () => {
	test.each([
		["abc", 3],
		["漢字", 4],
		["é", 1],
		["👩‍👩‍👧", 2],
		["", 0],
	])("%s takes %d columns", (text, columns) => expect(columnsOf(text)).toBe(columns));

	test("lines are cut between letters", () => {
		expect(cutTo(5, "漢字漢字")).toBe("漢字…");
		expect(cutTo(8, "漢字漢字")).toBe("漢字漢字");
	});

	test("lines are wrapped between words, and a long word stays whole", () => {
		expect(wrapTo(10, "one two three four")).toEqual(["one two", "three four"]);
		expect(wrapTo(10, "see ~/a/long/path/to/it now")).toEqual(["see", "~/a/long/path/to/it", "now"]);
		expect(wrapTo(10, "  indented-beyond-it")).toEqual(["  indented-beyond-it"]);
		expect(wrapTo(10, "a\n\nb")).toEqual(["a", "", "b"]);
	});

	test("values stand below their names where there is no room beside them", () => {
		expect(factsTo(30, [{ name: "name", value: "a value that is long enough" }])).toEqual([
			"name",
			"  a value that is long enough",
		]);
	});
});
