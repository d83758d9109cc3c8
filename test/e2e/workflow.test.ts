import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { type Reply, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, runPi, startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import type { RpcClient } from "../helpers/rpc.ts";
import { isShare } from "../helpers/share.ts";
import { useHome } from "../helpers/use-home.ts";
import { finalize } from "./child.ts";
import { interruptions } from "./interrupted.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const EXAMPLE = join(repositoryRoot, "examples", "workflow");
const exampleFile = (name: string): string => readFileSync(join(EXAMPLE, name), "utf8");
const WITH_SCRIPTS = ["--tools", "+codemode"];
const FILES = ["a", "b", "c"];

interface Worked {
	parent: readonly Reply[];
	child: Script;
	config?: object;
}

/** A project with three files, the agents of the example, and a parent that runs a script. */
async function workflowHome({ parent, child, config = {} }: Worked): Promise<Home> {
	const home = await openHome({
		pi: "1.5.0",
		agents: { "judge.md": exampleFile("agents/judge.md"), "verifier.md": exampleFile("agents/verifier.md") },
		config,
		script: dispatch({ parent, child }),
	});
	mkdirSync(join(home.project, "src"));
	for (const name of FILES) writeFileSync(join(home.project, "src", `${name}.ts`), "export {};\n");
	return home;
}

const runScript = (code: string): Reply => toolCall("codemode", { code });
const fileIn = (task: string): string => /src\/\w+\.ts/.exec(task)?.[0] ?? "";

/** A judge finds one mistake in each file; the verifier takes the one in b.ts back. */
function answer({ firstUserText: task }: Parameters<Script>[0]): Reply {
	if (task.includes("Judge ")) return finalize(JSON.stringify({ findings: [{ line: 1, problem: "It is empty." }] }));
	return finalize(JSON.stringify({ holds: fileIn(task) !== "src/b.ts", why: "Seen." }));
}

const announcedIn = (file: string): string[] =>
	[...readFileSync(file, "utf8").matchAll(/"announceId":"([0-9a-f]{8})"/g)].map(([, id]) => id ?? "");
const sessionFileOf = async (rpc: RpcClient): Promise<string> =>
	((await rpc.send({ type: "get_state" })).data as { sessionFile: string }).sessionFile;
const owed = (home: Home) =>
	inLedger<{ delivery: string; n: number }>(home, "SELECT delivery, count(*) AS n FROM runs GROUP BY delivery");

describe("the example of a workflow", () => {
	test("judges, merges and checks with typed values, though the host is killed meanwhile; nothing is announced twice", async () => {
		const allAsked = gate();
		const home: Home = await workflowHome({
			parent: [runScript(exampleFile("review.js")), text("Done.")],
			child: (request) => {
				const isSecond = request.firstUserText.includes("Judge ") && interruptions(request) === 0;
				return isSecond ? [text("Let me see."), async () => allAsked.opened] : answer(request);
			},
		});
		const rpc = startRpc(home, { args: WITH_SCRIPTS });
		const settled = rpc.promptAndSettle("Go.");
		await eventually(() => expect(home.model.requests.filter(({ isChild }) => isChild)).toHaveLength(3));
		killHostsAtWork(home);
		const events = await settled;
		allAsked.open();
		const script = events.find(({ type, toolName }) => type === "tool_execution_end" && toolName === "codemode");
		const shown = JSON.stringify(script?.result);
		expect(shown).toContain("Script completed");
		for (const file of ["src/a.ts", "src/c.ts"]) expect(shown).toContain(`{\\"file\\":\\"${file}\\",\\"line\\":1`);
		expect(shown).not.toContain('\\"file\\":\\"src/b.ts');
		await eventually(() => expect(owed(home)).toEqual([{ delivery: "delivered", n: 6 }]));
		expect(announcedIn(await sessionFileOf(rpc))).toEqual([]);
	});

	longTest("ends when pi is killed; each answer is announced once when the session is opened again", async () => {
		const held = gate();
		const home: Home = await workflowHome({
			parent: [runScript(exampleFile("review.js")), text("Thank you."), text("Thank you."), text("Thank you.")],
			child: (request) =>
				fileIn(request.firstUserText) === "src/c.ts" ? [async () => held.opened, answer(request)] : answer(request),
		});
		const first = startRpc(home, { args: WITH_SCRIPTS });
		await first.prompt("Go.");
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state = 'ended'")).toHaveLength(2));
		first.child.kill("SIGKILL");
		await first.exited;
		held.open();
		const second = startRpc(home, { args: [...WITH_SCRIPTS, "--continue"] });
		await eventually(() => expect(owed(home)).toEqual([{ delivery: "delivered", n: 3 }]));
		const told = announcedIn(await sessionFileOf(second));
		const runs = inLedger<{ id: string }>(home, "SELECT id FROM runs ORDER BY id").map(({ id }) => id);
		expect(told.sort()).toEqual(runs);
		await second.close();
	});

	test("stops with all its runs when the user presses Esc", async () => {
		const held = gate();
		const home: Home = await workflowHome({
			parent: [runScript(exampleFile("review.js")), text("Stopped.")],
			child: () => [text("Let me see."), async () => held.opened],
		});
		const rpc = startRpc(home, { args: WITH_SCRIPTS });
		await rpc.prompt("Go.");
		await eventually(() => expect(inLedger(home, "SELECT 1 FROM runs WHERE state = 'running'")).toHaveLength(3));
		await rpc.send({ type: "abort" });
		await eventually(() =>
			expect(inLedger(home, "SELECT cause FROM (SELECT outcome ->> '$.cause' AS cause FROM runs)")).toEqual(
				FILES.map(() => ({ cause: "stopped" })),
			),
		);
		held.open();
	});
});

const MANY = isShare ? 40 : 200;
test(`a script that starts ${MANY} runs gets ${MANY} answers, and never more than the limit run at once`, {
	timeout: 120_000,
}, async () => {
	const code = `const all = await Promise.all(Array.from({ length: ${MANY} }, (_, n) =>
		tools.subagent({ agent: "verifier", task: "Number " + n + "." })));
	return all.map(({ value, status, error }) => value?.why ?? status + ": " + error.message).join(" ");`;
	let atWork = 0;
	let most = 0;
	const home = await workflowHome({
		parent: [runScript(code), text("Done.")],
		config: { agents: { defaults: { subagents: { maxConcurrent: 8 } } } },
		child: (request) => {
			atWork += 1;
			most = Math.max(most, atWork);
			return async () => {
				atWork -= 1;
				return finalize(JSON.stringify({ holds: true, why: `n${/\d+/.exec(request.firstUserText)?.[0]}` }));
			};
		},
	});
	// Not as JSON: pi repeats all calls of a script with each step of one of them.
	const run = await runPi(home, [...home.extensionArgs, ...WITH_SCRIPTS, "-p", "Go."], { timeoutMs: 110_000 });
	expect(run.stdout).toContain("Done.");
	const shown = JSON.stringify(home.model.requests.findLast(({ isChild }) => !isChild)?.lastMessage).replaceAll(
		"\\n",
		" ",
	);
	for (let n = 0; n < MANY; n += 1) expect(` ${shown} `).toMatch(new RegExp(`[\\s"]n${n}[\\s"]`));
	expect(most).toBeLessThanOrEqual(8);
	expect(owed(home)).toEqual([{ delivery: "delivered", n: MANY }]);
});

test("a script gets refusals and failures as data", async () => {
	const code = `return JSON.stringify([
		await tools.subagent({ agent: "nobody", task: "Look." }),
		await tools.subagent({ agent: "judge", task: "Fail." }),
	]);`;
	const home = await workflowHome({
		parent: [runScript(code), text("Done.")],
		child: () => toolCall("subagent_finalize", { status: "ERROR", error: "There is nothing to judge." }),
	});
	const run = await promptPi(home, "Go.", { args: WITH_SCRIPTS });
	const shown = run.toolResults.find(({ name }) => name === "codemode")?.text ?? "";
	const [refused, failed] = JSON.parse(shown.slice(shown.indexOf("[{")));
	expect(refused).toMatchObject({ status: "ERROR", error: { code: "UNKNOWN_AGENT" }, usage: { turns: 0 } });
	expect(failed).toMatchObject({
		status: "ERROR",
		error: { code: "SUBAGENT_FAILED" },
		runId: expect.any(String),
		sessionId: expect.any(String),
		usage: { turns: 1 },
	});
});
