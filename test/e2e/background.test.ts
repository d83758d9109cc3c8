import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AnnounceDetails } from "../../src/deliver/announce.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, httpError, text, toolCall, usage } from "../helpers/model-steps.ts";
import { type PiEvent, piVersions, promptPi, runPi, startRpc } from "../helpers/pi.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { partsOf, STATISTICS, successOf, tagged, WHOSE_WORDS } from "./announce-shape.ts";
import { finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();

/** A parent that spawns what it is asked to (`spawn A B C`), and says what it heard otherwise. */
const parent: Script = ({ lastUserText, lastMessage, messages }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb === "spawn")
		return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "explorer", label: task }));
	const announces = JSON.stringify(messages).split("Status: ").length - 1;
	return text(`I have heard ${announces} announces.`);
};

/** Children that wait for the gate of their task, if there is one. */
const child =
	(gates: Record<string, Gate> = {}): Script =>
	async ({ firstUserText }) => {
		await gates[firstUserText]?.opened;
		return finalize(`Answer to ${firstUserText}.`);
	};

interface CustomMessage {
	role: string;
	customType?: string;
	content: string;
	details: AnnounceDetails;
}

/** The announces a session file holds. */
const announcesIn = (file: string): CustomMessage[] =>
	readFileSync(file, "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { type: string } & CustomMessage)
		.filter((entry) => entry.type === "custom_message" && entry.customType === "pi-geon:announce");

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

const sessionFileOf = async (rpc: ReturnType<typeof startRpc>): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;

const settledTimes = (rpc: ReturnType<typeof startRpc>): number =>
	rpc.events.filter((event) => event.type === "agent_settled").length;

describe.each(piVersions)("in the background, on pi %s", (version) => {
	test("three runs continue while the parent talks, and come home once each, in one turn", async () => {
		const gates = { A: gate(), B: gate(), C: gate() };
		const mayAnswer = gate();
		const talking: Script = async (request) => {
			if (request.lastUserText === "How are things?") await mayAnswer.opened;
			return parent(request);
		};
		const home = await openHome({ script: dispatch({ parent: talking, child: child(gates) }) });
		const rpc = startRpc(home, { version });
		const spawned = await rpc.promptAndSettle("spawn A B C");
		const receipts = spawned
			.filter((event) => event.type === "tool_execution_end")
			.map((event) => (event.result as { details: object }).details);
		expect(receipts).toHaveLength(3);
		expect(receipts[0]).toEqual({
			status: "accepted",
			runId: expect.stringMatching(/^[0-9a-f]{8}$/),
			childSessionKey: expect.stringMatching(/^agent:main:subagent:[0-9a-f-]{36}$/),
			model: "scripted/parent",
		});
		await rpc.prompt("How are things?");
		await home.model.waitFor(({ lastUserText }) => lastUserText === "How are things?");
		// All of them end while the parent is in the middle of its answer.
		for (const { open } of Object.values(gates)) open();
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state = 'ended'")).toHaveLength(3));
		const before = settledTimes(rpc);
		mayAnswer.open();
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("I have heard 3 announces"));
		// One for its answer, one for all of them.
		await eventually(() => expect(settledTimes(rpc)).toBe(before + 2));
		const announces = announcesIn(await sessionFileOf(rpc));
		await rpc.close();

		expect(announces.map(({ details }) => details.label).sort()).toEqual(["A", "B", "C"]);
		expect(settledTimes(rpc)).toBe(before + 2);
		for (const { content, details } of announces) {
			const { said, statistics } = partsOf(content);
			expect(said).toBe(successOf(`Answer to ${details.label}.`));
			expect(statistics).toMatch(STATISTICS);
			expect(statistics).toMatch(/^runtime \d+s • tokens 15 \(in 10 \/ out 5\) • sessionKey agent:main:subagent:/);
		}
	});
});

/** Spawns one run in a pi, ends that pi in some way, lets the run finish, and opens the session again. */
async function survives(endParent: (rpc: ReturnType<typeof startRpc>) => Promise<void>): Promise<void> {
	const gates = { A: gate() };
	const home = await openHome({ script: dispatch({ parent, child: child(gates) }) });
	const rpc = startRpc(home);
	await rpc.promptAndSettle("spawn A");
	const file = await sessionFileOf(rpc);
	await home.model.waitFor((request) => request.isChild);
	await endParent(rpc);
	gates.A.open();
	await home.model.waitFor((request) => request.isChild).then((request) => request.ended);

	const again = startRpc(home, { args: ["--session", file] });
	await again.waitForEvent((event) => JSON.stringify(event).includes("I have heard 1 announces"));
	await again.close();
	const once = startRpc(home, { args: ["--session", file] });
	await once.promptAndSettle("How are things?");
	await once.close();
	expect(announcesIn(file)).toHaveLength(1);
}

