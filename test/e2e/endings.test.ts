import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SingleResult, SubagentDetails } from "../../src/deliver/details.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Plain } from "../helpers/as-it-is.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids, hostsAtWork, killHostsAtWork } from "../helpers/hosts.ts";
import { localLongTest, localTest } from "../helpers/local-test.ts";
import { longTest } from "../helpers/long-test.ts";
import type { RecordedRequest } from "../helpers/model-request.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import {
	cut,
	delay,
	drip,
	endless,
	hang,
	httpError,
	invalidToolArguments,
	type Reply,
	text,
	toolCall,
	usage,
} from "../helpers/model-steps.ts";
import { promptPi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { type Answered, useSharedPi } from "../helpers/shared-pi.ts";
import { isThroughPool } from "../helpers/through-pool.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();
const MISBEHAVING_TOOLS = join(repositoryRoot, "test", "children", "misbehaving-tools.ts");

interface Row {
	name: string;
	/** The child's turns; the last is repeated. `kill` ends the host in that turn. */
	child: (Reply | "kill")[];
	subagents?: object;
	error?: { code: string; reason: string };
	result: Partial<Plain<SingleResult>>;
	/** 100 and 10 tokens for a turn of `working`, 10 and 5 for any other that came to its end, none for one cut short. */
	used: { input: number; output: number; turns: number };
	/** Stop it when its n-th model request arrives. */
	stopAtRequest?: number;
	/** How many model requests there must have been. */
	requests?: number;
	/** A tool of an extension, which does not travel to a pool. */
	local?: true;
	/** In a pi of its own, read at its end: five events hold the result, and a line of many megabytes is slow to follow. */
	ownPi?: true;
}

const working = [text("I found a clue."), toolCall("ls", { path: "." }), usage({ input: 100, output: 10 })];
const success = finalize("All is well.");
const FAILED = "SUBAGENT_FAILED";
const TIMEOUT = "SUBAGENT_TIMEOUT";

const rows: Row[] = [
	{
		name: "finished",
		used: { input: 110, output: 15, turns: 2 },
		child: [working, success],
		result: { exitCode: 0, output: "All is well.", attempts: 1 },
	},
	{
		name: "a provider that refuses the request: not tried again",
		used: { input: 100, output: 10, turns: 1 },
		child: [working, httpError(400)],
		error: { code: FAILED, reason: "provider" },
		result: { exitCode: 1, output: "I found a clue.", attempts: 1 },
		requests: 2,
	},
	{
		name: "a provider that is busy twice, then answers",
		used: { input: 110, output: 15, turns: 2 },
		child: [httpError(429), httpError(503), working, success],
		result: { exitCode: 0, attempts: 1, output: "All is well." },
		requests: 4,
	},
	{
		name: "a provider that stays busy",
		used: { input: 100, output: 10, turns: 1 },
		child: [working, httpError(529)],
		error: { code: FAILED, reason: "provider" },
		result: { exitCode: 1, attempts: 2, output: "I found a clue." },
		requests: 3,
	},
	{
		name: "a connection that breaks in the middle of the answer",
		used: { input: 110, output: 15, turns: 3 },
		child: [[text("I was just saying"), cut()], working, success],
		result: { exitCode: 0, attempts: 1, output: "All is well." },
	},
	{
		name: "tool arguments that are not JSON",
		used: { input: 20, output: 10, turns: 2 },
		child: [invalidToolArguments("ls", "{not json"), success],
		result: { exitCode: 0, output: "All is well.", attempts: 1 },
	},
	{
		name: "an answer that merely talks about rate limits and timeouts",
		used: { input: 10, output: 5, turns: 1 },
		child: [finalize("HTTP 429: rate limit exceeded. The request timed out: timeout, overloaded, connection error.")],
		result: { exitCode: 0, attempts: 1 },
		requests: 1,
	},
	{
		name: "a host that dies once: the run goes on in another",
		used: { input: 110, output: 15, turns: 2 },
		child: [working, "kill", success],
		result: { exitCode: 0, attempts: 2, output: "All is well." },
	},
	{
		name: "a host that dies every time",
		used: { input: 100, output: 10, turns: 1 },
		child: [working, "kill", "kill"],
		error: { code: FAILED, reason: "lost" },
		result: { exitCode: 1, attempts: 2, output: "I found a clue." },
	},
	{
		name: "an extension of the child's that crashes the process",
		used: { input: 20, output: 10, turns: 2 },
		child: [toolCall("crashes_the_process", {})],
		local: true,
		error: { code: FAILED, reason: "lost" },
		result: { exitCode: 1, attempts: 2 },
	},
	{
		name: "the hard time limit",
		used: { input: 100, output: 10, turns: 2 },
		child: [working, [text("Still thinking"), drip("…".repeat(1000), { everyMs: 50 })]],
		subagents: { timeoutMs: 6000 },
		error: { code: TIMEOUT, reason: "runtime" },
		result: { exitCode: 124, timeoutReason: "runtime", output: expect.stringContaining("Still thinking…") },
	},
	{
		name: "a model that is silent for longer than the idle limit",
		used: { input: 100, output: 10, turns: 1 },
		child: [working, hang()],
		subagents: { idleTimeoutMs: 3000 },
		error: { code: TIMEOUT, reason: "idle" },
		result: { exitCode: 124, timeoutReason: "idle", output: "I found a clue." },
	},
	{
		name: "a model that streams slowly for longer than the idle limit: it lives",
		used: { input: 20, output: 10, turns: 2 },
		child: [[drip("slow but sure", { everyMs: 300 }), toolCall("ls", { path: "." })], success],
		subagents: { idleTimeoutMs: 3000 },
		result: { exitCode: 0, output: "All is well." },
	},
	{
		name: "a tool that takes longer than the idle limit: the clock stands still",
		used: { input: 20, output: 10, turns: 2 },
		child: [toolCall("bash", { command: "sleep 4" }), success],
		subagents: { idleTimeoutMs: 3000 },
		result: { exitCode: 0, output: "All is well." },
	},
	{
		name: "a tool that hangs",
		used: { input: 10, output: 5, turns: 1 },
		child: [[text("Let me try."), toolCall("hangs_until_aborted", {})]],
		local: true,
		subagents: { toolTimeoutMs: 500 },
		error: { code: TIMEOUT, reason: "tool" },
		result: { exitCode: 124, timeoutReason: "tool", output: "Let me try." },
	},
	{
		name: "a tool that does not even stop when aborted: it is abandoned, and its host replaced",
		used: { input: 10, output: 5, turns: 1 },
		child: [[text("Let me try."), toolCall("ignores_abort", {})]],
		local: true,
		subagents: { toolTimeoutMs: 500 },
		error: { code: TIMEOUT, reason: "tool" },
		result: { exitCode: 124, timeoutReason: "tool", output: "Let me try." },
	},
	{
		name: "a shell that ignores SIGTERM, with a grandchild in a session of its own",
		used: { input: 10, output: 5, turns: 1 },
		child: [
			toolCall("bash", {
				command: `trap "" TERM; setsid sh -c 'trap "" TERM; sleep 300' & setsid nohup sleep 301 & sleep 302`,
			}),
		],
		subagents: { timeoutMs: 6000 },
		error: { code: TIMEOUT, reason: "runtime" },
		result: { exitCode: 124 },
	},
	{
		name: "a background process that a successful child leaves running",
		used: { input: 20, output: 10, turns: 2 },
		child: [toolCall("bash", { command: "setsid nohup sleep 300 > /dev/null 2>&1 & echo started" }), success],
		result: { exitCode: 0, output: "All is well." },
	},
	{
		name: "stopped by the user",
		used: { input: 100, output: 10, turns: 2 },
		child: [working, [text("Half an ans"), hang()]],
		stopAtRequest: 2,
		error: { code: FAILED, reason: "stopped" },
		result: {
			exitCode: 130,
			output: expect.stringContaining("Half an ans"),
			usage: expect.objectContaining({ input: 100, output: 10 }),
		},
	},
	{
		name: "more output than anybody reads",
		used: { input: 0, output: 0, turns: 1 },
		child: [endless({ bytesPerChunk: 64 * 1024 })],
		ownPi: true,
		error: { code: "SUBAGENT_OUTPUT_TRUNCATED", reason: "output_limit" },
		result: { exitCode: 1 },
	},
];

describe("every ending has its code, its exit code and its evidence, and leaves nothing behind", () => {
	test.for(rows.filter(({ local }) => !(local && isThroughPool)))("$name", async (row) => {
		const [open, prompt] = row.ownPi ? [openHome, promptPi] : [shared.openHome, shared.promptPi];
		const home: Home = await open({
			moreExtensions: [MISBEHAVING_TOOLS],
			agents: { "worker.md": agentNamed("worker", "You work.", WORKER_TOOLS) },
			config: { subagents: { allowWrite: true, ...row.subagents } },
			script: dispatch({
				parent: [delegateTo("worker", "Do it."), text("Done.")],
				child: playing(row.child, () => home),
			}),
		});
		const details = await (row.stopAtRequest
			? stopped(home, row.stopAtRequest)
			: delegationIn(await prompt(home, "Go.")));

		expect(details.error?.code).toBe(row.error?.code);
		expect(details.error?.reason).toBe(row.error?.reason);
		const [result] = details.results;
		expect(result).toMatchObject({ ...row.result, usage: row.used });
		expect(result?.exitCode === 0).toBe(details.error === undefined);
		expect(existsSync(result?.sessionFile ?? "")).toBe(true);
		if (row.requests !== undefined) expect(childRequests(home)).toHaveLength(row.requests);
	});
});

const WORKER_TOOLS = isThroughPool
	? "tools: read, ls, bash\nisolation: worktree"
	: "tools: read, ls, bash, hangs_until_aborted, ignores_abort, crashes_the_process";

const childRequests = (home: Home): RecordedRequest[] => home.model.requests.filter((request) => request.isChild);

/** Plays the turns in order of the requests, whatever the conversation says: a failed attempt is a request too. */
function playing(turns: Row["child"], home: () => Home) {
	let asked = 0;
	return async (): Promise<Reply> => {
		const turn = turns[Math.min(asked++, turns.length - 1)];
		if (turn !== "kill") return turn ?? [];
		killHostsAtWork(home());
		return [delay(100)];
	};
}

const delegated = async (home: Home): Promise<SubagentDetails> => delegationIn(await promptPi(home, "Go."));

function delegationIn(run: Answered): SubagentDetails {
	const [details] = delegations(run);
	if (!details) throw new Error(`Nothing was delegated: ${run.stderr}`);
	return details;
}

async function stopped(home: Home, atRequest: number): Promise<SubagentDetails> {
	const rpc = await shared.newSession(home);
	await rpc.prompt("Go.");
	await home.model.waitFor((request) => childRequests(home).indexOf(request) === atRequest - 1);
	await rpc.waitForEvent((event) => JSON.stringify(event).includes("Half an"));
	await rpc.send({ type: "abort" });
	const ended = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
	return (ended.result as { details: SubagentDetails }).details;
}

localLongTest("a child that never comes up, because of an extension, runs into the hard time limit", async () => {
	const home: Home = await openHome({
		moreExtensions: [join(repositoryRoot, "test", "children", "hangs-at-start.ts")],
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: read, slow_starter") },
		config: { subagents: { allowWrite: true, timeoutMs: 1500 } },
		script: dispatch({ parent: [delegateTo("worker", "Do it."), text("Done.")], child: [success] }),
	});
	expect((await delegated(home)).results[0]).toMatchObject({ exitCode: 124, timeoutReason: "runtime" });
});

localTest("a child stopped before its first model call makes none afterwards", async () => {
	const home: Home = await openHome({
		moreExtensions: [join(repositoryRoot, "test", "children", "slow-prompt.ts")],
		agents: { "worker.md": agentNamed("worker", "You work.", "tools: read, slow_prompt") },
		config: { subagents: { allowWrite: true, timeoutMs: 700 } },
		script: dispatch({ parent: [delegateTo("worker", "Do it."), text("Done.")], child: () => text("Hm.") }),
	});
	expect((await delegated(home)).results[0]).toMatchObject({ exitCode: 124, timeoutReason: "runtime" });
	await eventually(() => expect(hostPids(home)).toEqual([]));
	expect(childRequests(home)).toEqual([]);
});

longTest("stopping a run that waits for its session leaves the shell of the running one alone", async () => {
	const home: Home = await openHome({
		agents: { "worker.md": agentNamed("worker", "You work.", isThroughPool ? WORKER_TOOLS : "tools: bash") },
		config: { subagents: { allowWrite: true } },
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) => {
				if (lastMessage?.role === "tool") return text("Done.");
				const [session] = /[0-9a-f-]{36}/.exec(lastUserText) ?? [];
				if (session === undefined) return delegateTo("worker", "First.");
				return [delegateTo("worker", "Second.", session), delegateTo("worker", "Third.", session)];
			},
			child: ({ lastUserText, lastMessage, toolResults }) => {
				if (lastUserText !== "Second.") return finalize("Fine.");
				if (lastMessage?.role !== "tool") return toolCall("bash", { command: "sleep 3; echo unharmed" });
				return finalize(toolResults.at(-1)?.text.trim() ?? "");
			},
		}),
	});
	const { sessionId } = await delegated(home);
	const running = promptPi(home, `Go on with ${sessionId}.`);
	await home.model.waitFor(({ lastUserText, isChild }) => isChild && lastUserText === "Second.");
	await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state = 'queued'")).toHaveLength(1));
	inLedger(home, "UPDATE runs SET stop_at = 1, stop_by = 'the test' WHERE state = 'queued'");
	const results = delegations(await running).map((details) => details.finalized?.result ?? details.error?.reason);
	expect(results.sort()).toEqual(["stopped", "unharmed"]);
});

