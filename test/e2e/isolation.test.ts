import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import type { Home } from "../helpers/home.ts";
import { hostPids } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { hang, text, toolCall } from "../helpers/model-steps.ts";
import { promptPi } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { isShare } from "../helpers/share.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { interruptions, readTranscript } from "./interrupted.ts";
import { eventually, inLedger } from "./ledger-of.ts";

const openHome = useHome();
const DEADLY_TOOLS = join(repositoryRoot, "test", "children", "deadly-tools.ts");
const deadly = ["throws_in_a_timer", "exits", "eats_memory", "blocks_the_loop"];

/** Without one that was started ahead and not needed. */
const hostsThatWorked = (home: Home): number => inLedger(home, "SELECT DISTINCT host_id FROM attempts").length;

const resultOf = (run: Parameters<typeof delegations>[0], task: string) =>
	delegations(run).find(({ results }) => results[0]?.task === task);

const setUp = {
	moreExtensions: [DEADLY_TOOLS],
	agents: {
		"loner.md": agentNamed("loner", "You work alone.", `isolation: process\ntools: ${deadly.join(", ")}`),
		"worker.md": agentNamed("worker", "You work.", `tools: ls, ${deadly.join(", ")}`),
	},
	config: { subagents: { allowWrite: true } },
	env: { PI_GEON_LEASE_MS: "3000" },
};

describe("a run whose agent asks for its own process takes no other run down when it", () => {
	test.for(isShare ? deadly.slice(0, 1) : deadly)("%s", async (tool) => {
		const again = gate();
		const home = await openHome({
			...setUp,
			// Enough for pi, and soon eaten.
			env: { ...setUp.env, ...(tool === "eats_memory" && { NODE_OPTIONS: "--max-old-space-size=300" }) },
			script: dispatch({
				parent: [[delegateTo("loner", "Die."), delegateTo("worker", "Live.")], text("Done.")],
				child: async (request) => {
					if (request.firstUserText === "Live.") {
						// At work all the time, from before the first death until after the second life has begun.
						await again.opened;
						return finalize("Alive.");
					}
					await home.model.waitFor(({ isChild, firstUserText }) => isChild && firstUserText === "Live.");
					if (interruptions(request) > 0) again.open();
					return toolCall(tool, {});
				},
			}),
		});
		const run = await promptPi(home, "Go.", { timeoutMs: 80_000 });
		expect(resultOf(run, "Live.")?.results[0]).toMatchObject({ exitCode: 0, output: "Alive.", attempts: 1 });
		const lost = resultOf(run, "Die.");
		expect(lost?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "lost" });
		expect(lost?.results[0]).toMatchObject({ exitCode: 1, attempts: 2 });
		// One for the worker, and one for each attempt of the other.
		expect(hostsThatWorked(home)).toBe(3);
	});
});

longTest("its host leaves right after it, and its plan says why it had one", async () => {
	const home = await openHome({
		...setUp,
		env: { PI_GEON_HOST_IDLE_MS: "600000" },
		script: dispatch({ parent: [delegateTo("loner", "Work."), text("Done.")], child: [finalize("Fine.")] }),
	});
	const run = await promptPi(home, "Go.", { timeoutMs: 50_000 });
	expect(resultOf(run, "Work.")?.results[0]).toMatchObject({ exitCode: 0, output: "Fine." });
	await eventually(() => expect(hostPids(home)).toEqual([]));
	const rows = inLedger<{ isolation: string; ours: number }>(
		home,
		"SELECT plan ->> '$.isolation' AS isolation, own_run IS id AS ours FROM runs",
	);
	expect(rows).toEqual([{ isolation: "process", ours: 1 }]);
	expect(inLedger(home, "SELECT id FROM hosts WHERE state <> 'gone'")).toEqual([]);
});

longTest("no more processes are started than the lane has places, and one that waits", async () => {
	let first = true;
	let most = 0;
	const home: Home = await openHome({
		...setUp,
		config: { subagents: { allowWrite: true }, agents: { defaults: { subagents: { maxConcurrent: 1 } } } },
		script: dispatch({
			parent: [["A.", "B.", "C.", "D."].map((task) => delegateTo("loner", task)), text("Done.")],
			child: async () => {
				// Somebody waits at the door now.
				if (first) await eventually(() => expect(hostPids(home).length).toBeGreaterThan(1));
				first = false;
				most = Math.max(most, hostPids(home).length);
				return finalize("Fine.");
			},
		}),
	});
	const run = await promptPi(home, "Go.", { timeoutMs: 50_000 });
	expect(delegations(run).map(({ results }) => results[0]?.exitCode)).toEqual([0, 0, 0, 0]);
	expect(home.model.peakOf(({ isChild }) => isChild)).toBe(1);
	// One running, one that waits, and perhaps one that is leaving.
	expect(most).toBeLessThanOrEqual(3);
});

longTest("a crasher burns its own attempts only: its seven siblings finish", { timeout: 180_000 }, async () => {
	const innocents = Array.from({ length: 7 }, (_, n) => `Work ${n}.`);
	const asked = new Map<number, number>();
	const home = await openHome({
		...setUp,
		env: {},
		config: { subagents: { allowWrite: true, retry: { maxAttempts: 2 } } },
		script: dispatch({
			parent: [[...innocents, "Crash."].map((task) => delegateTo("worker", task)), text("Done.")],
			child: async (request) => {
				const life = interruptions(request);
				if (request.firstUserText !== "Crash.") {
					asked.set(life, (asked.get(life) ?? 0) + 1);
					// Twice they are taken along while they work; alone, they get to the end.
					return life < 2 ? hang() : finalize(`Done with ${request.firstUserText}`);
				}
				if (life < 2) await eventually(() => expect(asked.get(life)).toBe(7), 60_000);
				return toolCall("throws_in_a_timer", {});
			},
		}),
	});
	const run = await promptPi(home, "Go.", { timeoutMs: 170_000 });
	for (const task of innocents) {
		const [result] = resultOf(run, task)?.results ?? [];
		expect(result).toMatchObject({ exitCode: 0, output: `Done with ${task}`, attempts: 3 });
		expect(readTranscript(result?.sessionFile ?? "")).toMatchObject({ interruptions: 2, isOneLine: true });
	}
	const crasher = resultOf(run, "Crash.");
	expect(crasher?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "lost" });
	expect(crasher?.results[0]?.attempts).toBe(3);
});
