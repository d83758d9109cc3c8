import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import type { Home } from "../helpers/home.ts";
import { killHostsAtWork } from "../helpers/hosts.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { delay, httpError, type Reply, text, toolCall, usage } from "../helpers/model-steps.ts";
import { somePi } from "../helpers/pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useSharedPi } from "../helpers/shared-pi.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const { openHome, promptPi } = useSharedPi();

/** As OpenAI says it. pi does not retry it. */
const quota = httpError(429, {
	body: '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}',
});
const tooLong = httpError(400, {
	body: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
});
const looking = [text("I found a clue."), toolCall("ls", { path: "." }), usage({ input: 1000, output: 100 })];
const success = [finalize("All is well."), usage({ input: 2000, output: 200 })];

interface Setup {
	pi: PiVersion;
	/** The turns of each model, in order of its requests. The last is repeated. */
	child: Record<string, (Reply | "kill")[]>;
	fields?: string;
	config?: object;
}

const FIELDS = "tools: read, ls\nmodel: scripted/child\nfallbackModels: [scripted/priced]";

async function delegated({ pi, child, fields = FIELDS, config = {} }: Setup) {
	const asked: Record<string, number> = {};
	const home: Home = await openHome({
		pi,
		config,
		agents: { "scout.md": agentNamed("scout", "You look around.", fields) },
		script: dispatch({
			parent: [delegateTo("scout", "Do it."), text("Done.")],
			child: ({ model }) => {
				const turns = child[model] ?? [];
				const before = asked[model] ?? 0;
				asked[model] = before + 1;
				const turn = turns[Math.min(before, turns.length - 1)];
				if (turn !== "kill") return turn ?? httpError(400, { body: `{"error":{"message":"not for ${model}"}}` });
				killHostsAtWork(home);
				return [delay(100)];
			},
		}),
	});
	const run = await promptPi(home, "Go.");
	const [details] = delegations(run) as [SubagentDetails];
	return { details, result: details.results[0], requests: home.model.requests.filter(({ isChild }) => isChild) };
}

describe.each(somePi(import.meta.url))("fallback models, pi %s", (pi) => {
	test("a quota that is used up after a tool call: the next model continues in the same session", async () => {
		const { details, result, requests } = await delegated({
			pi,
			child: { child: [looking, quota], priced: [success] },
		});
		expect(result).toMatchObject({ exitCode: 0, output: "All is well.", model: "scripted/priced", attempts: 2 });
		expect(result?.warnings).toEqual([
			expect.stringMatching(
				/^The model scripted\/child could not be used \(HTTP 429: .*You exceeded your current quota.*\), so scripted\/priced continued in the same session\.$/,
			),
		]);
		expect(details.finalized).toMatchObject({ status: "SUCCESS" });
		expect(requests.map(({ model }) => model)).toEqual(["child", "child", "priced"]);
		const last = requests.at(-1);
		expect(last?.firstUserText).toBe("Do it.");
		expect(last?.lastUserText).toContain("you continue in its place");
		expect(last?.toolResults).toHaveLength(1);
		// Each model has its own prices: the first costs nothing, the second 3 and 15 dollars a million.
		expect(result?.usage).toMatchObject({ input: 3000, output: 300, turns: 2 });
		expect(result?.usage.cost).toBeCloseTo((2000 * 3 + 200 * 15) / 1_000_000, 9);
	});

	longTest.each([401, 403, 404, 500, 503])("HTTP %i hops too, and at most once for each model", async (status) => {
		const failing = httpError(status, { body: '{"error":{"message":"no"}}' });
		const fields = `${FIELDS.slice(0, -1)}, scripted/parent]`;
		const { result } = await delegated({
			pi,
			fields,
			child: { child: [failing], priced: [failing], parent: [success] },
		});
		expect(result).toMatchObject({ exitCode: 0, model: "scripted/parent", attempts: 3 });
		expect(result?.warnings).toHaveLength(2);
	});

	longTest("a context that is too long is not a reason to hop", async () => {
		const { details, result, requests } = await delegated({ pi, child: { child: [tooLong], priced: [success] } });
		expect(details.error).toMatchObject({ reason: "provider" });
		expect(result).toMatchObject({ exitCode: 1, attempts: 1 });
		expect(requests.map(({ model }) => model)).not.toContain("priced");
	});

	test("where no model is left the run fails, and says which ones could not be used", async () => {
		const { details, result } = await delegated({ pi, child: { child: [quota], priced: [quota] } });
		expect(details.error).toMatchObject({ code: "SUBAGENT_FAILED", reason: "provider" });
		expect(result).toMatchObject({ exitCode: 1, attempts: 2, model: "scripted/priced" });
		expect(result?.warnings).toEqual([expect.stringContaining("scripted/child could not be used")]);
	});

	longTest(
		"a host that takes over the run continues with the model of the last hop; a hop is not an attempt of the provider's",
		async () => {
			const { result, requests } = await delegated({
				pi,
				child: { child: [quota], priced: [looking, "kill", success] },
			});
			expect(result).toMatchObject({ exitCode: 0, model: "scripted/priced", attempts: 3 });
			expect(result?.warnings).toEqual([expect.stringContaining("scripted/child could not be used")]);
			expect(requests.map(({ model }) => model)).toEqual(["child", "priced", "priced", "priced"]);
		},
	);

	longTest("an unknown model in the list is a warning of every run; the others are used", async () => {
		const { result } = await delegated({
			pi,
			fields: "tools: read, ls\nmodel: scripted/child\nfallbackModels: [scripted/nothing-like-it, scripted/priced]",
			child: { child: [quota], priced: [success] },
		});
		expect(result).toMatchObject({ exitCode: 0, model: "scripted/priced" });
		expect(result?.warnings).toEqual([
			expect.stringMatching(
				/"scripted\/nothing-like-it" of fallbackModels of .*scout\.md is not available; it was left out/,
			),
			expect.stringContaining("so scripted/priced continued"),
		]);
	});

	longTest("the configured list counts for agents that have none", async () => {
		const { result } = await delegated({
			pi,
			fields: "tools: read, ls\nmodel: scripted/child",
			config: { agents: { defaults: { subagents: { fallbackModels: ["scripted/priced"] } } } },
			child: { child: [quota], priced: [success] },
		});
		expect(result).toMatchObject({ exitCode: 0, model: "scripted/priced" });
	});
});