test("a turn that is aborted before the delegation begins: pi answers itself, and nothing is started", async () => {
	const home: Home = await openHome({
		moreExtensions: [join(repositoryRoot, "test", "children", "aborts-at-entry.ts")],
		script: dispatch({ parent: [delegateTo("explorer", "Do it."), text("Done.")], child: [success] }),
	});
	const run = await promptPi(home, "Go.");
	expect(run.toolResults).toMatchObject([{ name: "subagent", text: "Operation aborted", isError: true }]);
	expect(childRequests(home)).toEqual([]);
	// The call's first words had a host started ahead. The call itself neither admitted a run nor asked for another host.
	expect(inLedger(home, "SELECT id FROM runs")).toEqual([]);
	expect(inLedger(home, "SELECT id FROM hosts")).toHaveLength(1);
	await eventually(() => expect(hostPids(home)).toEqual([]));
});

test("a host that cannot be started is reported, with its last words", async () => {
	const die = "if (process.env.PI_SUBAGENT_CHILD) { console.error('no such luck'); process.exit(3); }";
	const home: Home = await openHome({
		env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(die)}` },
		script: dispatch({ parent: [delegateTo("explorer", "Do it."), text("Done.")], child: [success] }),
	});
	const details = await delegated(home);
	expect(details.error).toMatchObject({ code: FAILED, reason: "spawn" });
	expect(details.error?.message).toMatch(/could not be started: it ended with exit code 3, saying:\s+no such luck/);
	expect(details.results[0]).toMatchObject({ exitCode: 1, attempts: 0 });
});

longTest("a provider's Retry-After is honoured where pi's settings have the provider layer retry", async () => {
	const home: Home = await openHome({
		settings: { retry: { provider: { maxRetries: 1 } } },
		script: dispatch({
			parent: [delegateTo("explorer", "Do it."), text("Done.")],
			child: playing([httpError(429, { headers: { "Retry-After": "1" } }), success], () => home),
		}),
	});
	expect((await delegated(home)).results[0]).toMatchObject({ exitCode: 0, attempts: 1 });
	const [first, second] = childRequests(home);
	expect((second?.startedAt ?? 0) - (first?.startedAt ?? 0)).toBeGreaterThanOrEqual(1000);
});

localLongTest("a host whose run did not settle takes no new runs: the next one goes to another", async () => {
	const home: Home = await openHome({
		moreExtensions: [MISBEHAVING_TOOLS],
		agents: { "worker.md": agentNamed("worker", "You work.", WORKER_TOOLS) },
		config: { subagents: { allowWrite: true, toolTimeoutMs: 300 } },
		env: { PI_GEON_HOST_IDLE_MS: "5000" },
		script: dispatch({
			parent: [delegateTo("worker", "Hang."), delegateTo("worker", "Work."), text("Done.")],
			child: ({ firstUserText }) => (firstUserText === "Hang." ? toolCall("ignores_abort", {}) : finalize("Fine.")),
		}),
	});
	const before: number[] = [];
	void home.model.waitFor((request) => request.firstUserText === "Hang.").then(() => before.push(...hostsAtWork(home)));
	const after: number[] = [];
	void home.model.waitFor((request) => request.firstUserText === "Work.").then(() => after.push(...hostsAtWork(home)));
	const run = await promptPi(home, "Go.");
	expect(delegations(run).map((details) => details.results[0]?.exitCode)).toEqual([124, 0]);
	expect(before).toHaveLength(1);
	expect(after.some((pid) => !before.includes(pid))).toBe(true);
});

describe("reference 001: a failed run says what the last event of its child was", () => {
	const silences: [name: string, child: Reply, lastEvent: string][] = [
		["a model that falls silent while it writes", [text("Half an ans"), hang()], "message_update"],
		["a tool that hangs", toolCall("hangs_until_aborted", {}), "tool_execution_start"],
	];
	test.each(silences.slice(0, isThroughPool ? 1 : 2))("%s", async (_name, child, lastEvent) => {
		const home: Home = await shared.openHome({
			moreExtensions: [MISBEHAVING_TOOLS],
			agents: { "worker.md": agentNamed("worker", "You work.", WORKER_TOOLS) },
			config: { subagents: { allowWrite: true, idleTimeoutMs: 3000, toolTimeoutMs: 500 } },
			script: dispatch({ parent: [delegateTo("worker", "Do it."), text("Done.")], child: () => child }),
		});
		const run = await shared.promptPi(home, "Go.");
		expect(delegations(run)[0]?.results[0]).toMatchObject({ exitCode: 124, lastEvent });
		expect(run.toolResults[0]?.text).toContain(`Last event of the subagent: ${lastEvent}`);
	});
});
