import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { longTest } from "../helpers/long-test.ts";
import { hang } from "../helpers/model-steps.ts";
import { ANY_PI, type PiEvent, promptPi, runPi, somePi, startRpc } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { command, fiveHundredRuns, ledgerFile, reportsIn, spawning, WITHOUT_RUNS, WRONG } from "./commands.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const shared = useSharedPi();

describe.each(somePi(import.meta.url))("commands in RPC mode, on pi %s", (version) => {
	test("each has an answer where nothing was ever delegated, and makes no ledger", async () => {
		const home = await openHome({});
		const rpc = startRpc(home, { version });
		for (const [line, says] of WITHOUT_RUNS) {
			expect(await command(rpc, line), line).toEqual({ text: expect.stringMatching(says), type: "info" });
		}
		for (const [line, says] of WRONG) {
			expect(await command(rpc, line), line).toEqual({ text: expect.stringMatching(says), type: "error" });
		}
		const help = (await command(rpc, "/toolkit help")).text;
		expect(help).toMatch(/^Keys\nEsc .*\n(?: .*\n)*Ctrl\+O .*\nAlt\+S +opens the inspector/m);
		expect(existsSync(ledgerFile(home))).toBe(false);
		expect(home.model.requests).toEqual([]);
	});

	test("running runs are listed, described, read, steered and stopped, and the model hears nothing of it", async () => {
		const gates = { A: gate(), B: gate(), C: gate() };
		const home = await shared.openHome({ pi: version, script: spawning(gates) });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn A B C");
		for (const task of ["A", "B", "C"]) {
			await home.model.waitFor(({ isChild, turn, firstUserText }) => isChild && turn === 1 && firstUserText === task);
		}
		const asked = home.model.requests.filter(({ isChild }) => !isChild).length;

		const list = (await command(rpc, "/subagents list")).text.split("\n");
		expect(list[0]).toBe("3 runs: 3 running");
		expect(list.slice(2)).toEqual([
			expect.stringMatching(/^#3 {2}[0-9a-f]{8} {2}explorer {2}"the C" {2}running \d+s/),
			expect.stringMatching(/^#2 {2}[0-9a-f]{8} {2}explorer {2}"the B" {2}running \d+s/),
			expect.stringMatching(/^#1 {2}[0-9a-f]{8} {2}explorer {2}"the A" {2}running \d+s/),
		]);
		const idOf = (line: string | undefined) => /[0-9a-f]{8}/.exec(line ?? "")?.[0] ?? "";
		const [c, b, a] = list.slice(2).map(idOf);

		const info = (await command(rpc, "/subagents info the A")).text;
		expect(info).toContain(`Run ${a} (#1)`);
		for (const fact of [
			/^state +running, \d+s$/m,
			/^task +A$/m,
			/^accepted +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m,
			/^started +\d{4}-/m,
			/^attempt +1 of at most 2$/m,
			/^host +[0-9a-f]{8}$/m,
			/^model +scripted\/parent/m,
			/^tools +read, grep, find, ls/m,
			/^limits +1h00m total · 3m00s idle/m,
			/^usage +1 turn · /m,
			/^delivery +owed when the run has finished$/m,
			/^cleanup +keep$/m,
			/^session id +[0-9a-f-]{36}$/m,
			/^transcript +\S+\.jsonl$/m,
		]) {
			expect(info).toMatch(fact);
		}
		expect((await command(rpc, `/subagents log ${b}`)).text).not.toContain("→ ls");
		const log = (await command(rpc, `/subagents log ${b} 5 tools`)).text;
		expect(log).toMatch(/^explorer, running\n\n\[.*\] task or message\n {2}B\n/);
		expect(log).toMatch(/\] subagent\n {2}→ ls /);
		expect(log).toMatch(/\] result of ls\n/);
		expect((await command(rpc, "/subagents log #2 1 tools")).text).toMatch(/\d earlier messages are left out/);
		expect((await command(rpc, "/toolkit activity")).text).toMatch(/^#1 explorer · running .*\n {2}the A\n {2}› ls/);

		for (const name of ["#2", '"the B"']) {
			const logged = (await command(rpc, `/toolkit logs ${name} info 50`)).text;
			expect(logged).toMatch(new RegExp(`${b} explorer started`));
			expect(logged).not.toContain(c);
		}
		expect((await command(rpc, "/toolkit logs last")).text).toContain(c);
		expect(await command(rpc, "/toolkit logs the-D")).toEqual({
			text: expect.stringMatching(/^No run has the id, number or label "the-D"\. \/toolkit logs takes/),
			type: "error",
		});

		expect((await command(rpc, '/subagents send "the A" Look at D too.')).text).toContain(`Sent to explorer, run ${a}`);
		gates.A.open();
		const steered = await home.model.waitFor(
			({ isChild, turn, firstUserText }) => isChild && turn === 2 && firstUserText === "A",
		);
		expect(JSON.stringify(steered.messages)).toContain("Look at D too.");

		expect((await command(rpc, "/subagents stop #2")).text).toBe(`Stopping 1 run: ${b}.`);
		await eventually(() =>
			expect(inLedger(home, "SELECT state, stop_by FROM runs WHERE id = ?", b ?? "")).toEqual([
				{ state: "ended", stop_by: "the user" },
			]),
		);
		expect((await command(rpc, `/subagents stop ${b}`)).text).toBe(`Already finished: ${b}. Nothing was changed.`);
		expect((await command(rpc, "/subagents info #2")).text).toMatch(/^state +stopped \(exit code 130\), /m);
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state <> 'ended'")).toHaveLength(1));
		expect((await command(rpc, "/subagents stop all")).text).toBe(`Stopping 1 run: ${c}.`);
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE delivery <> 'delivered'")).toEqual([]));
		await rpc.promptAndSettle("Well?");
		const heard = home.model.requests.filter(({ isChild }) => !isChild).slice(asked);
		expect(heard.length).toBeGreaterThan(0);
		for (const { messages } of heard) expect(JSON.stringify(messages)).not.toMatch(/3 running|Sent to explorer/);
	});

	test("a finished run continues with a message, and the report comes home", async () => {
		const home = await shared.openHome({ pi: version, script: spawning() });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn A");
		const announced = (words: string) =>
			rpc.waitForEvent((event) => {
				const said = event.type === "message_end" ? JSON.stringify(event) : "";
				return said.includes("pi-geon:announce") && said.includes(words);
			});
		await announced("Answer to A.");
		const { text } = await command(rpc, "/subagents send last And now B?");
		expect(text).toMatch(/^explorer continues with your message as run [0-9a-f]{8}\./);
		await announced("Went on: And now B?");
		expect((await command(rpc, "/subagents list")).text).toMatch(/^2 runs: 2 finished\n/);
	});

	test("/stop ends the turn and every run, and says how many", async () => {
		const gates = { A: gate(), B: gate() };
		const spawn = spawning(gates);
		const home = await shared.openHome({
			pi: version,
			script: (request) => (request.lastUserText === "think" ? hang() : spawn(request)),
		});
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn A B");
		await rpc.prompt("think");
		const thinking = await home.model.waitFor(({ lastUserText }) => lastUserText === "think");
		expect((await command(rpc, "/stop")).text).toMatch(
			/^The turn was stopped\.\nStopping 2 runs: [0-9a-f]{8}, [0-9a-f]{8}\.$/,
		);
		await thinking.ended;
		expect(thinking.aborted).toBe(true);
		await eventually(() =>
			expect(inLedger(home, "SELECT state, stop_by FROM runs")).toEqual([
				{ state: "ended", stop_by: "the user" },
				{ state: "ended", stop_by: "the user" },
			]),
		);
	});
});

test("a child takes a command for the text that it is", async () => {
	const home = await shared.openHome({ script: spawning() });
	const rpc = await shared.newSession(home);
	await rpc.promptAndSettle("spawn /stop /toolkit");
	for (const task of ["/stop", "/toolkit"]) {
		const { firstUserText } = await home.model.waitFor(({ isChild, lastUserText }) => isChild && lastUserText === task);
		expect(firstUserText).toBe(task);
	}
	await eventually(() =>
		expect(inLedger(home, "SELECT json_extract(outcome, '$.output') AS output FROM runs ORDER BY output")).toEqual([
			{ output: "Answer to /stop." },
			{ output: "Answer to /toolkit." },
		]),
	);
});

test("with a ledger that cannot be opened, commands and session tools answer what is wrong", async () => {
	const home = await openHome({ script: spawning() });
	mkdirSync(ledgerFile(home), { recursive: true });
	const rpc = startRpc(home);
	for (const line of ["/subagents list", "/subagents info last", "/stop", "/toolkit activity"]) {
		const before = rpc.events.length;
		await rpc.prompt(line);
		const isAnswer = ({ message }: PiEvent) => String(message).startsWith("EISDIR");
		expect(await rpc.waitForEvent(isAnswer, { from: before }), line).toMatchObject({ notifyType: "error" });
	}
	const calls = [
		["sessions_list", {}],
		["sessions_history", { sessionKey: "x" }],
		["agents_list", {}],
		["sessions_send", { label: "x", message: "y" }],
	] as const;
	for (const [tool, args] of calls) {
		const before = rpc.events.length;
		await rpc.prompt(`call ${tool} ${JSON.stringify(args)}`);
		const end = await rpc.waitForEvent((event) => event.type === "tool_execution_end", { from: before });
		expect(end, tool).toMatchObject({
			toolName: tool,
			isError: true,
			result: { details: { status: "error", error: expect.any(String) } },
		});
		await rpc.waitForEvent((event) => event.type === "agent_settled", { from: before });
	}
});

const printedBy =
	(version: PiVersion) =>
	(home: Home, lines: string[], args: string[] = []) =>
		runPi(home, [...home.extensionArgs, ...args, "-p", ...lines], { version });

describe.each(somePi(import.meta.url))("commands in one-shot modes, on pi %s", (version) => {
	const printed = printedBy(version);

	test("print mode writes the report to stdout; a problem goes to stderr and is the exit code", async () => {
		const home = await openHome({});
		const lines = WITHOUT_RUNS.map(([line]) => line);
		const all = await printed(home, lines);
		expect(all).toMatchObject({ code: 0, stderr: "" });
		for (const [line, says] of WITHOUT_RUNS) expect(all.stdout, line).toMatch(new RegExp(says, "m"));
		const wrong = await printed(
			home,
			WRONG.map(([line]) => line),
		);
		expect(wrong).toMatchObject({ code: 1, stdout: "" });
		const problems = wrong.stderr.trim().split("\n");
		expect(problems).toEqual(WRONG.map(([, says]) => expect.stringMatching(says)));
		expect(existsSync(ledgerFile(home))).toBe(false);

		const session = await fiveHundredRuns(home);
		const list = await printed(home, ["/subagents list"], ["--session-id", session]);
		expect(list.code).toBe(0);
		expect(list.stderr).not.toContain("pi-geon");
		expect(list.stdout.match(/^#\d+ /gm)).toHaveLength(20);
		expect(list.stdout).toMatch(/^500 runs: 500 finished\n\n#500 {2}/);
		expect(list.stdout).toMatch(
			/…and 480 more\. `\/subagents list 100` shows a hundred, `\/subagents list all` every one\.\n$/,
		);
		const every = await printed(home, ["/subagents list all"], ["--session-id", session]);
		expect(every.stdout.match(/^#\d+ /gm)).toHaveLength(500);
		expect(home.model.requests).toEqual([]);
	});

	test("JSON mode keeps to JSON lines: the report is an event", async () => {
		const home = await openHome({});
		const lines = [...WITHOUT_RUNS, ...WRONG].map(([line]) => line);
		const nothing = await runPi(home, ["--mode", "json", ...home.extensionArgs, "-p", ...lines], { version });
		expect(reportsIn(nothing.events)).toEqual(WITHOUT_RUNS.map(([, says]) => expect.stringMatching(says)));
		expect(nothing.stderr.trim().split("\n")).toEqual(WRONG.map(([, says]) => expect.stringMatching(says)));

		const session = await fiveHundredRuns(home);
		const args = ["--session-id", session];
		const list = await promptPi(home, "/subagents list 3", { version, args });
		expect(list.code).toBe(0);
		expect(list.stderr).not.toContain("pi-geon");
		expect(reportsIn(list.events)).toEqual([
			expect.stringMatching(/^500 runs: 500 finished\n\n#500 .*\n#499 .*\n#498 .*\n\n…and 497 more/),
		]);
		const info = await promptPi(home, "/subagents info #17", { version, args });
		expect(reportsIn(info.events)).toEqual([
			expect.stringMatching(/^Run [0-9a-f]{8} \(#17\)\n\nstate +finished \(exit code 0\), 0s\n/),
		]);
		const wrong = await promptPi(home, "/subagents info #501", { version, args });
		expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/There is no run #501 in this session/) });
		expect(reportsIn(wrong.events)).toEqual([]);
		expect(home.model.requests).toEqual([]);
	});
});

describe("commands in one-shot modes, on any pi", () => {
	const version = ANY_PI;
	const printed = printedBy(version);

	longTest(
		"a message to an ended run is taken up before pi exits, and its report is there when the session is opened",
		async () => {
			const home = await openHome({ script: spawning() });
			const session = "0f1e2d3c-4b5a-4697-8877-665544332211";
			const args = ["--session-id", session];
			await promptPi(home, "spawn A", { version, args });
			const sent = await printed(home, ["/subagents send last And B?"], args);
			expect(sent.stderr).toBe("");
			expect(sent.stdout).toMatch(/^explorer continues with your message as run [0-9a-f]{8}\./);
			await home.model.waitFor(({ isChild, lastUserText }) => isChild && lastUserText === "And B?");
			await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state <> 'ended'")).toEqual([]));
			const next = await promptPi(home, "What is new?", { version, args });
			expect(next.stdout).toContain("Went on: And B?");
		},
	);
});
