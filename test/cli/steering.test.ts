import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLogs } from "../../src/log/read-logs.ts";
import { finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids, killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { ANY_PI, somePi, startRpc } from "../helpers/pi.ts";
import { usePreparedHome } from "../helpers/prepared-home.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { jsonOf, piGeon, startPiGeon } from "./pi-geon.ts";

const openHome = useHome();
const shared = useSharedPi();

/** A parent that spawns one for each word after `spawn`, labelled with it. */
const parent: Script = ({ lastUserText, lastMessage, messages }) => {
	if (lastMessage?.role === "tool") return text("Spawned.");
	const [verb, ...tasks] = lastUserText.split(" ");
	if (verb === "spawn")
		return tasks.map((task) => toolCall("sessions_spawn", { task, agent: "explorer", label: task }));
	const stopped = JSON.stringify(messages).split("The user stopped 1 subagent run").length - 1;
	if (stopped > 0) return text(`Stopped ${stopped}.`);
	return text(`Heard ${JSON.stringify(messages).split("Status: ").length - 1}.`);
};

/** Children that look around twice, held up in between if there is a gate, and tell what they were told last. */
const child =
	(held?: Gate): Script =>
	async ({ turn, lastUserText }) => {
		if (turn === 0) return [text("I begin."), toolCall("ls", {})];
		if (turn === 1) {
			await held?.opened;
			return toolCall("ls", {});
		}
		return finalize(`Told: ${lastUserText}`);
	};

const isWorking = (home: Home, children = 1) =>
	eventually(() =>
		expect(home.model.requests.filter(({ isChild }) => isChild).length).toBeGreaterThanOrEqual(2 * children),
	);

const idOf = (home: Home): string =>
	inLedger<{ id: string }>(home, "SELECT id FROM runs ORDER BY seq DESC")[0]?.id ?? "";

const trust = (home: Home, decision: boolean): void =>
	writeFileSync(join(home.agentDir, "trust.json"), JSON.stringify({ [home.project]: decision }));

/** No pi is open, and a run has finished and was announced. */
const endedRunWhere = (prepare: (home: Home) => void) =>
	usePreparedHome({
		script: dispatch({ parent, child: child() }),
		past: async (home) => {
			prepare(home);
			const rpc = startRpc(home);
			await rpc.promptAndSettle("spawn first");
			await rpc.waitForEvent((event) => JSON.stringify(event).includes("Heard 1."));
			await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE delivery = 'delivered'")).toHaveLength(1));
			await rpc.close();
		},
	});
const endedRun = endedRunWhere(() => {});
const endedRunOfTrustedProject = endedRunWhere((home) => trust(home, true));

const sessionFile = (home: Home): string => {
	const root = join(home.agentDir, "sessions");
	const [name = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
		file.endsWith(".jsonl"),
	);
	return join(root, name);
};

describe.each(somePi(import.meta.url))("while pi %s is open", (version) => {
	test("a run is followed and steered from the shell, and the exit code says how it ended", async () => {
		const held = gate();
		const home = await shared.openHome({ pi: version, script: dispatch({ parent, child: child(held) }) });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn first");
		await isWorking(home);
		expect(await jsonOf(home, ["list"])).toMatchObject({
			runs: [{ label: "first", phase: "running" }],
			count: { running: 1 },
		});
		const following = startPiGeon(home, ["log", "first", "-f", "--tools"]);
		await following.prints("I begin.");
		const sent = await piGeon(home, ["send", "first", "Look", "at the cellar."]);
		expect(sent).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("gets your message") });
		held.open();
		expect(await following.ended).toMatchObject({
			code: 0,
			stderr: "",
			stdout: expect.stringMatching(/Told: A message from[\s\S]*Look at the cellar\.[\s\S]*: finished\n$/),
		});
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Heard 1."));
	});
});

