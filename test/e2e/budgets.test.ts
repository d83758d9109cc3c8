import { describe, expect, test } from "vitest";
import { killHostsAtWork } from "../helpers/hosts.ts";
import type { Script } from "../helpers/model.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall, usage } from "../helpers/model-steps.ts";
import { type SharedHomeOptions, useSharedPi } from "../helpers/shared-pi.ts";
import { workplaceOf } from "../helpers/through-pool.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { inLedger } from "./ledger-of.ts";

const { openHome, promptPi } = useSharedPi();

/** A child that would continue forever. Each turn costs 0.004 dollars on the model with prices. */
const endlessWorker: Script = ({ turn }) => [
	text(`Finding ${turn + 1}.`),
	toolCall("ls", { path: "." }),
	usage({ input: 1000, output: 66 }),
];

async function delegated(child: Script, home: Omit<SharedHomeOptions, "script">, tasks = ["Look around."]) {
	const opened = await openHome({
		...home,
		script: dispatch({
			parent: [...tasks.map((task) => delegateTo("explorer", task)), text("Done.")],
			child: (request) => child(request),
		}),
	});
	const run = await promptPi(opened, "Go.");
	const asked = () => opened.model.requests.filter((request) => request.isChild);
	return { all: delegations(run), details: delegations(run)[0], asked: asked(), home: opened };
}

const priced = { agents: { defaults: { subagents: { model: "scripted/priced" } } } };

test("a child that would run forever stops at ten turns, with its findings", async () => {
	const { details, asked } = await delegated(endlessWorker, { config: { subagents: { maxTurns: 10 } } });
	expect(asked).toHaveLength(10);
	expect(details?.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "budget" });
	expect(details?.error?.message).toContain("10 turns (maxTurns)");
	expect(details?.results[0]).toMatchObject({ exitCode: 1, output: "Finding 10.", usage: { turns: 10 } });
	const told = asked.map((request) => JSON.stringify(request.messages));
	expect(told.findIndex((said) => said.includes("nearly used up"))).toBe(8);
	expect(told.findIndex((said) => said.includes("This is your last turn"))).toBe(9);
});

test("told that it is its last turn, a child can still finalize, and that is a success", async () => {
	const { details } = await delegated(
		(request) =>
			JSON.stringify(request.messages).includes("This is your last turn")
				? finalize("All I found.")
				: endlessWorker(request),
		{ config: { subagents: { maxTurns: 4 } } },
	);
	expect(details).toMatchObject({ finalized: { status: "SUCCESS", result: "All I found." } });
	expect(details?.results[0]?.usage.turns).toBe(4);
});

test("a cost limit is exceeded by no more than the one last turn", async () => {
	const { details, asked } = await delegated(endlessWorker, {
		config: { subagents: { maxCostUsd: 0.01 }, ...priced },
	});
	const { cost, turns } = details?.results[0]?.usage ?? { cost: 0, turns: 0 };
	expect(details?.error).toMatchObject({ reason: "budget", message: expect.stringContaining("0.01 US dollars") });
	// 0.004 a turn: the third reaches the limit, the fourth is the last.
	expect(turns).toBe(4);
	expect(asked).toHaveLength(4);
	expect(cost - cost / turns).toBeLessThan(0.01 + cost / turns);
});

test("tokens are limited like costs", async () => {
	const { details, asked } = await delegated(endlessWorker, { config: { subagents: { maxTokens: 2000 } } });
	expect(details?.error).toMatchObject({ reason: "budget", message: expect.stringContaining("2000 tokens") });
	expect(asked).toHaveLength(3);
});

test("an agent may ask for less than the configuration allows, never for more", async () => {
	const agent = (maxTurns: number) => ({
		agents: { "explorer.md": `---\nname: explorer\ntools: ls\nmaxTurns: ${maxTurns}\n---\nLook.\n` },
		config: { subagents: { maxTurns: 3 } },
	});
	expect((await delegated(endlessWorker, agent(2))).asked).toHaveLength(2);
	expect((await delegated(endlessWorker, agent(9))).asked).toHaveLength(3);
});

test("a budget of the parent session is shared by all its runs, and nothing is started on an empty one", async () => {
	const { all, asked } = await delegated(endlessWorker, { config: { subagents: { session: { maxTokens: 2000 } } } }, [
		"First.",
		"Second.",
	]);
	expect(all.map((details) => details.error?.reason)).toEqual(["budget", "budget"]);
	expect(all[0]?.error?.message).toContain("subagents.session.maxTokens");
	expect(asked.filter((request) => request.firstUserText === "Second.")).toEqual([]);
	expect(all[1]?.results[0]?.usage.turns).toBe(0);
});

describe("a host that is killed in the middle resets no budget", () => {
	const dying = (at: number, { forgets = false } = {}): Script => {
		let killed = false;
		return async (request) => {
			if (request.turn === at && !killed) {
				killed = true;
				killHostsAtWork(home());
				// As if it had been killed a little earlier: after the turn was in the session file.
				if (forgets)
					inLedger(
						workplaceOf(home()),
						"UPDATE runs SET usage = json_set(usage, '$.turns', json_extract(usage, '$.turns') - 1)",
					);
				return [];
			}
			return endlessWorker(request);
		};
	};
	let current: Awaited<ReturnType<typeof openHome>> | undefined;
	const home = () => {
		if (!current) throw new Error("There is no home yet.");
		return current;
	};

	async function survived(at: number, config: object, how = {}) {
		current = await openHome({
			config,
			script: dispatch({ parent: [delegateTo("explorer", "Look around."), text("Done.")], child: dying(at, how) }),
		});
		const [details] = delegations(await promptPi(current, "Go."));
		return { details, asked: current.model.requests.filter((request) => request.isChild) };
	}

	test("turns", async () => {
		const { details, asked } = await survived(5, { subagents: { maxTurns: 10 } });
		expect(details?.error).toMatchObject({ reason: "budget" });
		expect(details?.results[0]).toMatchObject({ attempts: 2, output: "Finding 10.", usage: { turns: 10 } });
		// Ten that were answered, and the one that was cut off.
		expect(asked).toHaveLength(11);
		expect(JSON.stringify(asked.at(-1)?.messages).split("was interrupted")).toHaveLength(2);
	});

	test("turns that the host could no longer write down", async () => {
		const { details, asked } = await survived(5, { subagents: { maxTurns: 6 } }, { forgets: true });
		expect(details?.error).toMatchObject({ reason: "budget" });
		expect(details?.results[0]).toMatchObject({ attempts: 2, output: "Finding 6.", usage: { turns: 6 } });
		expect(asked).toHaveLength(7);
	});

	test("costs", async () => {
		const { details, asked } = await survived(2, { subagents: { maxCostUsd: 0.01 }, ...priced });
		expect(details?.error).toMatchObject({ reason: "budget" });
		expect(details?.results[0]?.usage.turns).toBe(4);
		expect(asked).toHaveLength(5);
	});
});
