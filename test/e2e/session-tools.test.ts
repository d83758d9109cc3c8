import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import type { History } from "../../src/operate/history.ts";
import type { SessionList } from "../../src/operate/list.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { localTest } from "../helpers/local-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { cut, text, toolCall } from "../helpers/model-steps.ts";
import { type PiEvent, piVersions } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import type { RpcClient as Rpc } from "../helpers/rpc.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { isThroughPool, workplaceOf } from "../helpers/through-pool.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const { openHome, newSession } = useSharedPi();

const ledgers: Ledger[] = [];
afterEach(() => {
	for (const ledger of ledgers.splice(0)) ledger.close();
});

/** A parent that calls the tools it is told to: `call <tool> <JSON>`, several with one line each. */
const parent: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Done.");
	const calls = lastUserText.split("\n").flatMap((line) => /^call (\S+) (.*)$/.exec(line) ?? []);
	if (calls.length === 0) return text("Noted.");
	return lastUserText.split("\n").map((line) => {
		const [, tool = "", args = "{}"] = /^call (\S+) (.*)$/.exec(line) ?? [];
		return toolCall(tool, JSON.parse(args));
	});
};

/** Children that look around first, wait for the gate of their task, and answer what they were asked last. */
const child =
	(gates: Record<string, Gate> = {}): Script =>
	async ({ firstUserText, lastUserText, lastMessage }) => {
		if (lastMessage?.role === "tool") return finalize(`Answer to ${firstUserText}.`);
		if (lastUserText.startsWith("A message from")) return finalize(`Heeded: ${lastUserText.split("\n").at(-1)}`);
		if (lastUserText !== firstUserText) return finalize(`Reply to ${lastUserText}`);
		await gates[firstUserText]?.opened;
		return toolCall("ls", { path: "." });
	};

/** Calls one tool and answers the details of its result. */
async function call<Details = Record<string, unknown>>(rpc: Rpc, tool: string, args: object): Promise<Details> {
	const before = rpc.events.length;
	// An announce may have woken the parent just now.
	const message = `call ${tool} ${JSON.stringify(args)}`;
	await rpc.send({ type: "prompt", message, streamingBehavior: "followUp" });
	const ended = (event: PiEvent) => event.type === "tool_execution_end" && event.toolName === tool;
	const end = await rpc.waitForEvent(ended, { from: before });
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before });
	const { details } = end.result as { details: Details & object };
	// What says no, or tells of a failure, is marked as one.
	expect(end.isError).toBe("error" in details);
	return details;
}

const spawn = (rpc: Rpc, task: string, more: object = {}) =>
	call<{ childSessionKey: string; runId: string }>(rpc, "sessions_spawn", {
		task,
		agent: "explorer",
		label: task,
		...more,
	});

async function ledgerOf(home: Home): Promise<Ledger> {
	const ledger = await openLedger(join(home.agentDir, "pi-geon", "ledger.sqlite"));
	ledgers.push(ledger);
	return ledger;
}

const sessionFileOf = async (rpc: Rpc): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

const announcesIn = (file: string): string[] =>
	(existsSync(file) ? readFileSync(file, "utf8") : "")
		.split("\n")
		.filter((line) => line.includes('"customType":"pi-geon:announce"'));

/** Waits until the parent was told, and has settled again. */
async function announced(rpc: Rpc, words: string): Promise<void> {
	const event = await rpc.waitForEvent((event) => {
		const said = event.type === "message_end" ? JSON.stringify(event) : "";
		return said.includes("pi-geon:announce") && said.includes(words);
	});
	await rpc.waitForEvent(({ type }) => type === "agent_settled", { from: rpc.events.indexOf(event) });
}

const times = (words: string, said: unknown): number => JSON.stringify(said).split(words).length - 1;

const childRequest = (home: Home, turn: number, words = "") =>
	home.model.waitFor(
		(request) => request.isChild && request.turn === turn && JSON.stringify(request.messages).includes(words),
	);

const open = (gates: Record<string, Gate> = {}, config: object = {}, pi?: PiVersion): Promise<Home> =>
	openHome({ config, script: dispatch({ parent, child: child(gates) }), ...(pi && { pi }) });

