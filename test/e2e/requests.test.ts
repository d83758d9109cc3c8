import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SubagentsResponse } from "../../src/index.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text } from "../helpers/model-steps.ts";
import { piVersions } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import type { RpcClient } from "../helpers/rpc.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { finalize } from "./child.ts";
import { inLedger } from "./ledger-of.ts";

const shared = useSharedPi();
const EXTENSIONS = [
	join(repositoryRoot, "examples", "engine", "extension.ts"),
	join(repositoryRoot, "test", "children", "asking-extension.ts"),
];

const open = (child: Script, pi = piVersions[0]): Promise<Home> =>
	shared.openHome({ pi, moreExtensions: EXTENSIONS, script: dispatch({ parent: () => text("Noted."), child }) });

/** What the extension shows the user. */
async function notified(rpc: RpcClient, part: string): Promise<string> {
	const event = await rpc.waitForEvent(
		({ type, message }) => type === "extension_ui_request" && `${message}`.includes(part),
	);
	return String(event.message);
}

let asked = 0;
async function ask(rpc: RpcClient, request: object): Promise<SubagentsResponse> {
	const id = `asked-${++asked}`;
	await rpc.prompt(`/ask ${JSON.stringify({ version: 1, id, ...request })}`);
	return JSON.parse((await notified(rpc, `"id":"${id}"`)).slice("response ".length)) as SubagentsResponse;
}

async function resultOf(rpc: RpcClient, method: string, params: object): Promise<Record<string, unknown>> {
	const response = await ask(rpc, { method, params });
	if (!response.ok) throw new Error(response.error.message);
	return response.result as unknown as Record<string, unknown>;
}

describe.each(piVersions)("another extension, on pi %s", (version) => {
	test("has a subagent look at each folder, and waits for what they found: the example", async () => {
		const home = await open(
			({ firstUserText }) => finalize(`It is about ${/folder (\w+)/.exec(firstUserText)?.[1]}.`),
			version,
		);
		const rpc = await shared.newSession(home);
		await rpc.prompt("/survey src docs");
		expect(await notified(rpc, "It is about src.")).toBe("src: It is about src.\ndocs: It is about docs.");
		// The reports come into the conversation besides.
		await expect
			.poll(() => inLedger(home, "SELECT delivery FROM runs"))
			.toEqual([{ delivery: "delivered" }, { delivery: "delivered" }]);
	});
});

describe("a request of another extension", () => {
	test("spawns, waits for a while, sends, lists and stops", async () => {
		const held = gate();
		const home = await open(async ({ firstUserText, lastUserText }) => {
			if (firstUserText.includes("Hold.") && !lastUserText.includes("Enough")) await held.opened;
			return finalize("Found it.");
		});
		const rpc = await shared.newSession(home);
		const { runId, sessionKey } = await resultOf(rpc, "spawn", { agent: "explorer", task: "Hold.", label: "held" });
		expect(await resultOf(rpc, "wait", { runId, timeoutMs: 1 })).toMatchObject({ status: "RUNNING", runId });
		expect(await resultOf(rpc, "list", {})).toMatchObject({
			total: 1,
			sessions: [{ runId, sessionKey, label: "held" }],
		});
		expect(await resultOf(rpc, "send", { label: "held", message: "Look in src too." })).toEqual({ runId, sessionKey });
		expect(await resultOf(rpc, "stop", { runId })).toEqual({ runId, was: "open" });
		const ended = await resultOf(rpc, "wait", { runId });
		expect(ended).toMatchObject({ status: "ERROR", error: { code: "SUBAGENT_FAILED", reason: "stopped" } });
		held.open();
		const resumed = await resultOf(rpc, "send", { sessionKey, message: "Enough. What did you find?" });
		expect(await resultOf(rpc, "wait", { runId: resumed.runId })).toMatchObject({
			status: "SUCCESS",
			output: "Found it.",
		});
	});

	test("that is wrong is answered with what is wrong with it", async () => {
		const home = await open(() => finalize("Never."));
		const rpc = await shared.newSession(home);
		const errorOf = async (request: object) => {
			const response = await ask(rpc, request);
			return response.ok ? "none" : `${response.error.code}: ${response.error.message}`;
		};
		expect(await errorOf({ version: 2, method: "list", params: {} })).toBe(
			'INVALID_INPUT: This pi-geon answers requests of version 1, not "2".',
		);
		expect(await errorOf({ method: "fly", params: {} })).toBe(
			'INVALID_INPUT: There is no method "fly". There are spawn, wait, send, stop, list.',
		);
		expect(await errorOf({ method: "spawn", params: { task: "" } })).toMatch(/^INVALID_INPUT: spawn: params\/task: /);
		expect(await errorOf({ method: "spawn", params: { task: "Look.", agent: "nobody" } })).toMatch(/^UNKNOWN_AGENT: /);
		expect(await errorOf({ method: "spawn", params: { task: "Look.", agentId: "work" } })).toMatch(
			/^INVALID_INPUT: There is no agentId "work"/,
		);
		expect(await errorOf({ method: "spawn", params: { task: "Look.", pool: "team" } })).toMatch(
			/^INVALID_INPUT: There is no pool "team"/,
		);
		expect(await errorOf({ method: "wait", params: { runId: "deadbeef" } })).toBe(
			'INVALID_INPUT: There is no run "deadbeef" of this conversation.',
		);
		expect(await errorOf({ method: "send", params: { message: "Hello?" } })).toBe(
			"INVALID_INPUT: Give a sessionKey or a label.",
		);
		expect(inLedger(home, "SELECT id FROM runs")).toEqual([]);
	});
});

test("spawn takes context: a copy of the conversation so far, a warning where there is none, and no other value", async () => {
	const home = await open(({ messages }) =>
		finalize(JSON.stringify(messages).includes("marzipan") ? "marzipan" : "nothing"),
	);
	const rpc = await shared.newSession(home);
	const spawned = async (context: string) => {
		const { runId, warnings = [] } = await resultOf(rpc, "spawn", {
			agent: "explorer",
			task: "Say the word.",
			context,
		});
		const { output } = await resultOf(rpc, "wait", { runId });
		return { output, warnings };
	};
	expect(await spawned("fork")).toEqual({
		output: "nothing",
		warnings: ["explorer started without a copy of the conversation (context: fork): there is none yet."],
	});
	await rpc.promptAndSettle("The word is marzipan.");
	expect(await spawned("fork")).toEqual({ output: "marzipan", warnings: [] });
	expect(await spawned("fresh")).toEqual({ output: "nothing", warnings: [] });
	const wrong = await ask(rpc, { method: "spawn", params: { task: "Say it.", context: "copy" } });
	expect(wrong).toMatchObject({
		ok: false,
		error: {
			code: "INVALID_INPUT",
			message: "spawn: params/context: must be equal to one of the allowed values: fresh, fork.",
		},
	});
});
