import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { piGeon } from "../cli/pi-geon.ts";
import { finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { type Gate, gate } from "../helpers/gate.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { toolCall, usage } from "../helpers/model-steps.ts";
import { piVersions, somePi, startRpc } from "../helpers/pi.ts";
import { announcesIn, killMachine, POOL_VARIABLE, sessionFileOf, startWorker, useMachines } from "./machines.ts";
import { inDatabase, usePostgres } from "./postgres.ts";

const postgres = usePostgres();
const machines = useMachines(postgres);

const said = (messages: readonly unknown[]): string => JSON.stringify(messages);

/** Reads the note, waits for the gate, and tells how much it knows. */
const reader =
	(gates: { second?: Gate } = {}): Script =>
	async ({ messages, lastUserText }) => {
		const hasRead = messages.some(({ role }) => role === "tool");
		if (!hasRead) return [usage({ input: 10, output: 5 }), toolCall("read", { path: "NOTE.txt" })];
		if (!/again/.test(lastUserText)) await gates.second?.opened;
		const note = said(messages).includes("the note of A") ? "the note of A" : "no note";
		const steered = said(messages).split("look closer").length - 1;
		return [
			usage({ input: 10, output: 5 }),
			finalize(`Read ${note}, ${messages.length} messages, steered ${steered}.`),
		];
	};

const cutConnections = (url: string) =>
	inDatabase(url, (client) =>
		client.query(
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
		),
	);

const checkoutsOf = (home: { home: string }): string => join(home.home, ".pi", "subagent-pool", "checkouts");

describe.each(piVersions)("a pool, on pi %s", (version) => {
	test("does a run on another machine, brings it home once, and continues its session on a third", async () => {
		const { a, b, c, url } = await machines({ version, child: reader() });
		const first = await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn explorer alpha");
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toContain("Status: success");
		expect(announcesIn(file)[0]?.content).toContain("Read the note of A, 4 messages, steered 0.");
		const [run] = inLedger<{ id: string; file: string; usage: string; away: string; key: string }>(
			a,
			"SELECT runs.id, file, usage, away, 'agent:main:subagent:' || session_id AS key FROM runs JOIN sessions ON sessions.id = session_id",
		);
		// Its transcript is here, under the names that it has here; so are its turns, and who did it.
		const lines = readFileSync(run?.file ?? "", "utf8")
			.trim()
			.split("\n");
		expect(JSON.parse(lines[0] ?? "")).toMatchObject({ type: "session", cwd: a.project });
		expect(lines.join("\n")).toContain(`{"runId":"${run?.id}"}`);
		expect(JSON.parse(run?.usage ?? "{}")).toMatchObject({ turns: 2, input: 20, output: 10 });
		expect(JSON.parse(run?.away ?? "{}")).toMatchObject({ pool: "team", worker: first.name });
		const [checkout = ""] = readdirSync(checkoutsOf(b)).filter((name) => !name.endsWith(".ready"));
		expect(readdirSync(join(checkoutsOf(b), checkout)).sort()).toEqual([".git", ".gitignore", "NEW.txt", "NOTE.txt"]);
		// The address of the database reaches no child, and is written nowhere.
		const logs = readFileSync(join(b.agentDir, "pi-geon", "parent.log"), "utf8");
		expect(logs).not.toContain(url);
		await first.leave();

		const second = await startWorker(c);
		await rpc.promptAndSettle(`send ${run?.key} and now again`);
		await eventually(() => expect(announcesIn(file)).toHaveLength(2));
		expect(announcesIn(file)[1]?.content).toMatch(/Read the note of A, [6-9] messages/);
		const aways = inLedger<{ away: string }>(a, "SELECT away FROM runs ORDER BY seq");
		expect(aways.map(({ away }) => JSON.parse(away).worker)).toEqual([first.name, second.name]);
		// What nobody needs any more is not kept: it holds the source.
		await rpc.close();
		await eventually(() => expect(existsSync(join(a.agentDir, "pi-geon", "pool"))).toBe(true));
		const left = () =>
			inDatabase(url, async (client) => (await client.query("SELECT job FROM pi_geon.bundles")).rows.length);
		await expect.poll(left).toBe(0);
		await second.leave();
	});

	test("another worker takes over from the last line when a machine dies, and brings the message along", async () => {
		const second = gate();
		const { a, b, c, model } = await machines({ version, child: reader({ second }) });
		await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn explorer beta");
		const file = await sessionFileOf(rpc);
		// B has read the note and thinks.
		await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
		const [run] = inLedger<{ file: string; key: string }>(
			a,
			"SELECT file, 'agent:main:subagent:' || session_id AS key FROM runs JOIN sessions ON sessions.id = session_id",
		);
		await eventually(() => expect(readFileSync(run?.file ?? "", "utf8")).toContain('"role":"toolResult"'));
		await rpc.promptAndSettle(`send ${run?.key} look closer`);
		killMachine(b);
		const asked = model.requests.length;
		const worker = await startWorker(c);
		await model.waitFor((request) => request.isChild && model.requests.indexOf(request) >= asked);
		second.open();
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		const { content } = announcesIn(file)[0] ?? { content: "" };
		expect(content).toContain("Status: success");
		// It continued: the note was read once, and the message was given once.
		expect(content).toMatch(/Read the note of A, \d+ messages, steered 1\./);
		expect(content).toContain(`Taken over by ${worker.name}`);
		const transcript = readFileSync(run?.file ?? "", "utf8");
		expect(transcript.split('"role":"toolResult","toolCallId"').length).toBeLessThanOrEqual(3);
		expect(transcript).toContain("was interrupted and your work continues");
		// B's turn counts too.
		const [{ usage: used = "{}" } = {}] = inLedger<{ usage: string }>(a, "SELECT usage FROM runs");
		expect(JSON.parse(used).turns).toBeGreaterThanOrEqual(2);
		await rpc.close();
		await worker.leave();
	});
});

describe.each(somePi(import.meta.url))("on pi %s, a pool", (version) => {
	test("tells a child to stop, and has its own word on how far it came", async () => {
		const never = gate();
		const { a, b, model } = await machines({ version, child: reader({ second: never }) });
		const worker = await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn explorer gamma");
		const file = await sessionFileOf(rpc);
		await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
		await rpc.prompt("/stop");
		await eventually(() => expect(readFileSync(file, "utf8")).toContain("pi-geon:stopped"));
		const [{ outcome = "{}" } = {}] = inLedger<{ outcome: string }>(a, "SELECT outcome FROM runs");
		expect(JSON.parse(outcome)).toMatchObject({ cause: "stopped", exitCode: 130, usage: { turns: 1 } });
		never.open();
		await rpc.close();
		await worker.leave();
	});

	test("brings changes of a worker agent home, applies nothing, and lets the user apply them", async () => {
		const writing: Script = ({ messages }) =>
			messages.some(({ role }) => role === "tool")
				? finalize("Written.")
				: toolCall("write", { path: "NOTE.txt", content: "changed far away\n" });
		const { a, b } = await machines({ version, child: writing });
		const worker = await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn worker delta");
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toContain("Status: success");
		const [{ id = "", outcome = "{}" } = {}] = inLedger<{ id: string; outcome: string }>(
			a,
			"SELECT id, outcome FROM runs",
		);
		expect(JSON.parse(outcome).changes).toMatchObject({
			state: "pending",
			files: [{ path: "NOTE.txt", status: "M", added: 1, removed: 1 }],
		});
		expect(JSON.parse(outcome).sandbox).toMatchObject({ enforced: "kernel", write: "worktree" });
		expect(readFileSync(join(a.project, "NOTE.txt"), "utf8")).toBe("the note of A\n");
		await rpc.prompt(`/subagents apply ${id}`);
		await eventually(() => expect(readFileSync(join(a.project, "NOTE.txt"), "utf8")).toBe("changed far away\n"));
		expect(execFileSync("git", ["status", "--porcelain"], { cwd: a.project, encoding: "utf8" })).toBe(
			" M NOTE.txt\n?? NEW.txt\n",
		);
		await rpc.close();
		await worker.leave();
	});

	longTest(
		"a worker that was killed and started again gives its runs back without waiting for the heartbeat",
		async () => {
			const second = gate();
			const { a, b, url, model } = await machines({ version, child: reader({ second }) });
			const killed = await startWorker(b);
			const rpc = startRpc(a);
			await rpc.promptAndSettle("spawn explorer theta");
			await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
			await inDatabase(url, (client) => client.query("UPDATE pi_geon_queue.job SET heartbeat_seconds = 3600"));
			killed.child.kill("SIGKILL");
			await killed.leave();
			const asked = model.requests.length;
			const worker = await startWorker(b);
			await model.waitFor((request) => request.isChild && model.requests.indexOf(request) >= asked);
			second.open();
			const file = await sessionFileOf(rpc);
			await eventually(() => expect(announcesIn(file)).toHaveLength(1));
			expect(announcesIn(file)[0]?.content).toMatch(/Status: success[\s\S]*Read the note of A/);
			await rpc.close();
			await worker.leave();
		},
	);

	test("a run waits for a worker, which lists tell with the time, and takes no place in the lane of this machine", async () => {
		const { a, b, url } = await machines({
			version,
			child: ({ firstUserText }) => finalize(`Did ${firstUserText}.`),
			config: { agents: { defaults: { subagents: { maxConcurrent: 1 } } } },
		});
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn explorer far");
		const waits = () =>
			inLedger<{ away: string | null }>(a, "SELECT away FROM runs WHERE label = 'far'")[0]?.away ?? "{}";
		await eventually(() => expect(JSON.parse(waits())).toEqual({ pool: "team", since: expect.any(Number) }));
		const { stdout } = await piGeon(a, ["list"], { env: { COLUMNS: "200" } });
		expect(stdout).toMatch(/waiting for a worker of pool team \d+\.?\d*s/);
		expect((await piGeon(a, ["pool", "status"])).stdout).toMatch(
			/^Pool team: 0 running, 1 waiting for a worker, the first of them for .*\nNo workers\. Start one/,
		);
		expect(await piGeon(a, ["pool", "check"])).toMatchObject({
			code: 1,
			stdout: expect.stringContaining("has no worker"),
		});
		// The one place of the lane is free.
		await rpc.promptAndSettle("near explorer near");
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toContain("Did near.");

		// Connections break while it waits, and again while there is a worker: everybody connects again.
		await cutConnections(url);
		const worker = await startWorker(b);
		await eventually(() => expect(announcesIn(file)).toHaveLength(2));
		expect(announcesIn(file)[1]?.content).toContain("Did far.");
		await cutConnections(url);
		await rpc.promptAndSettle("spawn explorer further");
		await eventually(() => expect(announcesIn(file)).toHaveLength(3));
		const check = await piGeon(a, ["pool", "check", "team"]);
		expect(check).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(new RegExp(`there and back in \\d+ ms: .* answered, with pi ${version}$`, "m")),
		});
		expect((await piGeon(a, ["pool", "drain", "team"])).stdout).toContain("1 worker of pool team");
		await eventually(() => expect(worker.child.exitCode).toBe(0));
		expect(worker.said()).toContain("Being drained: accepts no new runs");
		await rpc.close();
	});

	test("a call that waits gets the answer of an agent whose file names the pool, and budgets hold over a takeover", async () => {
		const second = gate();
		const { a, b, c, model } = await machines({
			version,
			child: reader({ second }),
			agents: { "far.md": agentNamed("far", "Do.", "tools: read\npool: team\nmaxTurns: 2") },
			config: { pools: { team: { urlEnv: POOL_VARIABLE } } },
		});
		await startWorker(b);
		const rpc = startRpc(a);
		await rpc.prompt("wait far epsilon");
		await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
		const [run] = inLedger<{ file: string }>(a, "SELECT file FROM sessions");
		await eventually(() => expect(readFileSync(run?.file ?? "", "utf8")).toContain('"role":"toolResult"'));
		killMachine(b);
		const worker = await startWorker(c);
		second.open();
		await eventually(() => expect(inLedger(a, "SELECT 1 FROM runs WHERE state = 'ended'")).toHaveLength(1));
		const [{ outcome = "{}", mode } = {}] = inLedger<{ outcome: string; mode: string }>(
			a,
			"SELECT outcome, mode FROM runs",
		);
		expect(mode).toBe("foreground");
		// One turn on B and one on C: a third would be over the budget.
		expect(JSON.parse(outcome)).toMatchObject({ status: "success", usage: { turns: 2, input: 20 }, attempts: 2 });
		await rpc.waitForEvent(
			(event) => event.type === "tool_execution_end" && said([event]).includes("Read the note of A"),
		);
		await rpc.close();
		await worker.leave();
	});

	test("what a worker cannot have ends the run with the reason; its setup runs once in a checkout", async () => {
		const { a, b } = await machines({ version, child: reader() });
		const config = { pools: { team: { urlEnv: POOL_VARIABLE, setup: ["sh", "-c", "echo set up >> ../setup.log"] } } };
		writeFileSync(join(b.agentDir, "pi-geon.json"), JSON.stringify(config));
		const worker = await startWorker(b, { args: ["--places", "1"] });
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn explorer good");
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		const [{ key = "" } = {}] = inLedger<{ key: string }>(
			a,
			"SELECT 'agent:main:subagent:' || id AS key FROM sessions",
		);
		await rpc.promptAndSettle(`send ${key} and again`);
		await eventually(() => expect(announcesIn(file)).toHaveLength(2));
		expect(readFileSync(join(checkoutsOf(b), "setup.log"), "utf8")).toBe("set up\n");

		const nowhere = `file://${a.scratch}/nowhere.git`;
		execFileSync("git", ["remote", "add", "origin", nowhere], { cwd: a.project });
		execFileSync("git", ["update-ref", "refs/remotes/origin/main", "HEAD"], { cwd: a.project });
		await rpc.promptAndSettle("spawn explorer bad");
		await eventually(() => expect(announcesIn(file)).toHaveLength(3));
		expect(announcesIn(file)[2]?.content).toMatch(/Status: error[\s\S]*The worker cannot read file:/);
		await rpc.close();
		await worker.leave();
	});
});
