import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, type PiEvent, promptPi, somePi, startRpc, startTerminal, summarize } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { isDialog, nextDialog, reply } from "./dialogs.ts";
import { interruptions } from "./interrupted.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();
type Rpc = ReturnType<typeof startRpc>;

const QUESTION = { question: "Which database\x1b[31m shall\u200b it be?\npi: Trust this project?" };
const SHOWN = "Which database shall it be?\n> pi: Trust this project?";
const OPTIONS = ["SQLite", "Post\x07gres"];

/** A child that asks what its task says, and returns what it was told. */
const child: Script = ({ firstUserText, toolResults, lastMessage }) => {
	if (lastMessage?.role === "tool" && toolResults.length > 0) return finalize(toolResults.at(-1)?.text ?? "");
	if (firstUserText.includes("megabyte")) return toolCall("subagent_ask", { question: "x".repeat(2 ** 20) });
	const options = firstUserText.includes("choose") ? { options: OPTIONS } : {};
	return toolCall("subagent_ask", { ...QUESTION, ...options });
};

const foreground: Script = ({ lastUserText, lastMessage, toolResults }) =>
	lastMessage?.role === "tool" ? text(toolResults.at(-1)?.text ?? "") : delegateTo("worker", lastUserText);

const background: Script = ({ lastUserText, lastMessage }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	return lastUserText.startsWith("Ask")
		? toolCall("sessions_spawn", { agent: "worker", label: "the curious one", task: lastUserText })
		: text("Heard.");
};

const withWorker = (parent: Script, subagents: object = {}) => ({
	agents: { "worker.md": agentNamed("worker", "You work.", "tools: ls\nask: true") },
	config: { subagents },
	script: dispatch({ parent, child }),
});
const openWith = (...about: Parameters<typeof withWorker>): Promise<Home> => openHome(withWorker(...about));

/** A new session of the pi that tests share which neither end it nor start another. */
async function onSharedPi(
	parent: Script,
	{ pi = ANY_PI, subagents = {} }: { pi?: PiVersion; subagents?: object } = {},
) {
	const home = await shared.openHome({ ...withWorker(parent, subagents), pi });
	return { home, rpc: await shared.newSession(home) };
}

const said = (rpc: Rpc, words: string): Promise<PiEvent> =>
	rpc.waitForEvent((event) => event.type === "message_end" && JSON.stringify(event.message).includes(words));

const sessionFile = async (rpc: Rpc): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

interface Row {
	state: string;
	declined: string | null;
	answer: string | null;
	taken_at: number | null;
}
const questions = (home: Home): Row[] =>
	inLedger<Row>(home, "SELECT state, declined, answer, taken_at FROM questions ORDER BY seq");

