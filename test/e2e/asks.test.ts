import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { type PiEvent, promptPi, somePi, startRpc, startTerminal, summarize } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { isDialog, nextDialog, reply } from "./dialogs.ts";

const openHome = useHome();
const shared = useSharedPi();
type Rpc = ReturnType<typeof startRpc>;

const ASKING_TOOLS = join(repositoryRoot, "test", "children", "asking-tools.ts");
const TOOLS = [
	"asks_confirm",
	"asks_select",
	"asks_input",
	"asks_editor",
	"asks_with_timeout",
	"asks_three_at_once",
	"notifies",
];

/** A child that calls the tool its task names, and returns what the tool said. */
const child: Script = ({ firstUserText, toolResults, turn }) =>
	turn === 0
		? toolCall(firstUserText.split(" ").at(-1) ?? "", {})
		: finalize(toolResults.at(-1)?.text ?? "no tool result");

const foreground: Script = ({ lastUserText, lastMessage, toolResults }) =>
	lastMessage?.role === "tool" ? text(toolResults.at(-1)?.text ?? "") : delegateTo("worker", lastUserText);

const background: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	return TOOLS.includes(lastUserText.split(" ").at(-1) ?? "")
		? toolCall("sessions_spawn", { agent: "worker", label: "the \x1b[31mcurious\x1b[0m one", task: lastUserText })
		: text("Heard.");
};

const withWorker = (parent: Script, subagents: object = {}) => ({
	moreExtensions: [ASKING_TOOLS],
	agents: { "worker.md": agentNamed("worker", "You work.", `tools: ${TOOLS.join(", ")}`) },
	config: { subagents: { allowWrite: true, ...subagents } },
	script: dispatch({ parent, child }),
});
const openWith = (parent: Script): Promise<Home> => openHome(withWorker(parent));
const shareWith = (...about: Parameters<typeof withWorker>): Promise<Home> => shared.openHome(withWorker(...about));

const said = (rpc: Rpc, words: string): Promise<PiEvent> =>
	rpc.waitForEvent((event) => event.type === "message_end" && JSON.stringify(event.message).includes(words));

const heard = (value: unknown): string => JSON.stringify(`heard ${JSON.stringify(value)} with UI true`).slice(1, -1);

const replies = [
	{ tool: "asks_confirm", reply: { confirmed: true }, value: true },
	{ tool: "asks_confirm", reply: { confirmed: false }, value: false },
	{ tool: "asks_confirm", reply: { cancelled: true }, value: false },
	// Two options look the same without their colours, and are still two.
	{ tool: "asks_select", reply: { value: "one" }, value: "\x1b[1mone\x1b[0m" },
	{ tool: "asks_select", reply: { value: "one (2)" }, value: "one" },
	{ tool: "asks_select", reply: { value: "four" }, value: null },
	{ tool: "asks_select", reply: { cancelled: true }, value: null },
	{ tool: "asks_input", reply: { value: "Ada" }, value: "Ada" },
	{ tool: "asks_input", reply: { cancelled: true }, value: null },
];

describe("a dialog of a child's extension reaches the user of its parent", () => {
	test.each(somePi(import.meta.url))("in the foreground, on pi %s: each kind, each answer", async (version) => {
		const home = await shared.openHome({ ...withWorker(foreground), pi: version });
		const rpc = await shared.newSession(home);
		for (const { tool, reply: chosen, value } of replies) {
			const before = rpc.events.length;
			await rpc.prompt(tool);
			reply(rpc, await nextDialog(rpc, before), chosen);
			await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before });
			const [details] = delegations(summarize(rpc.events.slice(before)));
			const output = `heard ${JSON.stringify(value)} with UI true`;
			expect(details?.results[0], JSON.stringify(chosen)).toMatchObject({ output });
		}
	});

	longTest("labelled with the asking child, and as plain text", async () => {
		const home = await shareWith(background);
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("asks_confirm");
		const dialog = await nextDialog(rpc);
		expect(dialog).toMatchObject({
			method: "confirm",
			title: expect.stringMatching(/^\[worker "the curious one" [0-9a-f]{8}\] Delete it\? Really$/),
			message: "It is gone then.",
		});
		reply(rpc, dialog, { confirmed: true });
		await said(rpc, heard(true));
	});

	longTest("in the background, even if the user takes longer than the idle limit", async () => {
		const home = await shareWith(background, { idleTimeoutMs: 3_000 });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("Ask first. asks_input");
		const first = await nextDialog(rpc);
		expect(first.title).toMatch(/May it begin\?$/);
		await sleep(4_000);
		const seen = rpc.events.length;
		reply(rpc, first, { confirmed: true });
		const second = await nextDialog(rpc, seen);
		expect(second).toMatchObject({ method: "input", placeholder: "a name" });
		await sleep(4_000);
		reply(rpc, second, { value: "Ada" });
		await said(rpc, heard("Ada"));
	});

	longTest("several at once, answered in any order", async () => {
		const home = await shareWith(foreground);
		const rpc = await shared.newSession(home);
		await rpc.prompt("asks_three_at_once");
		await rpc.waitForEvent(() => rpc.events.filter(isDialog).length === 3);
		for (const dialog of rpc.events.filter(isDialog).reverse()) {
			reply(rpc, dialog, { value: dialog.title.endsWith("B?") ? "no" : "yes" });
		}
		await said(rpc, heard(["yes", "no", "yes"]));
	});

	longTest("of two pi on the same session, the first to answer counts", async () => {
		const home = await openWith(background);
		const first = startRpc(home);
		await first.promptAndSettle("asks_input");
		const { sessionFile } = (await first.send({ type: "get_state" })).data as { sessionFile: string };
		const second = startRpc(home, { args: ["--session", sessionFile] });
		const dialogs = await Promise.all([nextDialog(first), nextDialog(second)]);
		reply(second, dialogs[1], { value: "the second" });
		await Promise.race([said(first, heard("the second")), said(second, heard("the second"))]);
		reply(first, dialogs[0], { value: "the first" });
	});
});

