import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finalize } from "../e2e/child.ts";
import { inLedger } from "../e2e/ledger-of.ts";
import fc from "../helpers/fast-check.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { invalidToolArguments, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { seeded } from "./bytes.ts";

const openHome = useHome();

const LONG = "x".repeat(300_000);
const UUID = "00000000-0000-4000-8000-000000000000";
/** Names and ids that lead elsewhere, if anybody followed them. */
const TRICKS = [
	"../../../../etc/passwd",
	"/etc/passwd",
	"..",
	"explorer/../../x",
	"explorer\u0000.md",
	"explorer\n",
	"EXPLORER ",
	"__proto__",
	"constructor",
	"\ud800",
	"\u202eexplorer",
	"\u001b[2Jexplorer",
	"$(touch owned)",
	"'; DROP TABLE runs; --",
	"~",
	"",
	" ",
	LONG,
];

/** Calls that none of the tools may take: name and arguments, as text where they are no JSON. */
const WRONG: [string, object | string][] = [
	...TRICKS.map((agent): [string, object] => ["subagent", { agent, task: "Look." }]),
	...TRICKS.map((sessionId): [string, object] => ["subagent", { agent: "explorer", task: "Look.", sessionId }]),
	["subagent", { agent: "explorer", task: "" }],
	["subagent", { agent: "explorer", task: "\n\t " }],
	["subagent", { agent: "explorer" }],
	["subagent", { agent: ["explorer"], task: {} }],
	["subagent", { agent: "explorer", task: "Look.", model: "x" }],
	["subagent", { agent: "explorer", task: "Look.", chain: [{ agent: "explorer", task: "x" }] }],
	["subagent", {}],
	["subagent", '{"agent":"explorer","__proto__":{"task":"Look."}}'],
	["sessions_spawn", {}],
	["sessions_spawn", { task: "" }],
	["sessions_spawn", { task: " " }],
	["sessions_spawn", { task: "Look.", agent: "../x" }],
	["sessions_spawn", { task: "Look.", agent: "" }],
	["sessions_spawn", { task: "Look.", agentId: "../../root" }],
	["sessions_spawn", { task: "Look.", agentId: "__proto__" }],
	["sessions_spawn", { task: "Look.", thinking: "extreme" }],
	["sessions_spawn", { task: "Look.", runTimeoutSeconds: -1 }],
	["sessions_spawn", { task: "Look.", cleanup: "burn" }],
	["sessions_spawn", { task: "Look.", label: { a: 1 } }],
	["sessions_spawn", { task: "Look.", cwd: "/etc" }],
	...[...TRICKS, `agent:main:subagent:${UUID}`, `agent:../x:subagent:${UUID}`, UUID].flatMap(
		(key): [string, object][] => [
			["sessions_send", { sessionKey: key, message: "Hello." }],
			["sessions_history", { sessionKey: key }],
		],
	),
	...TRICKS.map((label): [string, object] => ["sessions_send", { label, message: "Hello." }]),
	["sessions_send", { message: "Hello." }],
	["sessions_send", { sessionKey: UUID, message: "" }],
	["sessions_send", { sessionKey: UUID, message: "x", timeoutSeconds: "soon" }],
	["sessions_history", { sessionKey: UUID, limit: "all" }],
	["sessions_history", {}],
	["sessions_list", { kinds: ["sideways"] }],
	["sessions_list", { kinds: "all of them" }],
	["sessions_list", { limit: {} }],
	["sessions_list", { path: "/etc" }],
	["agents_list", { all: { of: "them" } }],
];

/** Calls that are strange but right: they are answered. */
const STRANGE: [string, object][] = [
	["sessions_list", { limit: -1e308 }],
	["sessions_list", { limit: 1e308, activeMinutes: 1e308, messageLimit: 1e308 }],
	["sessions_list", { activeMinutes: -1, messageLimit: -5, kinds: [] }],
	["agents_list", {}],
];

const playing = (calls: [string, object | string][]) =>
	dispatch({
		parent: ({ lastMessage }) =>
			lastMessage?.role === "tool"
				? text("Done.")
				: calls.map(([name, args]) =>
						typeof args === "string" ? invalidToolArguments(name, args) : toolCall(name, args),
					),
		child: [finalize("Should not have been asked.")],
	});

async function called(calls: [string, object | string][], version: PiVersion) {
	const home = await openHome({ script: playing(calls), contextWindow: 10_000_000 });
	const run = await promptPi(home, "Go", { version });
	expect(run.code).toBe(0);
	expect(run.finalText).toBe("Done.");
	expect(run.stderr).not.toMatch(/TypeError|Uncaught|unhandled/i);
	expect(run.toolResults).toHaveLength(calls.length);
	return { home, results: run.toolResults };
}

function expectNothingWritten(home: Home): void {
	expect(home.model.requests.filter(({ isChild }) => isChild)).toEqual([]);
	// A host that was started ahead may have made the folder.
	const sessions = join(home.home, ".pi", "subagent-sessions");
	if (existsSync(sessions)) expect(readdirSync(sessions)).toEqual([]);
	expect(readdirSync(home.project)).toEqual([]);
	if (existsSync(join(home.agentDir, "pi-geon", "ledger.sqlite"))) {
		expect(inLedger(home, "SELECT id FROM runs")).toEqual([]);
		expect(inLedger(home, "SELECT id FROM sessions")).toEqual([]);
	}
}