const GO_ON = "Continue without the answer, and report what you assumed.";

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("a question is asked and answered, labelled and as text, and the child gets the answer", async () => {
		const { home, rpc } = await onSharedPi(foreground, { pi: version });
		await rpc.prompt("Ask.");
		const dialog = await nextDialog(rpc);
		expect(dialog).toMatchObject({
			method: "input",
			title: expect.stringMatching(
				new RegExp(`^\\[worker [0-9a-f]{8}\\] asks you:\\n> ${SHOWN.replaceAll("?", "\\?")}$`),
			),
		});
		expect(questions(home)).toMatchObject([{ state: "open" }]);
		reply(rpc, dialog, { value: "SQLite, please" });
		await rpc.waitForEvent((event) => event.type === "agent_settled");
		const [details] = delegations(summarize(rpc.events));
		expect(details?.results[0]).toMatchObject({
			exitCode: 0,
			output: '{"answered":true,"answer":"SQLite, please"}',
		});
		expect(questions(home)).toMatchObject([{ state: "answered", taken_at: expect.any(Number) }]);
	});

	test("of a background run; one of its options is chosen, or none", async () => {
		const { home, rpc } = await onSharedPi(background, { pi: version });
		await rpc.promptAndSettle("Ask and choose.");
		const first = await nextDialog(rpc);
		expect(first).toMatchObject({
			method: "select",
			title: expect.stringMatching(/^\[worker "the curious one" [0-9a-f]{8}\] asks you:\n> Which/),
			options: ["SQLite", "Postgres"],
		});
		const answeredAt = rpc.events.length;
		reply(rpc, first, { value: "Postgres" });
		await rpc.waitForEvent((event) => event.type === "agent_settled", { from: answeredAt });
		// As the child wrote it.
		const told = home.model.requests
			.filter(({ isChild }) => isChild)
			.at(-1)
			?.toolResults.at(-1)?.text;
		expect(told).toBe(JSON.stringify({ answered: true, answer: OPTIONS[1] }));
		const seen = rpc.events.length;
		await rpc.promptAndSettle("Ask and choose again.");
		reply(rpc, await nextDialog(rpc, seen), { cancelled: true });
		await said(rpc, GO_ON);
		expect(questions(home)).toMatchObject([
			{ state: "answered" },
			{ state: "declined", declined: "user", taken_at: expect.any(Number) },
		]);
	});

	test("in pi -p it is declined at once, with what to do instead", async () => {
		const home = await openWith(foreground);
		const run = await promptPi(home, "Ask.", { version });
		const [details] = delegations(run);
		expect(details?.results[0]).toMatchObject({ exitCode: 0, output: expect.stringContaining(GO_ON) });
		expect(details?.results[0]?.output).toMatch(/^\{"answered":false\}\s*No user is here to answer\./);
		expect(questions(home)).toMatchObject([{ state: "declined", declined: "nobody" }]);
	});

	longTest(
		"a host is killed while it is open: the next attempt asks again, and it stays on the screen once",
		async () => {
			const { home, rpc } = await onSharedPi(background, { pi: version });
			await rpc.promptAndSettle("Ask.");
			const dialog = await nextDialog(rpc);
			killHostsAtWork(home);
			await home.model.waitFor((request) => request.isChild && interruptions(request) > 0);
			const recovered = home.model.requests.find((request) => request.isChild && interruptions(request) > 0);
			expect(recovered?.lastUserText).toContain("call subagent_ask again with exactly these arguments");
			reply(rpc, dialog, { value: "SQLite" });
			await said(rpc, '\\"answered\\":true,\\"answer\\":\\"SQLite\\"');
			expect(rpc.events.filter(isDialog)).toHaveLength(1);
			expect(questions(home)).toMatchObject([{ state: "answered", taken_at: expect.any(Number) }]);
		},
	);

	longTest("it is answered while no host is there: the next attempt gets the answer without asking", async () => {
		const { home, rpc } = await onSharedPi(background, { pi: version });
		await rpc.promptAndSettle("Ask.");
		const dialog = await nextDialog(rpc);
		killHostsAtWork(home);
		reply(rpc, dialog, { value: "SQLite" });
		await said(rpc, '\\"answered\\":true,\\"answer\\":\\"SQLite\\"');
		expect(rpc.events.filter(isDialog)).toHaveLength(1);
		expect(questions(home)).toHaveLength(1);
	});

	test("the parent is closed while it is open: it is shown when the session is opened again", async () => {
		const home = await openWith(background);
		const rpc = startRpc(home, { version });
		await rpc.promptAndSettle("Ask.");
		const file = await sessionFile(rpc);
		await nextDialog(rpc);
		await rpc.close();
		expect(questions(home)).toMatchObject([{ state: "open" }]);
		const again = startRpc(home, { version, args: ["--session", file] });
		const dialog = await nextDialog(again);
		reply(again, dialog, { value: "SQLite" });
		await said(again, '\\"answered\\":true,\\"answer\\":\\"SQLite\\"');
		expect(questions(home)).toHaveLength(1);
	});

	test("in the terminal, with a line in the widget; Esc declines", async () => {
		const home = await openWith(background);
		const terminal = startTerminal(home, { version });
		await terminal.ready();
		terminal.type("Ask.\r");
		await terminal.waitForText(/\[worker "the curious one" [0-9a-f]{8}\] asks you:/);
		await terminal.waitForText(/> pi: Trust this project\?/);
		await terminal.waitForText(/\? worker the curious one +› asks you: Which database/);
		terminal.key("escape");
		await terminal.waitForText(/The user did not answer this question\./);
		expect(questions(home)).toMatchObject([{ state: "declined", declined: "user" }]);
	});
});

const onPi = async (parent: Script, subagents: object = {}) => {
	const home = await openWith(parent, subagents);
	return { home, rpc: startRpc(home) };
};

test("a question of a megabyte is refused with what to do, and nothing is asked", async () => {
	const { home, rpc } = await onSharedPi(foreground);
	await rpc.promptAndSettle("Ask a megabyte.");
	const [details] = delegations(summarize(rpc.events));
	expect(details?.results[0]?.output).toBe(
		"`question` has 1,048,576 characters, of at most 2,000. Nothing was asked. Ask again in fewer words.",
	);
	expect(rpc.events.filter(isDialog)).toEqual([]);
	expect(questions(home)).toEqual([]);
});

test("while it is open, the limits on idleness and on a tool stand still, and the run says that it asks", async () => {
	const { home, rpc } = await onSharedPi(background, { subagents: { idleTimeoutMs: 3_000, toolTimeoutMs: 3_000 } });
	await rpc.promptAndSettle("Ask.");
	const dialog = await nextDialog(rpc);
	await sleep(5_000);
	const { stdout } = await piGeon(home, ["list"]);
	expect(stdout).toMatch(/worker +"the curious one" +asking/);
	expect((await piGeon(home, ["info", "last"])).stdout).toMatch(/asks +Which database shall it be\? pi: Trust/);
	reply(rpc, dialog, { value: "SQLite" });
	await said(rpc, '\\"answered\\":true');
});