describe("an unanswered dialog is declined", () => {
	test("at once in pi -p, whatever its kind", async () => {
		const tools = ["asks_confirm", "asks_select", "asks_input"];
		const home = await openWith(({ lastMessage }) =>
			lastMessage?.role === "tool" ? text("Done.") : tools.map((tool) => delegateTo("worker", tool)),
		);
		const ended = delegations(await promptPi(home, "Go.")).map(({ results: [result] }) => [result?.task, result]);
		expect(Object.fromEntries(ended)).toEqual({
			asks_confirm: expect.objectContaining({ exitCode: 0, output: "heard false with UI true" }),
			asks_select: expect.objectContaining({ exitCode: 0, output: "heard null with UI true" }),
			asks_input: expect.objectContaining({ exitCode: 0, output: "heard null with UI true" }),
		});
	});

	longTest("when its own time is over, and when it is an editor", async () => {
		const home = await shareWith(foreground);
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("asks_with_timeout");
		await said(rpc, heard(false));
		await rpc.promptAndSettle("asks_editor");
		await said(rpc, heard(null));
	});

	longTest("when the parent is killed meanwhile; the run goes on, and comes home", async () => {
		const home = await openWith(background);
		const rpc = startRpc(home);
		await rpc.promptAndSettle("asks_confirm");
		const { sessionFile } = (await rpc.send({ type: "get_state" })).data as { sessionFile: string };
		await nextDialog(rpc);
		rpc.child.kill("SIGKILL");
		await rpc.exited;
		await home.model.waitFor(({ isChild, turn }) => isChild && turn === 1);
		const again = startRpc(home, { args: ["--session", sessionFile] });
		await said(again, heard(false));
	});

	longTest("when the run is stopped: the run ends at once", async () => {
		const home = await shareWith(foreground);
		const rpc = await shared.newSession(home);
		await rpc.prompt("asks_confirm");
		await nextDialog(rpc);
		await rpc.send({ type: "abort" });
		const end = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
		expect(JSON.stringify(end)).toContain('"reason":"stopped"');
	});

	longTest("by the limit on a tool call", async () => {
		const home = await shareWith(foreground, { toolTimeoutMs: 3_000 });
		const rpc = await shared.newSession(home);
		await rpc.prompt("asks_confirm");
		await nextDialog(rpc);
		const end = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
		expect(JSON.stringify(end)).toContain('"timeoutReason":"tool"');
	});
});

longTest("a notice of a child's extension goes to the log of its host", async () => {
	const home = await shareWith(foreground);
	await shared.promptPi(home, "notifies");
	const hosts = join(home.agentDir, "pi-geon", "hosts");
	const logs = readdirSync(hosts).filter((name) => name.endsWith(".log"));
	expect(logs.map((name) => readFileSync(join(hosts, name), "utf8")).join("")).toContain("Something to know.");
});

longTest.each(somePi(import.meta.url))(
	"in the terminal of pi %s one dialog is shown after the other",
	async (version) => {
		const home = await openWith(foreground);
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		terminal.type("asks_three_at_once\r");
		for (const title of ["A", "B", "C"]) {
			await terminal.waitForText(new RegExp(`\\[worker [0-9a-f]{8}\\] ${title}\\?`));
			if (title === "B") terminal.key("down");
			terminal.key("enter");
		}
		await terminal.waitForText(/heard \["yes","no","yes"\]/);
	},
);
