import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/run/outcome.ts";
import { finalize } from "../e2e/child.ts";
import { eventually, inLedger } from "../e2e/ledger-of.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import type { Script } from "../helpers/model.ts";
import { hang, httpError, text, toolCall, usage } from "../helpers/model-steps.ts";
import { somePi, startRpc } from "../helpers/pi.ts";
import { announcesIn, killMachine, sessionFileOf, startWorker, useMachines } from "./machines.ts";
import { usePostgres } from "./postgres.ts";

const postgres = usePostgres();
const machines = useMachines(postgres);

const turn = usage({ input: 100, output: 10 });
const working = [text("I found a clue."), toolCall("read", { path: "NOTE.txt" }), turn];

/** By task: which agent has it, and what its child does after a turn of work. */
const ENDINGS = {
	finishes: { agent: "steady", next: [finalize("All is well."), turn] },
	gives_up: { agent: "steady", next: [toolCall("subagent_finalize", { status: "ERROR", error: "No way." }), turn] },
	is_refused: { agent: "steady", next: httpError(400) },
	talks_on: { agent: "steady", next: [text("I will not finalize."), turn] },
	goes_on: { agent: "frugal", next: working },
	hangs: { agent: "hasty", next: hang() },
} as const;

const AGENTS = {
	"steady.md": agentNamed("steady", "Do.", "tools: read"),
	"frugal.md": agentNamed("frugal", "Do.", "tools: read\nmaxTurns: 3"),
	"hasty.md": agentNamed("hasty", "Do.", "tools: read\nidleTimeoutMs: 8000"),
};

const child: Script = ({ firstUserText, messages }) => {
	const task = Object.keys(ENDINGS).find((name) => firstUserText.includes(name)) as keyof typeof ENDINGS;
	return messages.some(({ role }) => role === "tool") ? [ENDINGS[task].next].flat() : working;
};

/** What must not depend on the machine. */
const comparable = (outcome: Outcome) => {
	const { status, cause, exitCode, output, usage: used } = outcome;
	const { input, output: said, turns } = used;
	const error = outcome.status === "success" ? undefined : outcome.error;
	return { status, cause, exitCode, output, error, used: { input, said, turns } };
};

describe.each(somePi(import.meta.url))("through a pool, on pi %s", (version) => {
	test("runs end as they do on this machine: with the same cause, answer, words and usage", async () => {
		const { a, b } = await machines({ version, child, agents: AGENTS });
		const worker = await startWorker(b, { args: ["--places", "6"] });
		const rpc = startRpc(a);
		for (const [task, { agent }] of Object.entries(ENDINGS)) {
			await rpc.promptAndSettle(`spawn ${agent} ${task}`);
			await rpc.promptAndSettle(`near ${agent} ${task}`);
		}
		const count = 2 * Object.keys(ENDINGS).length;
		// Several that end together are told in one announce.
		const told = "SELECT 1 FROM runs WHERE delivery = 'delivered'";
		await eventually(() => expect(inLedger(a, told)).toHaveLength(count));
		const rows = inLedger<{ label: string; far: number; outcome: string }>(
			a,
			"SELECT label, away IS NOT NULL AS far, outcome FROM runs WHERE state = 'ended'",
		);
		const outcomeOf = (task: string, far: number) =>
			comparable(JSON.parse(rows.find((row) => row.label === task && row.far === far)?.outcome ?? "{}") as Outcome);
		const all = (far: number) => Object.fromEntries(Object.keys(ENDINGS).map((task) => [task, outcomeOf(task, far)]));
		expect(all(1)).toEqual(all(0));
		expect(Object.values(all(1)).map(({ cause }) => cause)).toEqual([
			...["finalized", "reported_error", "provider", "not_finalized", "budget", "timeout"],
		]);
		await rpc.close();
		await worker.leave();
	});

	test("a budget runs out over a takeover: what both workers used counts", async () => {
		const second = gate();
		const greedy: Script = async ({ messages }) => {
			if (messages.some(({ role }) => role === "tool")) await second.opened;
			return working;
		};
		const { a, b, c, model } = await machines({ version, child: greedy, agents: AGENTS });
		await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn frugal spends");
		await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
		const [{ file: transcript = "" } = {}] = inLedger<{ file: string }>(a, "SELECT file FROM sessions");
		await eventually(() => expect(readFileSync(transcript, "utf8")).toContain('"role":"toolResult"'));
		killMachine(b);
		const worker = await startWorker(c);
		second.open();
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		const [{ outcome = "{}" } = {}] = inLedger<{ outcome: string }>(a, "SELECT outcome FROM runs");
		// One turn on B, two on C.
		expect(JSON.parse(outcome)).toMatchObject({
			cause: "budget",
			error: { reason: "budget", message: expect.stringContaining("3 turns (maxTurns)") },
			usage: { turns: 3, input: 300 },
			attempts: 2,
		});
		await rpc.close();
		await worker.leave();
	});

	test("a database that crashes while a child works costs nothing: one report, and the next run goes there too", async () => {
		const second = gate();
		const reads: Script = async ({ messages }) => {
			if (!messages.some(({ role }) => role === "tool")) return working;
			await second.opened;
			return [finalize("All is well."), turn];
		};
		const { a, b, model } = await machines({ version, child: reads });
		const worker = await startWorker(b);
		const rpc = startRpc(a);
		await rpc.promptAndSettle("spawn explorer first");
		await model.waitFor(({ isChild, messages }) => isChild && messages.some(({ role }) => role === "tool"));
		await postgres.crash();
		second.open();
		const file = await sessionFileOf(rpc);
		await eventually(() => expect(announcesIn(file)).toHaveLength(1));
		expect(announcesIn(file)[0]?.content).toContain("Status: success");
		await rpc.promptAndSettle("spawn explorer second");
		await eventually(() => expect(announcesIn(file)).toHaveLength(2));
		const rows = inLedger<{ outcome: string }>(a, "SELECT outcome FROM runs");
		expect(rows.map(({ outcome }) => (JSON.parse(outcome) as Outcome).output)).toEqual([
			"All is well.",
			"All is well.",
		]);
		await rpc.close();
		await worker.leave();
	});
});