/** The machine at which the child works has the messages: in a pool, they have to get there. */
const received = (home: Home, amount = 1) =>
	eventually(() => expect(inLedger(workplaceOf(home), "SELECT seq FROM inbox")).toHaveLength(amount));

/** The end of a session, as far as its runs are concerned. */
const leave = (rpc: Rpc) => rpc.send({ type: "new_session" });

describe.each(piVersions)("on pi %s", (version) => {
	test("a running child receives a message at the end of its turn, once, and its report is announced once", async () => {
		const gates = { A: gate() };
		const home = await open(gates, {}, version);
		const rpc = await newSession(home);
		const { childSessionKey, runId } = await spawn(rpc, "A");
		await childRequest(home, 0);
		expect(
			await call(rpc, "sessions_send", { sessionKey: childSessionKey, message: "Look at B.", timeoutSeconds: 0 }),
		).toEqual({ status: "accepted", runId, sessionKey: childSessionKey, note: expect.any(String) });
		await received(home);
		gates.A.open();
		const next = await childRequest(home, 1);
		expect(times("Look at B.", next.messages)).toBe(1);
		await announced(rpc, "Heeded: Look at B.");
		const file = await sessionFileOf(rpc);
		await leave(rpc);
		expect(announcesIn(file)).toHaveLength(1);
		const ledger = await ledgerOf(home);
		expect(ledger.all("SELECT run_id, taken_at FROM inbox")).toEqual([{ run_id: runId, taken_at: expect.any(Number) }]);
	});
});

describe("a message whose reply comes in time", () => {
	test("from a running child: it is the result of the call, and nothing is announced", async () => {
		const gates = { A: gate() };
		const home = await open(gates);
		const rpc = await newSession(home);
		await spawn(rpc, "A");
		await childRequest(home, 0);
		const sent = call(rpc, "sessions_send", { label: "A", message: "Look at B." });
		const ledger = await ledgerOf(home);
		await expect.poll(() => ledger.all("SELECT seq FROM inbox")).toHaveLength(1);
		await received(home);
		gates.A.open();
		expect(await sent).toMatchObject({ status: "ok", reply: "Heeded: Look at B." });
		await rpc.promptAndSettle("How are things?");
		const file = await sessionFileOf(rpc);
		await leave(rpc);
		expect(announcesIn(file)).toEqual([]);
		expect(ledger.all("SELECT delivery FROM runs")).toEqual([{ delivery: "delivered" }]);
	});

	test("from a child that had answered before it saw it: another run in its session answers", async () => {
		const proceed = gate();
		const home = await openHome({
			script: dispatch({
				parent,
				child: async ({ firstUserText, lastUserText }) => {
					if (lastUserText !== firstUserText) return finalize(`Reply to ${lastUserText}`);
					await proceed.opened;
					return finalize("Answer to A.");
				},
			}),
		});
		const rpc = await newSession(home);
		const { childSessionKey, runId } = await spawn(rpc, "A");
		await childRequest(home, 0);
		const sent = call(rpc, "sessions_send", { sessionKey: childSessionKey, message: "And B?" });
		const ledger = await ledgerOf(home);
		await expect.poll(() => ledger.all("SELECT seq FROM inbox")).toHaveLength(1);
		proceed.open();
		const answer = await sent;
		expect(answer).toMatchObject({ status: "ok", reply: "Reply to And B?", sessionKey: childSessionKey });
		expect(answer.runId).not.toBe(runId);
		await announced(rpc, "Answer to A.");
		const file = await sessionFileOf(rpc);
		await leave(rpc);
		expect(announcesIn(file)).toHaveLength(1);
		expect(ledger.all("SELECT run_id FROM inbox")).toEqual([{ run_id: answer.runId }]);
	});

	test("from a finished child: its session is resumed, with and without a role", async () => {
		const home = await open();
		const rpc = await newSession(home);
		const keys = [
			(await spawn(rpc, "A")).childSessionKey,
			(await call<{ childSessionKey: string }>(rpc, "sessions_spawn", { task: "B", model: "scripted/child" }))
				.childSessionKey,
		];
		await announced(rpc, "Answer to A.");
		await announced(rpc, "Answer to B.");
		for (const sessionKey of keys) {
			expect(await call(rpc, "sessions_send", { sessionKey, message: "And now?" })).toMatchObject({
				status: "ok",
				reply: "Reply to And now?",
				sessionKey,
			});
		}
		const file = await sessionFileOf(rpc);
		await leave(rpc);
		expect(announcesIn(file)).toHaveLength(2);
		// With what it was spawned with.
		expect(home.model.requests.findLast((request) => request.isChild)?.model).toBe("child");
	});

	test("two calls that wait for the same child get the same reply, and it is not announced", async () => {
		const gates = { A: gate() };
		const home = await open(gates);
		const rpc = await newSession(home);
		await spawn(rpc, "A");
		await childRequest(home, 0);
		const before = rpc.events.length;
		const line = (message: string) => `call sessions_send ${JSON.stringify({ label: "A", message })}`;
		await rpc.prompt(`${line("One.")}\n${line("Two.")}`);
		const ledger = await ledgerOf(home);
		await expect.poll(() => ledger.all("SELECT seq FROM inbox")).toHaveLength(2);
		await received(home, 2);
		gates.A.open();
		await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before });
		const answers = rpc.events
			.slice(before)
			.filter((event) => event.type === "tool_execution_end")
			.map((event) => (event.result as { details: unknown }).details);
		const ok = expect.objectContaining({ status: "ok", reply: expect.stringContaining("Heeded: ") });
		expect(answers).toEqual([ok, ok]);
		// What the child cost is in the sum that pi shows once, beside what the parent's own answers cost.
		const { data } = await rpc.send({ type: "get_session_stats" });
		expect(data).toMatchObject({ tokens: { input: home.model.requests.length * 10 } });
		const file = await sessionFileOf(rpc);
		await leave(rpc);
		expect(announcesIn(file)).toEqual([]);
	});
});