test("the hard cap does not: the run times out, and the dialog and its row are closed", async () => {
	const { home, rpc } = await onSharedPi(foreground, { subagents: { timeoutMs: 8_000 } });
	await rpc.prompt("Ask.");
	await nextDialog(rpc);
	const end = await rpc.waitForEvent((event) => event.type === "tool_execution_end");
	expect(JSON.stringify(end)).toContain('"timeoutReason":"runtime"');
	expect(questions(home)).toMatchObject([{ state: "declined", declined: "ended" }]);
});

longTest("a run that is stopped closes its dialog, and the next one is shown", async () => {
	const home = await openWith(background);
	const terminal = startTerminal(home);
	await terminal.ready();
	terminal.type("Ask.\r");
	await terminal.waitForText(/\] asks you:/);
	const [run] = inLedger<{ id: string }>(home, "SELECT id FROM runs");
	expect((await piGeon(home, ["stop", run?.id ?? ""])).code).toBe(0);
	await terminal.waitForText(/✗ stopped 1 run/);
	await eventually(() => expect(terminal.screen().join("\n")).not.toMatch(/asks you:/));
	expect(questions(home)).toMatchObject([{ state: "declined", declined: "ended" }]);
	terminal.type("Ask again.\r");
	await terminal.waitForText(/\] asks you:/);
	terminal.type("SQLite\r");
	await terminal.waitForText(/"answered":true/);
});

longTest("questions of several runs are put one after the other", async () => {
	const { home, rpc } = await onSharedPi(({ lastMessage, lastUserText }) =>
		lastMessage?.role === "tool"
			? text("Done.")
			: ["one", "two", "three"].map((name) => delegateTo("worker", `${lastUserText} ${name}`)),
	);
	await rpc.prompt("Ask.");
	for (let seen = 0, count = 1; count <= 3; count++) {
		await eventually(() => expect(questions(home)).toHaveLength(3));
		const dialog = await nextDialog(rpc, seen);
		expect(rpc.events.filter(isDialog)).toHaveLength(count);
		seen = rpc.events.length;
		reply(rpc, dialog, { value: `answer ${count}` });
	}
	await rpc.waitForEvent((event) => event.type === "agent_settled");
	const outputs = delegations(summarize(rpc.events)).map(({ results }) => results[0]?.output);
	expect(outputs.sort()).toEqual([1, 2, 3].map((n) => `{"answered":true,"answer":"answer ${n}"}`));
});

longTest("of two pi on the same session one shows it, and the other when that one is killed", async () => {
	const { home, rpc } = await onPi(background);
	await rpc.promptAndSettle("Ask.");
	await nextDialog(rpc);
	const other = startRpc(home, { args: ["--session", await sessionFile(rpc)] });
	await other.send({ type: "get_state" });
	const looks = () =>
		inLedger<{ shower_until: number }>(home, "SELECT shower_until FROM questions").map((row) => row.shower_until);
	const first = looks();
	// Its claim was renewed meanwhile, and the other has had time to look several times.
	await eventually(() => expect(looks()).not.toEqual(first));
	expect(other.events.filter(isDialog)).toEqual([]);
	rpc.child.kill("SIGKILL");
	const dialog = await nextDialog(other);
	reply(other, dialog, { value: "SQLite" });
	await said(other, '\\"answered\\":true,\\"answer\\":\\"SQLite\\"');
	expect(questions(home)).toHaveLength(1);
});

longTest("after askMinutes without a parent it is declined, and the run comes home without the answer", async () => {
	const { home, rpc } = await onPi(background, { askMinutes: 0 });
	await rpc.promptAndSettle("Ask.");
	const file = await sessionFile(rpc);
	await nextDialog(rpc);
	await rpc.close();
	await eventually(() => expect(questions(home)).toMatchObject([{ state: "declined", declined: "time" }]));
	const again = startRpc(home, { args: ["--session", file] });
	await said(again, "No user was there to answer in time.");
	expect(again.events.filter(isDialog)).toEqual([]);
});

test("an agent that may not ask has no such tool, and a denied one is a warning", async () => {
	const home = await shared.openHome({
		...withWorker(foreground),
		pi: ANY_PI,
		config: { tools: { subagents: { tools: { deny: ["subagent_ask"] } } } },
		script: dispatch({ parent: foreground, child: [finalize("Done.")] }),
	});
	const [details] = delegations(await shared.promptPi(home, "Go."));
	expect(details?.results[0]?.warnings).toEqual([
		"subagent_ask was left out: tools.subagents.tools.deny in pi-geon.json forbids it.",
	]);
	expect(home.model.requests.find(({ isChild }) => isChild)?.tools).not.toContain("subagent_ask");
});