interface Answer {
	text: string;
	isError: boolean;
	details: unknown;
}

/** Turned down by pi's schema check, by the plan, or by the tool; never by a mistake of ours. */
const isRefusal = ({ isError, details }: Answer): boolean => {
	if (isError) return true;
	const { status, error } = (details ?? {}) as { status?: string; error?: unknown };
	return error !== undefined || status === "error" || status === "forbidden";
};

const MISTAKES = /undefined|TypeError|is not a function|Cannot read|ENOENT|EACCES|SQLITE|no such|constraint failed/;

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("what no tool may take is refused in words, and nothing is started or written", async () => {
		const { home, results } = await called(WRONG, version);
		for (const [index, result] of results.entries()) {
			const call = JSON.stringify(WRONG[index]).slice(0, 120);
			expect(isRefusal(result), `${call}: ${result.text.slice(0, 200)}`).toBe(true);
			expect(result.text.replaceAll("__proto__", ""), call).not.toMatch(MISTAKES);
			expect(result.text.trim().length, call).toBeGreaterThan(10);
			if (!result.isError) expect(result.text.length, call).toBeLessThan(2000); // pi itself repeats what it was given.
		}
		expectNothingWritten(home);
	});
});

longTest("what is strange but right is answered", async () => {
	const { home, results } = await called(STRANGE, "0.87.1");
	for (const result of results) expect(isRefusal(result), result.text).toBe(false);
	expectNothingWritten(home);
});

longTest("whatever else the arguments are, pi goes on and nothing is started", async () => {
	const value = fc.oneof(
		fc.jsonValue({ maxDepth: 2 }),
		fc.string({ unit: "binary", maxLength: 40 }),
		fc.constantFrom(...TRICKS.slice(0, -1)),
	);
	const args = fc.dictionary(
		fc.constantFrom(
			"agent",
			"sessionId",
			"sessionKey",
			"label",
			"agentId",
			"limit",
			"kinds",
			"thinking",
			"cleanup",
			"__proto__",
			"toString",
		),
		value,
		{ maxKeys: 4 },
	);
	const tools = fc.constantFrom(
		"subagent",
		"sessions_spawn",
		"sessions_send",
		"sessions_history",
		"sessions_list",
		"agents_list",
	);
	// Neither a task nor a message among them, so that nothing can be right that starts something.
	const calls = fc.sample(
		fc.tuple(tools, fc.oneof({ weight: 5, arbitrary: args }, { weight: 1, arbitrary: fc.string() })),
		{
			seed: seeded(0).seed,
			numRuns: 150,
		},
	) as [string, object | string][];
	const { home, results } = await called(calls, "0.87.1");
	for (const [index, { text: said }] of results.entries()) {
		expect(said, JSON.stringify(calls[index])).not.toMatch(/TypeError|is not a function|Cannot read prop|SQLITE/);
	}
	expectNothingWritten(home);
});

longTest("texts with every kind of character arrive, and no label or task breaks the lists", async () => {
	const task = "Look. \u0000 \u001b[2J \u202e \ud800 \u2028 '\"`$(x) \u{1F600}";
	const label = "\u001b]0;owned\u0007 \u0000 '; DROP TABLE runs; -- \ud800";
	const home = await openHome({
		script: dispatch({
			parent: ({ lastMessage, toolResults }) => {
				if (toolResults.length === 0) return toolCall("sessions_spawn", { task, label, agent: "explorer" });
				if (toolResults.length === 1 && lastMessage?.role === "tool")
					return toolCall("sessions_list", { messageLimit: 5 });
				return text("Done.");
			},
			child: [finalize("Seen.")],
		}),
	});
	const run = await promptPi(home, "Go");
	expect(run.code).toBe(0);
	const [spawned, listed] = run.toolResults;
	expect(spawned?.details).toMatchObject({ status: "accepted" });
	expect(listed?.details).toMatchObject({ total: 1, sessions: [{ agent: "explorer" }] });
	const asked = home.model.requests.find(({ isChild }) => isChild);
	expect(asked?.firstUserText).toContain("Look.");
	expect(asked?.firstUserText).toContain("\u{1F600}");
	expect(inLedger(home, "SELECT state, delivery FROM runs")).toEqual([{ state: "ended", delivery: "delivered" }]);
});

test("a label cannot paint on the terminal of a pi -p that says what it waits for", async () => {
	const proceed = gate();
	const home = await openHome({
		config: { headless: { drainSeconds: 1 } },
		script: dispatch({
			parent: ({ toolResults }) =>
				toolResults.length > 0
					? text("Done.")
					: toolCall("sessions_spawn", {
							task: "Look.",
							label: "\u001b]0;owned\u0007\u202ename\n2",
							agent: "explorer",
						}),
			child: async () => {
				await proceed.opened;
				return finalize("Seen.");
			},
		}),
	});
	const { stderr } = await promptPi(home, "Go");
	proceed.open();
	expect(stderr).toContain("still running: name 2");
	expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
});