describe("a parent that ends before its run gets its report once, when the session is opened again", () => {
	test("quit", () => survives((rpc) => rpc.close()));
	longTest("SIGTERM", () =>
		survives(async (rpc) => {
			rpc.child.kill("SIGTERM");
			await rpc.exited;
		}),
	);
	test("kill -9", () =>
		survives(async (rpc) => {
			rpc.child.kill("SIGKILL");
			await rpc.exited;
		}));
});

test("a foreground run whose parent was killed is announced when the session is opened again", async () => {
	const proceed = gate();
	const home = await openHome({
		script: dispatch({
			parent: ({ lastUserText, messages }) =>
				lastUserText === "Go."
					? toolCall("subagent", { agent: "explorer", task: "A" })
					: text(`I have heard ${JSON.stringify(messages).split("Status: success").length - 1} announces.`),
			child: child({ A: proceed }),
		}),
	});
	const rpc = startRpc(home);
	await rpc.prompt("Go.");
	await home.model.waitFor((request) => request.isChild);
	const file = await sessionFileOf(rpc);
	rpc.child.kill("SIGKILL");
	await rpc.exited;
	proceed.open();
	const again = startRpc(home, { args: ["--session", file] });
	await again.waitForEvent((event) => JSON.stringify(event).includes("I have heard 1 announces"));
	await again.close();
	expect(announcesIn(file)).toHaveLength(1);
});

test("a parent killed between the append of the announce and its settlement does not get it twice", async () => {
	const home = await openHome({ script: dispatch({ parent, child: child() }) });
	const rpc = startRpc(home);
	await rpc.promptAndSettle("spawn A");
	await rpc.waitForEvent((event) => JSON.stringify(event).includes("I have heard 1 announces"));
	const file = await sessionFileOf(rpc);
	await rpc.close();
	// As if the process had died before it could write that the debt is paid.
	inLedger(home, "UPDATE runs SET delivery = 'owed', delivered_at = NULL");
	const again = startRpc(home, { args: ["--session", file] });
	await eventually(() => expect(inLedger(home, "SELECT delivery FROM runs")).toEqual([{ delivery: "delivered" }]));
	await again.promptAndSettle("How are things?");
	await again.close();
	expect(announcesIn(file)).toHaveLength(1);
});

longTest("two pi on the same session: the announce is in its file once", async () => {
	const gates = { A: gate() };
	const home = await openHome({ script: dispatch({ parent, child: child(gates) }) });
	const first = startRpc(home);
	await first.promptAndSettle("spawn A");
	const file = await sessionFileOf(first);
	const second = startRpc(home, { args: ["--session", file] });
	await second.send({ type: "get_state" });
	gates.A.open();
	const heard = (rpc: ReturnType<typeof startRpc>) =>
		rpc.waitForEvent((event) => JSON.stringify(event).includes("I have heard 1 announces"));
	await Promise.race([heard(first), heard(second)]);
	await first.close();
	await second.close();
	expect(announcesIn(file)).toHaveLength(1);
});

describe("pi -p", () => {
	test("waits for what it spawned, and the model answers the announces", async () => {
		const home = await openHome({ script: dispatch({ parent, child: child() }) });
		const run = await promptPi(home, "spawn A B");
		expect(run.code).toBe(0);
		expect(run.finalText).toBe("I have heard 2 announces.");
	});

	test("with a drain limit of a second it leaves, says what is still running, and nothing is lost", async () => {
		const gates = { A: gate() };
		const home = await openHome({
			config: { headless: { drainSeconds: 1 } },
			script: dispatch({ parent, child: child(gates) }),
		});
		const run = await promptPi(home, "spawn A");
		expect(run.code).toBe(0);
		expect(run.finalText).toBe("Spawned.");
		const file =
			/pi-geon: still running: A [0-9a-f]{8} \((?:running|queued)\)\. .*pi --session (\S+)\n/.exec(run.stderr)?.[1] ??
			"";
		gates.A.open();
		await home.model.waitFor((request) => request.isChild).then((request) => request.ended);
		const again = await runPi(home, [
			"--mode",
			"json",
			...home.extensionArgs,
			"--session",
			file,
			"-p",
			"How are things?",
		]);
		expect(again.code, again.stderr).toBe(0);
		expect(announcesIn(file)).toHaveLength(1);
	});
});