describe("while any pi is open", () => {
	const version = ANY_PI;

	test("the answer is that to the message, even if the run had almost ended when it came", async () => {
		const held = gate();
		// It answers for good with what it is held up in, so that there is no turn left to take a message in.
		const late: Script = async ({ lastUserText }) => {
			if (lastUserText === "first") await held.opened;
			return finalize(`Told: ${lastUserText}`);
		};
		const home = await shared.openHome({ pi: version, script: dispatch({ parent, child: late }) });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn first");
		await home.model.waitFor(({ isChild }) => isChild);
		const sending = startPiGeon(home, ["send", "first", "And the attic?", "--wait", "25"]);
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM inbox")).toHaveLength(1));
		held.open();
		expect(await sending.ended).toEqual({ code: 0, stdout: "Told: And the attic?\n", stderr: "" });
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Heard 2."));
	});

	longTest("an answer that does not come in time is a failure, which says how to follow the run", async () => {
		const held = gate();
		const home = await shared.openHome({ pi: version, script: dispatch({ parent, child: child(held) }) });
		const rpc = await shared.newSession(home);
		await rpc.promptAndSettle("spawn first");
		await isWorking(home);
		const id = idOf(home);
		const late = `There was no answer within 1 s. Run ${id} continues; follow it with: pi-geon log -f ${id}`;
		expect(await piGeon(home, ["send", "first", "And the attic?", "--wait", "1"])).toEqual({
			code: 1,
			stdout: "",
			stderr: `pi-geon: ${late}\n`,
		});
		const asJson = await piGeon(home, ["send", "first", "And the cellar?", "--wait", "1", "--json"]);
		expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toEqual({
			code: 1,
			stdout: { status: "timeout", how: "steered", runId: id, error: late },
			stderr: "",
		});
		held.open();
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Heard 1."));
	});

	test("a run is stopped at once, and the model reads it with the next prompt", async () => {
		const held = gate();
		const home = await openHome({ script: dispatch({ parent, child: child(held) }) });
		const rpc = startRpc(home, { version });
		await rpc.promptAndSettle("spawn first second");
		await isWorking(home, 2);
		const following = startPiGeon(home, ["log", "first", "-f", "--json"]);
		await following.prints("I begin.");
		expect(await piGeon(home, ["stop", "first"])).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^Stopping 1 run: /),
		});
		const { code, stdout } = await following.ended;
		expect(code).toBe(1);
		const lines = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as object);
		expect(lines.at(-1)).toMatchObject({ ended: { label: "first", status: "error", reason: "stopped" } });
		expect(await jsonOf(home, ["stop", "all"])).toMatchObject({ stopped: [{ was: "open" }] });
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE delivery = 'delivered'")).toHaveLength(2));
		held.open();
		await rpc.promptAndSettle("Well?");
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Stopped 2."));
		const places = {
			parentLog: join(home.agentDir, "pi-geon", "parent.log"),
			hosts: join(home.agentDir, "pi-geon", "hosts"),
		};
		expect(readLogs(places).filter(({ role }) => role === "cli")).toMatchObject([{ message: "stop requested" }, {}]);
	});
});

/** A home whose pi was closed while its run was running. */
async function leftAtWork(held: Gate): Promise<Home> {
	const home = await openHome({ script: dispatch({ parent, child: child(held) }) });
	const rpc = startRpc(home);
	await rpc.promptAndSettle("spawn first");
	await isWorking(home);
	await rpc.close();
	return home;
}