// A run on a pool does not wait for a place on this machine.
localTest("a message to a queued child is given with its task, before its first model call", async () => {
	const gates = { A: gate() };
	const home = await open(gates, { agents: { defaults: { subagents: { maxConcurrent: 1 } } } });
	const rpc = await newSession(home);
	await spawn(rpc, "A");
	await childRequest(home, 0);
	await spawn(rpc, "B");
	await call(rpc, "sessions_send", { label: "B", message: "Mind the gap.", timeoutSeconds: 0 });
	gates.A.open();
	const first = await childRequest(home, 0, "Mind the gap.");
	expect(first.firstUserText).toBe("B");
	expect(times("Mind the gap.", first.messages)).toBe(1);
	await announced(rpc, "Heeded: Mind the gap.");
	await leave(rpc);
});

test("a reply that takes too long is announced instead, once", async () => {
	const gates = { A: gate() };
	const home = await open(gates);
	const rpc = await newSession(home);
	const { childSessionKey, runId } = await spawn(rpc, "A");
	await childRequest(home, 0);
	expect(await call(rpc, "sessions_send", { label: "A", message: "Hurry.", timeoutSeconds: 0.2 })).toMatchObject({
		status: "timeout",
		runId,
		sessionKey: childSessionKey,
	});
	await received(home);
	gates.A.open();
	await announced(rpc, "Heeded: Hurry.");
	await rpc.promptAndSettle("How are things?");
	const file = await sessionFileOf(rpc);
	await leave(rpc);
	expect(announcesIn(file)).toHaveLength(1);
});

test("who is not there, or not this conversation's, is not spoken to", async () => {
	const home = await open();
	const other = await newSession(home);
	const { childSessionKey } = await spawn(other, "A");
	await announced(other, "Answer to A.");
	const rpc = await newSession(home);
	const forbidden = { status: "forbidden", error: expect.stringContaining("not a subagent of this conversation") };
	expect(await call(rpc, "sessions_send", { sessionKey: childSessionKey, message: "Hi" })).toEqual(forbidden);
	expect(await call(rpc, "sessions_history", { sessionKey: childSessionKey })).toEqual(forbidden);
	const unknown = "agent:main:subagent:00000000-0000-0000-0000-000000000000";
	for (const name of [{ sessionKey: unknown }, { sessionKey: "nonsense" }, { label: "nobody" }, {}]) {
		expect(await call(rpc, "sessions_send", { ...name, message: "Hi" })).toEqual({
			status: "error",
			error: expect.any(String),
		});
	}
	await spawn(rpc, "B", { label: "twin" });
	await spawn(rpc, "C", { label: "twin" });
	expect(await call(rpc, "sessions_send", { label: "twin", message: "Hi" })).toEqual({
		status: "error",
		error: expect.stringMatching(/^2 subagents have the label "twin"\. Give the sessionKey: agent:main:subagent:/),
	});
	expect((await call<SessionList>(rpc, "sessions_list", {})).total).toBe(2);
	await leave(rpc);
});

