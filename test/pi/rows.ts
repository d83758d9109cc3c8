import type { SingleResult, SubagentDetails } from "../../src/deliver/details.ts";
import type { RunId, SessionId } from "../../src/run/ids.ts";
import { type DisplayItem, FINALIZE_TOOL } from "../../src/run/outcome.ts";
import { CHANGES } from "../deliver/reported-changes.ts";
import { asItIs, type Plain } from "../helpers/as-it-is.ts";
import type { Row } from "./row.ts";

export const call = { agent: "explorer", task: "Find where auth is registered.\nName the file and the line." };
const usage = { input: 12_345, output: 2_210, cacheRead: 98_000, cacheWrite: 0, cost: 0.0213, turns: 3 };
const context = { tokens: 16_000, window: 200_000 };
const ids = {
	runId: "1a2b3c4d" as RunId,
	sessionId: "0199c0de-7a11-7000-8000-00000000beef" as SessionId,
};
const sessionKey = `agent:main:subagent:${ids.sessionId}`;
const sessionFile = "/home/ada/.pi/agent/subagents/0199c0de-7a11-7000-8000-00000000beef.jsonl";

const displayItems = asItIs<DisplayItem[]>([
	{ type: "text", text: "I will look for it.\nFirst the routes." },
	{ type: "toolCall", name: "grep", args: { pattern: "registerAuth", path: "src" } },
	{ type: "toolCall", name: "read", args: { path: "src/server/auth.ts", offset: 1 } },
]);

const result: Plain<SingleResult> = {
	...call,
	exitCode: 0,
	cause: "finalized",
	usage,
	output: `**Answer**: \`registerAuth\` is called in src/server/auth.ts:12, and nowhere else.

- src/server/auth.ts:12 calls it
- src/server/index.ts:4 imports the module

| place | line |
|---|---|
| auth.ts | 12 |

Uncertain: nothing.`,
	sessionFile,
	displayItems: [...displayItems, { type: "toolCall", name: FINALIZE_TOOL, args: { status: "SUCCESS" } }],
	model: "anthropic/claude-haiku",
	attempts: 1,
	durationMs: 72_400,
	context,
};

/** What enforced the limits of a run in a tree of its own. */
const sandbox = { enforced: "kernel", by: "bwrap", write: "worktree", network: "off" };

const timeout = {
	code: "SUBAGENT_TIMEOUT",
	message: "It was silent for 180 s.",
	reason: "idle",
} as const;

/** What an agent file asks for and its child does not get can be a long list. */
const manyWarnings = [
	"explorer asks for bash, edit and write, which are left out: subagents.allowWrite is false.",
	"Model anthropic/claude-haiku-4-5 is not usable: there are no credentials for it.",
	"mcp__github__create_issue is left out: name it in subagents.readonlyTools.",
	"hooks: is not honoured, so the agent is read-only.",
	"The definition of explorer has changed since this session was last used.",
];