// Each of these opens pi twice, or a host besides.
describe("while no pi is open", () => {
	test("Ctrl-C leaves a run that is followed, and the run continues", async () => {
		const held = gate();
		const home = await leftAtWork(held);
		const following = startPiGeon(home, ["log", "-f", "last"]);
		await following.prints("I begin.");
		following.kill("SIGINT");
		expect(await following.ended).toMatchObject({ code: 130, stderr: "" });
		const again = startPiGeon(home, ["log", "-f", "last"]);
		await again.prints("I begin.");
		held.open();
		expect(await again.ended).toMatchObject({ code: 0, stderr: "" });
	});

	longTest("Ctrl-C stops waiting for an answer, and says which run continues", async () => {
		const held = gate();
		const home = await leftAtWork(held);
		const id = idOf(home);
		const left = `You left before the answer came. Run ${id} continues; follow it with: pi-geon log -f ${id}`;
		const interrupted = async (messages: number, ...options: string[]) => {
			const sending = startPiGeon(home, ["send", "first", "And the attic?", "--wait", "60", ...options]);
			await eventually(() => expect(inLedger(home, "SELECT 1 FROM inbox")).toHaveLength(messages));
			sending.kill("SIGINT");
			return sending.ended;
		};
		expect(await interrupted(1)).toEqual({ code: 130, stdout: "", stderr: `pi-geon: ${left}\n` });
		const asJson = await interrupted(2, "--json");
		expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toEqual({
			code: 130,
			stdout: { status: "left", how: "steered", runId: id, error: left },
			stderr: "",
		});
		held.open();
		expect(await piGeon(home, ["log", "-f", "last"])).toMatchObject({ code: 0, stderr: "" });
	});

	test("a run whose host is dead is taken over by another, since no other process would notice", async () => {
		const held = gate();
		const home = await leftAtWork(held);
		killHostsAtWork(home);
		await eventually(() => expect(hostPids(home)).toEqual([]));
		held.open();
		const sent = await piGeon(home, ["send", "first", "And the attic?", "--wait", "25"]);
		expect(sent).toMatchObject({
			code: 0,
			stderr: "",
			stdout: expect.stringMatching(/^Told: [\s\S]*And the attic\?/),
		});
	});

	test("a finished subagent continues with a message, and its session gets the report when it is opened", async () => {
		const home = await endedRun();
		const sent = await piGeon(home, ["send", "first", "And the attic?", "--wait", "25"]);
		expect(sent).toEqual({ code: 0, stdout: "Told: And the attic?\n", stderr: "" });
		// The child was asked in the session it had before.
		const asked = home.model.requests.filter(({ isChild }) => isChild).at(-1);
		expect(JSON.stringify(asked?.messages)).toMatch(/Told: first[\s\S]*And the attic\?/);
		expect(await jsonOf(home, ["list"])).toMatchObject({
			runs: [{ label: "first", delivery: "owed" }, { delivery: "delivered" }],
		});
		const rpc = startRpc(home, { args: ["--session", sessionFile(home)] });
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Heard 2."));
	});

	longTest("without a pi on the PATH it waits, and says so, until its session is opened", async () => {
		const home = await endedRun();
		const sent = await piGeon(home, ["send", "first", "And the attic?"], { env: { PATH: "/nowhere" } });
		expect(sent).toMatchObject({
			code: 0,
			stderr: "",
			stdout: expect.stringContaining("it starts when the session that asked"),
		});
		expect(await jsonOf(home, ["list"])).toMatchObject({ count: { queued: 1 } });
		const id = idOf(home);
		const none = "There was no answer within 1 s. No host works on run";
		const awaited = ["send", "first", "Hurry.", "--wait", "1"];
		expect(await piGeon(home, awaited, { env: { PATH: "/nowhere" } })).toEqual({
			code: 1,
			stdout: "",
			stderr: expect.stringContaining(`${none} ${id} yet, and there is no pi on the PATH`),
		});
		const asJson = await piGeon(home, [...awaited, "--json"], { env: { PATH: "/nowhere" } });
		expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toEqual({
			code: 1,
			stdout: { status: "timeout", how: "steered", runId: id, error: expect.stringContaining(none) },
			stderr: "",
		});
		const rpc = startRpc(home, { args: ["--session", sessionFile(home)] });
		await rpc.waitForEvent((event) => JSON.stringify(event).includes("Heard 2."));
		expect(readFileSync(sessionFile(home), "utf8")).toContain("Hurry.");
	});

	longTest("with a pi that cannot be a host it says so, and does not claim that anything goes on", async () => {
		const home = await endedRun();
		const bin = join(home.scratch, "bin");
		mkdirSync(bin);
		const script = '#!/bin/sh\n[ "$1" = --version ] && echo 0.87.1 && exit\necho broken >&2\nexit 1\n';
		writeFileSync(join(bin, "pi"), script, { mode: 0o755 });
		const env = { PATH: `${bin}:/usr/bin:/bin` };
		expect(await piGeon(home, ["send", "first", "And the attic?"], { env })).toMatchObject({
			code: 1,
			stdout: "",
			stderr: expect.stringContaining("The host process could not be started"),
		});
	});

	test("a run that waits for a host is stopped there and then", async () => {
		const home = await endedRun();
		await piGeon(home, ["send", "first", "And the attic?"], { env: { PATH: "/nowhere" } });
		await piGeon(home, ["stop", "last"]);
		expect(await jsonOf(home, ["info", idOf(home)])).toMatchObject({ phase: "ended", reason: "stopped" });
		expect(await piGeon(home, ["stop", "last"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("Already finished"),
		});
	});

	test("what was forbidden since is not continued", async () => {
		const home = await endedRun();
		const forbid = (config: object) => writeFileSync(join(home.agentDir, "pi-geon.json"), JSON.stringify(config));
		forbid({ subagents: { disabled: ["explorer"] } });
		expect(await piGeon(home, ["send", "first", "more"])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("subagents.disabled"),
		});
		forbid({ subagents: { enabled: false } });
		expect(await piGeon(home, ["send", "first", "more"])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("switched off (subagents.enabled"),
		});
		forbid({ tools: { subagents: { tools: { deny: ["grep", "find", "lsp", "ls"] } } } });
		expect(await piGeon(home, ["send", "first", "more", "-w", "25"])).toMatchObject({ code: 0 });
		expect(await jsonOf(home, ["info", "last"])).toMatchObject({ tools: ["read"] });
	});

	longTest("what may have been forbidden, in a file that says it wrongly, is not continued either", async () => {
		const home = await endedRunOfTrustedProject();
		mkdirSync(join(home.project, ".pi"), { recursive: true });
		const [own, projects] = [join(home.agentDir, "pi-geon.json"), join(home.project, ".pi", "pi-geon.json")];
		for (const [file, config] of [
			[own, "{ subagents: { disabled: ['explorer'] }"],
			[own, "{ subagents: { disabled: 'explorer' } }"],
			[own, "{ subagents: { disable: ['explorer'] } }"],
			[own, "{ tools: { deny: ['read'] } }"],
			[projects, "{ tools: { subagents: { tools: { deny: [read] } } } }"],
		] as const) {
			writeFileSync(file, config);
			expect([config, await piGeon(home, ["send", "first", "more"])]).toEqual([
				config,
				{ code: 1, stdout: "", stderr: expect.stringContaining(`pi-geon: Nothing was sent. ${file}:1:`) },
			]);
			writeFileSync(file, "{}");
		}
		expect(inLedger(home, "SELECT 1 FROM runs")).toHaveLength(1);
	});

	longTest("a run whose folder is gone does not continue, and the answer says why", async () => {
		const home = await endedRunOfTrustedProject();
		rmSync(home.project, { recursive: true });
		expect(await piGeon(home, ["send", "first", "more"], { cwd: home.home })).toEqual({
			code: 1,
			stdout: "",
			stderr: expect.stringMatching(
				`^pi-geon: The folder of session [-0-9a-f]+ is gone: there is no ${home.project} any more.\n$`,
			),
		});
		mkdirSync(home.project);
	});

	longTest("what the directory of the run forbids counts, wherever the command is typed", async () => {
		const home = await endedRunOfTrustedProject();
		mkdirSync(join(home.project, ".pi"), { recursive: true });
		const config = { tools: { subagents: { tools: { deny: ["grep", "find", "lsp", "ls"] } } } };
		writeFileSync(join(home.project, ".pi", "pi-geon.json"), JSON.stringify(config));
		const sent = await piGeon(home, ["send", idOf(home), "more", "-w", "25"], { cwd: home.home });
		expect(sent).toMatchObject({ code: 0, stderr: "" });
		const plans = inLedger<{ plan: string }>(home, "SELECT plan FROM runs ORDER BY seq").map(({ plan }) =>
			JSON.parse(plan),
		);
		expect(plans).toMatchObject([
			{ tools: expect.arrayContaining(["lsp"]), extensions: [expect.stringContaining("lsp.js")] },
			{ tools: ["read"], extensions: [] },
		]);
	});

	test("a run that rests on trust in its project does not continue once that was taken back", async () => {
		const home = await endedRunOfTrustedProject();
		trust(home, false);
		expect(await piGeon(home, ["send", "first", "more"])).toMatchObject({
			code: 1,
			stdout: "",
			stderr: expect.stringMatching(/that project is not trusted now.*\/trust/),
		});
		expect(inLedger(home, "SELECT 1 FROM runs")).toHaveLength(1);
		trust(home, true);
		expect(await piGeon(home, ["send", "first", "more", "-w", "25"])).toMatchObject({ code: 0, stderr: "" });
	});

	longTest("nor is a running one steered: a message that comes too late would be the task of another", async () => {
		const held = gate();
		const home = await openHome({ script: dispatch({ parent, child: child(held) }) });
		const rpc = startRpc(home);
		await rpc.promptAndSettle("spawn first");
		await isWorking(home);
		writeFileSync(join(home.agentDir, "pi-geon.json"), JSON.stringify({ subagents: { disabled: ["explorer"] } }));
		const forbidden = "explorer is switched off (subagents.disabled";
		expect(await piGeon(home, ["send", "first", "more"])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(forbidden),
		});
		await rpc.prompt("/subagents send first more");
		await rpc.waitForEvent((event) => event.method === "notify" && JSON.stringify(event).includes(forbidden));
		held.open();
		await rpc.close();
		expect(inLedger(home, "SELECT 1 FROM inbox")).toEqual([]);
	});

	test("inside a subagent one may look, and nothing else", async () => {
		const home = await endedRun();
		const env = { PI_SUBAGENT_CHILD: "1", PI_SUBAGENT_DEPTH: "1" };
		for (const args of [["send", "first", "more"], ["stop", "all"], ["gc"], ["doctor"]]) {
			expect(await piGeon(home, args, { env })).toMatchObject({
				code: 1,
				stderr: expect.stringContaining("Inside a subagent"),
			});
		}
		expect(await piGeon(home, ["list"], { env })).toMatchObject({ code: 0 });
	});
});