test("a host that dies after a message was received: it is in the child's transcript once", async () => {
	const gates = { A: gate() };
	let killed = false;
	const home: Home = await openHome({
		script: dispatch({
			parent,
			child: async (request) => {
				if (request.turn === 1 && !killed) {
					killed = true;
					killHostsAtWork(home);
				}
				const said = JSON.stringify(request.messages);
				if (said.includes("Look at B.") && said.includes("interrupted")) return finalize("Heeded after all.");
				return child(gates)(request);
			},
		}),
	});
	const rpc = await newSession(home);
	const { childSessionKey } = await spawn(rpc, "A");
	await childRequest(home, 0);
	await call(rpc, "sessions_send", { label: "A", message: "Look at B.", timeoutSeconds: 0 });
	await received(home);
	gates.A.open();
	await announced(rpc, "Heeded after all.");
	const last = home.model.requests.findLast((request) => request.isChild);
	expect(times("Look at B.", last?.messages)).toBe(1);
	const history = await call<History>(rpc, "sessions_history", { sessionKey: childSessionKey });
	expect(times("Look at B.", history.messages)).toBe(1);
	await leave(rpc);
});

test("a message to a child that stops without handing over makes it continue", async () => {
	const proceed = gate();
	const home = await openHome({
		script: dispatch({
			parent,
			child: async ({ turn, messages }) => {
				if (turn === 0) {
					await proceed.opened;
					return text("I think I am done.");
				}
				return finalize(JSON.stringify(messages).includes("Look at B.") ? "Heeded." : "Not told.");
			},
		}),
	});
	const rpc = await newSession(home);
	await spawn(rpc, "A");
	await childRequest(home, 0);
	await call(rpc, "sessions_send", { label: "A", message: "Look at B.", timeoutSeconds: 0 });
	await received(home);
	proceed.open();
	await announced(rpc, "Heeded.");
	await leave(rpc);
});

test("a message to a child whose model is being asked again waits for the answer, and is then received", async () => {
	const proceed = gate();
	let asked = 0;
	const home = await openHome({
		script: dispatch({
			parent,
			child: async (request) => {
				if (++asked > 1) return child()(request);
				await proceed.opened;
				return [text("I was about to"), cut()];
			},
		}),
	});
	const rpc = await newSession(home);
	await spawn(rpc, "A");
	await childRequest(home, 0);
	await call(rpc, "sessions_send", { label: "A", message: "Look at B.", timeoutSeconds: 0 });
	await received(home);
	proceed.open();
	await announced(rpc, "Heeded: Look at B.");
	const seen = home.model.requests
		.filter(({ isChild }) => isChild)
		.map(({ messages }) => times("Look at B.", messages));
	expect(seen).toEqual([0, 0, 1]);
	await leave(rpc);
});

test("an archived session is still told of, and not resumed", async () => {
	const home = await open();
	const rpc = await newSession(home);
	const { childSessionKey } = await spawn(rpc, "A", { cleanup: "delete" });
	await announced(rpc, "Answer to A.");
	const row = async () => (await call<SessionList>(rpc, "sessions_list", {})).sessions[0];
	await expect.poll(row).toMatchObject({ archived: true, transcript: expect.stringContaining(".jsonl.deleted.") });
	const history = await call<History>(rpc, "sessions_history", { sessionKey: childSessionKey });
	expect(history.messages.at(-1)?.text).toBe("Answer to A.");
	expect(await call(rpc, "sessions_send", { sessionKey: childSessionKey, message: "Hi" })).toEqual({
		status: "error",
		error: expect.stringContaining("archived"),
	});
	await leave(rpc);
});