/** One of each view. Functions, because a running one looks at the clock. */
export const rows: Record<string, () => Row> = {
	called: () => ({ args: call }),
	"called again": () => ({ args: { ...call, sessionId: "0199c0de-7a11-7000-8000-00000000beef" } }),
	queued: () => ({ args: call, ...partial({ displayItems: [], usage: none, turnCount: 0, queuePosition: 2 }) }),
	"has a place": () => ({ args: call, ...partial({ displayItems: [], usage: none, turnCount: 0, starting: true }) }),
	"next in line": () => ({ args: call, ...partial({ displayItems: [], usage: none, turnCount: 0, queuePosition: 0 }) }),
	starting: () => ({ args: call, ...partial({ displayItems: [], usage: none, turnCount: 0 }) }),
	running: () => ({
		args: call,
		...partial({
			displayItems,
			usage: { ...usage, turns: 2 },
			turnCount: 2,
			model: "anthropic/claude-haiku",
			startedAt: Date.now() - 12_300,
			context,
		}),
	}),
	done: () => ({ args: call, ...final({ ...ids, results: [result] }) }),
	"done in one line": () => ({
		args: { agent: "tester", task: "Look" },
		...final({
			...ids,
			results: [{ ...result, output: "Fine.", usage: { ...usage, cost: 0, turns: 1 }, attempts: 2 }],
		}),
	}),
	"done with warnings": () => ({
		args: call,
		...final({
			...ids,
			results: [
				{
					...result,
					output: "Fine.",
					warnings: [
						"Model anthropic/claude-haiku-4-5 of the agent explorer is not usable: there are no credentials for it.",
						"The definition of explorer has changed since this session was last used.",
					],
				},
			],
		}),
	}),
	"done with many warnings": () => ({
		args: call,
		...final({ ...ids, results: [{ ...result, output: "Fine.", warnings: manyWarnings }] }),
	}),
	"spawned with many warnings": () => ({
		tool: "sessions_spawn",
		args: call,
		...answer({
			status: "accepted",
			runId: ids.runId,
			childSessionKey: sessionKey,
			model: "anthropic/claude-haiku",
			warning: manyWarnings.join("\n"),
		}),
	}),
	"timed out": () => ({
		args: call,
		...final({
			...ids,
			error: timeout,
			results: [
				{
					...result,
					exitCode: 124,
					cause: "timeout",
					error: timeout.message,
					timeoutReason: "idle",
					warnings: ["The definition of explorer has changed since this session was last used."],
					displayItems,
					output: "So far: *auth.ts*.",
				},
			],
		}),
	}),
	stopped: () => ({
		args: call,
		...final({
			...ids,
			error: { code: "SUBAGENT_FAILED", message: "It was stopped by the user.", reason: "stopped" },
			results: [{ ...call, exitCode: 130, cause: "stopped", usage: none, error: "It was stopped by the user." }],
		}),
	}),
	refused: () => ({
		args: { agent: "exlporer", task: "Look" },
		...final({
			error: {
				code: "UNKNOWN_AGENT",
				message:
					"Unknown agent: exlporer. Available agents: explorer, researcher, reviewer, implementer, tester, worker",
			},
		}),
	}),
	"of another version": () => ({
		args: call,
		result: {
			content: [{ type: "text", text: "**Status:** SUCCESS\n\nIt is there." }],
			details: { version: 99, results: [result] },
		},
	}),
	aborted: () => ({
		args: call,
		result: { content: [{ type: "text", text: "Operation aborted" }], details: {}, isError: true },
	}),
	spawned: () => ({
		tool: "sessions_spawn",
		args: { ...call, label: "the auth hunt" },
		...answer({
			status: "accepted",
			runId: ids.runId,
			childSessionKey: sessionKey,
			model: "anthropic/claude-haiku",
			warning: "Model anthropic/claude-haiku-4-5 is not usable: there are no credentials for it.",
		}),
	}),
	"spawned without a role": () => ({ tool: "sessions_spawn", args: { task: call.task } }),
	"spawn refused": () => ({
		tool: "sessions_spawn",
		args: { ...call, agent: "exlporer" },
		...answer({ status: "error", error: "Unknown agent: exlporer. Available agents: explorer, researcher" }),
	}),
	"sent and answered": () => ({
		tool: "sessions_send",
		args: { label: "the auth hunt", message: "Also look into the tests." },
		...answer({ status: "ok", reply: "**Two** more:\n\n- auth.test.ts", runId: ids.runId, sessionKey }),
	}),
	"sent and failed": () => ({
		tool: "sessions_send",
		args: { sessionKey, message: "Also look into the tests." },
		...answer({
			...{ status: "error", error: "Stopped by the user.", reply: "So far one.", runId: ids.runId, sessionKey },
			warning: "bash was left out: scout is read-only. `readonly` in its file changes that.",
		}),
	}),
	"sent and changed files": () => ({
		tool: "sessions_send",
		args: { label: "the auth hunt", message: "Fix it too." },
		...answer({ status: "ok", reply: "Fixed.", runId: ids.runId, sessionKey, changes: CHANGES, sandbox }),
	}),
	"sent and failed after changes": () => ({
		tool: "sessions_send",
		args: { sessionKey, message: "Fix it too." },
		...answer({ status: "error", error: "Its host died.", runId: ids.runId, sessionKey, changes: CHANGES, sandbox }),
	}),
	"sent and not answered": () => ({
		tool: "sessions_send",
		args: { sessionKey, message: "Also look into the tests." },
		...answer({ status: "timeout", runId: ids.runId, sessionKey, note: "Its report comes by itself." }),
	}),
	"send forbidden": () => ({
		tool: "sessions_send",
		args: { sessionKey, message: "Also look into the tests." },
		...answer({ status: "forbidden", error: "It is a subagent of another conversation." }),
	}),
	listed: () => ({
		tool: "sessions_list",
		args: {},
		...answer({
			sessions: [
				{ sessionKey, agent: "explorer", state: "running" },
				{ sessionKey, agent: "tester", state: "ended", status: "error" },
			],
			total: 12,
		}),
	}),
	"history read": () => ({
		tool: "sessions_history",
		args: { sessionKey },
		...answer({
			sessionKey,
			agent: "explorer",
			state: "ended",
			messages: [{ role: "user", text: call.task, at: "2026-11-15T12:00:00.000Z" }],
			note: "3 earlier messages are left out.",
		}),
	}),
	"changes applied": () => ({
		tool: "sessions_apply",
		args: { run: "8f3a0c12" },
		...answer({ runId: "8f3a0c12", done: "applied", state: "applied", files: 3 }),
	}),
	"changes that conflict": () => ({
		tool: "sessions_apply",
		args: { run: "last", undo: true },
		...answer({
			status: "error",
			error: "src/a.ts is not as run 8f3a0c12 left it. Nothing was changed.",
			conflicts: ["src/a.ts"],
		}),
	}),
	"principals listed": () => ({
		tool: "agents_list",
		args: {},
		...answer({ requester: "main", allowAny: false, agents: [{ id: "main" }, { id: "work", configured: true }] }),
	}),
};

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 0 };

function partial(streaming: Plain<SubagentDetails["streaming"]>) {
	return {
		result: { content: [], details: { version: 1, mode: "single", results: [], streaming } },
		isPartial: true,
	};
}

/** As the session tools answer. */
const answer = (details: object) => ({
	result: { content: [{ type: "text", text: JSON.stringify(details, null, 1) }], details },
});

function final(details: Partial<Plain<SubagentDetails>>) {
	return {
		result: {
			content: [{ type: "text", text: "for the model" }],
			details: { version: 1, mode: "single", results: [], ...details },
		},
	};
}
