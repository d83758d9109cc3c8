import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, text, toolCall } from "../helpers/model-steps.ts";
import { somePi } from "../helpers/pi.ts";
import { type PiVersion, repositoryRoot } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const { openHome, promptPi } = useSharedPi();

const HOOK = join(repositoryRoot, "test", "children", "hook.ts");
const hook = (does: string, file = ""): string[] => [process.execPath, HOOK, does, file];
const recordOf = ({ scratch }: Home, name: string): string => join(scratch, `${name}.jsonl`);

interface Given {
	hook_event_name: string;
	agent_id: string;
	source?: string;
	[field: string]: unknown;
}

const givenTo = (home: Home, name: string): Given[] =>
	existsSync(recordOf(home, name))
		? readFileSync(recordOf(home, name), "utf8")
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line) as Given)
		: [];

interface Setup {
	pi: PiVersion;
	hooks: (home: Home) => object;
	/** What becomes of the first request of a child. */
	child?: (home: Home) => "finalizes" | "kills its host";
	parent?: Parameters<typeof dispatch>[0]["parent"];
}

async function delegated({ pi, hooks, child = () => "finalizes", parent }: Setup) {
	let asked = 0;
	const options = {
		pi,
		agents: { "scout.md": agentNamed("scout", "You look around.", "tools: read, ls") },
		script: dispatch({
			parent: parent ?? [delegateTo("scout", "Look for marzipan."), text("Done.")],
			child: () => {
				if (asked++ > 0 || child(home) === "finalizes") return finalize("Found.");
				killHostsAtWork(home);
				return [delay(100)];
			},
		}),
	};
	// Twice: the folder of the home is known only once it is open.
	let home = await openHome(options);
	for (const name of ["start", "stop"]) rmSync(recordOf(home, name), { force: true });
	home = await openHome({ ...options, config: { subagents: { hooks: hooks(home) } } });
	const run = await promptPi(home, "Go.");
	return { home, run, details: delegations(run)[0] };
}

const stopHooksOf = (home: Home) =>
	inLedger<{ stop_hook: string }>(home, "SELECT stop_hook FROM runs").map(({ stop_hook }) => stop_hook);
const runsOf = (home: Home) => inLedger<{ id: string }>(home, "SELECT id FROM runs");

describe.each(somePi(import.meta.url))("hooks, pi %s", (pi) => {
	test("the start hook gets a run before it is admitted, the stop hook once it has finished, under Claude Code's names", async () => {
		const { home, details } = await delegated({
			pi,
			hooks: (each) => ({ start: hook("agree", recordOf(each, "start")), stop: hook("agree", recordOf(each, "stop")) }),
		});
		expect(details?.results[0]).toMatchObject({ exitCode: 0 });
		const common = { cwd: home.project, agent_type: "scout", agent_id: details?.sessionId };
		expect(givenTo(home, "start")).toEqual([
			expect.objectContaining({
				...common,
				hook_event_name: "SubagentStart",
				source: "new",
				task: "Look for marzipan.",
				mode: "foreground",
				tools: ["read", "ls"],
				model: "scripted/parent",
			}),
		]);
		await eventually(() => expect(givenTo(home, "stop")).toHaveLength(1));
		expect(givenTo(home, "stop")).toEqual([
			expect.objectContaining({
				...common,
				hook_event_name: "SubagentStop",
				stop_hook_active: false,
				agent_transcript_path: details?.results[0]?.sessionFile,
				last_assistant_message: "Found.",
				run_id: details?.runId,
				status: "success",
				exit_code: 0,
			}),
		]);
	});

	test("a start hook that refuses: nothing is admitted, and its words come back, redacted", async () => {
		const { home, details } = await delegated({ pi, hooks: () => ({ start: hook("refuse"), stop: hook("agree") }) });
		expect(details).toMatchObject({ results: [], error: { code: "SUBAGENT_DISABLED", reason: "hook" } });
		expect(details?.error?.message).toMatch(/scout was not started: the start hook .* exit code 2: Not on Fridays\./);
		expect(details?.error?.message).toContain("My token is");
		expect(details?.error?.message).not.toContain("Ab3Ab3Ab3");
		expect(runsOf(home)).toEqual([]);
		expect(home.model.requests.filter(({ isChild }) => isChild)).toEqual([]);
	});

	test.each([
		["hangs", { start: hook("hang"), timeoutMs: 1500 }, /did not finish within 1s \(subagents\.hooks\.timeoutMs/],
		["is missing", { start: ["/nowhere/gate"] }, /cannot be run \(.*ENOENT.*Correct subagents\.hooks\.start/],
		["is not a list", { start: "/nowhere/gate" }, /cannot be run, since its setting is not a list/],
	])("a start hook that %s refuses too, and says what to do", async (_how, hooks, message) => {
		const { home, details } = await delegated({ pi, hooks: () => hooks });
		expect(details?.error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "hook" });
		expect(details?.error?.message).toMatch(message);
		expect(runsOf(home)).toEqual([]);
	});

	test("sessions_spawn is forbidden by it as well", async () => {
		const { run } = await delegated({
			pi,
			hooks: () => ({ start: hook("refuse") }),
			parent: [toolCall("sessions_spawn", { agent: "scout", task: "Look." }), text("Done.")],
		});
		const [spawned] = run.toolResults;
		expect(spawned?.text).toContain('"forbidden"');
		expect(spawned?.text).toContain("Not on Fridays.");
	});

	test("a run whose host is killed: the start hook is not asked again, and the stop hook runs once", async () => {
		const { home, details } = await delegated({
			pi,
			hooks: (each) => ({ start: hook("agree", recordOf(each, "start")), stop: hook("agree", recordOf(each, "stop")) }),
			child: () => "kills its host",
		});
		expect(details?.results[0]).toMatchObject({ exitCode: 0, attempts: 2 });
		await eventually(() => expect(stopHooksOf(home)).toEqual(["done"]));
		expect(givenTo(home, "start")).toHaveLength(1);
		expect(givenTo(home, "stop")).toMatchObject([{ attempts: 2, status: "success" }]);
	});

	test("a stop hook that fails or is missing changes nothing but the log", async () => {
		for (const stop of [hook("refuse"), ["/nowhere/log"]]) {
			const { home, details } = await delegated({ pi, hooks: () => ({ stop }) });
			expect(details?.results[0]).toMatchObject({ exitCode: 0, output: "Found." });
			expect(details?.results[0]?.warnings ?? []).toEqual([]);
			await eventually(() => expect(stopHooksOf(home)).toEqual(["done"]));
		}
	});
});