const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

test("lists and histories tell what there is, redacted and within their limits", async () => {
	const home = await openHome({
		script: dispatch({
			parent,
			child: ({ lastMessage, firstUserText }) =>
				lastMessage?.role === "tool"
					? finalize(firstUserText === "Long." ? `Much:${"x".repeat(100_000)}` : `The token is ${SECRET}.`)
					: [text("Looking."), toolCall("ls", { path: "." })],
		}),
	});
	const rpc = await newSession(home);
	const { childSessionKey, runId } = await spawn(rpc, `Find ${SECRET}.`, { label: "find" });
	await announced(rpc, "label find");
	const long = await spawn(rpc, "Long.");
	await announced(rpc, "Much:");

	const list = await call<SessionList>(rpc, "sessions_list", { messageLimit: 2 });
	expect(list.total).toBe(2);
	expect(list.sessions.map((row) => row.label)).toEqual(["Long.", "find"]);
	expect(list.sessions[1]).toEqual({
		sessionKey: childSessionKey,
		sessionId: childSessionKey.split(":").at(-1),
		runId,
		agent: "explorer",
		label: "find",
		kind: "background",
		state: "ended",
		status: "success",
		task: expect.stringMatching(/^Find (?!ghp_)/),
		model: "scripted/parent",
		createdAt: expect.stringMatching(/^20.*Z$/),
		startedAt: expect.stringMatching(/^20.*Z$/),
		endedAt: expect.stringMatching(/^20.*Z$/),
		usage: expect.objectContaining({ input: 20, output: 10, turns: 2 }),
		transcript: expect.stringMatching(/^~.*\.jsonl$/),
		...(isThroughPool && { away: expect.objectContaining({ pool: "team", worker: expect.any(String) }) }),
		messages: [expect.objectContaining({ role: "assistant" }), expect.objectContaining({ role: "assistant" })],
	});
	expect(JSON.stringify(list)).not.toContain(SECRET);
	expect(JSON.stringify(list).length).toBeLessThan(40_000);
	const of = async (request: object) =>
		(await call<SessionList>(rpc, "sessions_list", request)).sessions.map((row) => row.label);
	expect(await of({ limit: 1 })).toEqual(["Long."]);
	expect(await of({ kinds: ["foreground"] })).toEqual([]);
	expect(await of({ activeMinutes: 5, kinds: ["background"] })).toEqual(["Long.", "find"]);
	expect(await of({ activeMinutes: 0 })).toEqual([]);

	const history = await call<History>(rpc, "sessions_history", { sessionKey: childSessionKey });
	expect(history).toMatchObject({ sessionKey: childSessionKey, agent: "explorer", state: "ended" });
	expect(history.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
	expect(history.messages[1]?.text).toBe("Looking.");
	expect(history.messages[2]?.text).toMatch(/^The token is /);
	expect(JSON.stringify(history)).not.toContain(SECRET);
	expect(history.note).toBeUndefined();
	const withTools = await call<History>(rpc, "sessions_history", { sessionKey: childSessionKey, includeTools: true });
	expect(withTools.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
	expect(withTools.messages[1]?.text).toContain('→ ls {"path":"."}');
	const cut = await call<History>(rpc, "sessions_history", { sessionKey: long.childSessionKey, limit: 1 });
	expect(cut.messages[0]?.text).toHaveLength(4000);
	expect(cut.messages[0]?.moreChars).toBe(96_005);
	expect(cut.note).toBe("2 earlier messages are left out, 1 message is shortened.");
	await leave(rpc);
});

test("agents_list says whom the parent may target", async () => {
	const list = [{ id: "main", subagents: { allowAgents: ["main", "ops", "ghost"] } }, { id: "ops" }, { id: "hidden" }];
	const home = await openHome({ config: { agents: { list } }, script: dispatch({ parent, child: child() }) });
	const rpc = await newSession(home);
	expect(await call(rpc, "agents_list", {})).toEqual({
		requester: "main",
		allowAny: false,
		agents: [
			{ id: "main", configured: true },
			{ id: "ops", configured: true },
			{ id: "ghost", configured: false },
		],
	});
	await leave(rpc);
});