const oneRun = async (
	spawn: object,
	childScript: Script,
	config: object = {},
): Promise<{ announce: CustomMessage | undefined; home: Home; receipt: unknown }> => {
	const home = await shared.openHome({
		config,
		script: dispatch({
			parent: ({ lastUserText, lastMessage }) =>
				lastMessage?.role === "tool" || lastUserText !== "Go."
					? text("Noted.")
					: toolCall("sessions_spawn", { task: "A", ...spawn }),
			child: childScript,
		}),
	});
	const rpc = await shared.newSession(home);
	await rpc.promptAndSettle("Go.");
	const file = await sessionFileOf(rpc);
	const receipt = rpc.events.find((event) => event.type === "tool_execution_end")?.result;
	const isAnnounce = (event: PiEvent) => event.type === "message_end" && JSON.stringify(event).includes("Status: ");
	const from = rpc.events.indexOf(await rpc.waitForEvent(isAnnounce));
	await rpc.waitForEvent((event) => event.type === "agent_settled", { from });
	return { announce: announcesIn(file)[0], home, receipt };
};

test("a run that timed out announces it, with its partial findings", async () => {
	const { announce } = await oneRun({ runTimeoutSeconds: 1 }, () => [text("I found a clue."), hang()]);
	const { said, statistics } = partsOf(announce?.content);
	expect(said).toMatch(
		new RegExp(
			`^Status: timeout\nResult: \\(not available\\)\nNotes: ${escaped(WHOSE_WORDS)}\n` +
				"It did not finish within 1 s, its time limit\\.\nLast event of the subagent: \\S+\n" +
				`Partial findings:\n${escaped(tagged("I found a clue."))}\n\n$`,
		),
	);
	expect(statistics).toMatch(STATISTICS);
});

longTest("an error says so in the notes, and a model with prices has a cost", async () => {
	const { announce } = await oneRun({ model: "scripted/priced" }, ({ turn }) =>
		turn === 0 ? [toolCall("ls", { path: "." }), usage({ input: 100_000, output: 1000 })] : httpError(400),
	);
	const { said, statistics } = partsOf(announce?.content);
	expect(said).toMatch(
		new RegExp(
			`^Status: error\nResult: \\(not available\\)\nNotes: ${escaped(WHOSE_WORDS)}\n` +
				"SUBAGENT_FAILED, reason provider:\n<report-x>\nThe model provider failed: .*\n</report-x>\n",
		),
	);
	expect(statistics).toMatch(STATISTICS);
	expect(statistics).toContain(" • est $0.3");
});

longTest("a general child has its parent's tools, less those to delegate with", async () => {
	const { home } = await oneRun({}, () => finalize("Done."));
	const tools = home.model.requests.find((request) => request.isChild)?.tools ?? [];
	expect([...tools].sort()).toEqual(["bash", "edit", "read", "subagent_finalize", "write"]);
});

longTest("a model that does not exist is replaced, with a warning", async () => {
	const { receipt, announce } = await oneRun({ model: "scripted/imaginary" }, () => finalize("Done."));
	expect(receipt).toMatchObject({
		details: { status: "accepted", model: "scripted/parent", warning: expect.stringContaining('"scripted/imaginary"') },
	});
	expect(announce?.content).toContain("scripted/imaginary");
});

test.each(piVersions)("a thinking level that the model does not have is a warning, on pi %s", async (version) => {
	const spawn = toolCall("sessions_spawn", { task: "A", agent: "explorer", thinking: "max" });
	const asking: Script = ({ turn }) => (turn === 0 ? spawn : text("Noted."));
	const home = await openHome({ script: dispatch({ parent: asking, child: () => finalize("Done.") }) });
	const run = await promptPi(home, "Go.", { version });
	const warning = "The thinking level max of the request is not available with scripted/parent; off was used instead.";
	expect(run.toolResults[0], run.stderr).toMatchObject({ details: { status: "accepted", warning } });
});

test("a host that dies with a background run: it continues in another, and comes home once", async () => {
	let asked = 0;
	const home: Home = await shared.openHome({
		script: dispatch({
			parent,
			child: () => {
				if (++asked === 1) killHostsAtWork(home);
				return finalize("Survived.");
			},
		}),
	});
	const rpc = await shared.newSession(home);
	await rpc.promptAndSettle("spawn A");
	await rpc.waitForEvent((event) => JSON.stringify(event).includes("I have heard 1 announces"));
	const file = await sessionFileOf(rpc);
	await rpc.send({ type: "new_session" });
	expect(announcesIn(file).map(({ content }) => partsOf(content).said)).toEqual([successOf("Survived.")]);
});
