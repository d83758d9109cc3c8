import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { longTest } from "../helpers/long-test.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { type Home, promptPi, somePi } from "../helpers/pi.ts";
import type { Prompted } from "../helpers/prompt-pi.ts";
import type { PiVersion } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";

const openHome = useHome();

interface Providers {
	providers: Record<string, { models: { id: string; name: string }[] }>;
}

/** Providers in the order in which pi reads them, each with the ids of its models. All are played by the same script. */
function offer(home: Home, offers: Record<string, readonly string[]>): void {
	const file = join(home.agentDir, "models.json");
	const scripted = (JSON.parse(readFileSync(file, "utf8")) as Providers).providers.scripted;
	const [like] = scripted?.models ?? [];
	const providers = Object.fromEntries(
		Object.entries(offers).map(([name, ids]) => [
			name,
			{ ...scripted, models: ids.map((id) => ({ ...like, id, name: id, reasoning: true })) },
		]),
	);
	writeFileSync(file, JSON.stringify({ providers }));
}

const warningsOf = (run: Prompted) => delegations(run).map(({ results }) => results[0]?.warnings ?? []);
const modelsOf = (run: Prompted) => delegations(run).map(({ results }) => results[0]?.model);

/** Which model a name means, we decide, whatever pi's version; what is offered, and what part of a name means, pi says. */
interface Setup {
	version?: PiVersion;
	config?: object;
}

describe("with two providers that offer the same models", () => {
	const runAgents = async (
		models: readonly string[],
		offers: Record<string, readonly string[]>,
		{ version = "0.87.1", config = {} }: Setup = {},
	) => {
		const agents = models.map((model, index) => [
			`agent${index}.md`,
			agentNamed(`agent${index}`, "You help.", `tools: read\nmodel: ${JSON.stringify(model)}`),
		]);
		const home = await openHome({
			agents: Object.fromEntries(agents),
			config,
			script: dispatch({
				parent: [...models.map((_, index) => delegateTo(`agent${index}`, "Look.")), text("Done.")],
				child: () => finalize("Seen."),
			}),
		});
		offer(home, offers);
		return promptPi(home, "Go.", { version });
	};

	test.each(somePi(import.meta.url))(
		"a bare name in an agent file means the parent's provider, on pi %s",
		async (version) => {
			const ids = ["parent", "gpt-5", "claude-sonnet-4-5"];
			const names = ["gpt-5", "claude-sonnet-4-5:high", "GPT-5", "another/gpt-5"];
			const run = await runAgents(names, { another: ids, scripted: ids }, { version });
			expect(modelsOf(run)).toEqual([
				"scripted/gpt-5",
				"scripted/claude-sonnet-4-5",
				"scripted/gpt-5",
				"another/gpt-5",
			]);
			expect(warningsOf(run)).toEqual([[], [], [], []]);
		},
	);

	longTest(
		"Claude Code's aliases mean the newest of that family at the parent's provider, else at another, which is named",
		async () => {
			const run = await runAgents(["sonnet", "opus:low", "inherit"], {
				another: ["claude-sonnet-9", "claude-opus-9"],
				scripted: ["parent", "claude-sonnet-4-5", "claude-sonnet-4-6"],
			});
			expect(modelsOf(run)).toEqual(["scripted/claude-sonnet-4-6", "another/claude-opus-9", "scripted/parent"]);
			expect(warningsOf(run)).toEqual([
				[],
				[expect.stringMatching(/scripted does not offer "opus:low".*another\/claude-opus-9/)],
				[],
			]);
		},
	);

	test.each(somePi(import.meta.url))(
		"a model that only another provider has is used, with a warning that names it; part of a name is read, and said, on pi %s",
		async (version) => {
			const offers = { another: ["gpt-5", "gpt-4-mini"], scripted: ["parent", "gpt-5-mini"] };
			const run = await runAgents(["gpt-5", "mini", "nothing-like-it"], offers, { version });
			expect(modelsOf(run)).toEqual(["another/gpt-5", "scripted/gpt-5-mini", "scripted/parent"]);
			expect(warningsOf(run)).toEqual([
				[expect.stringMatching(/scripted does not offer "gpt-5".*another\/gpt-5/)],
				[expect.stringMatching(/"mini" was read as scripted\/gpt-5-mini/)],
				[expect.stringMatching(/"nothing-like-it".*is not available/)],
			]);
		},
	);

	longTest("inherit in a file goes before the models of the configuration", async () => {
		const config = { agents: { defaults: { subagents: { model: "gpt-5" } } } };
		const run = await runAgents(["inherit"], { scripted: ["parent", "gpt-5"] }, { config });
		expect(modelsOf(run)).toEqual(["scripted/parent"]);
	});

	longTest("a bare name in a request or in the configuration means the parent's provider", async () => {
		const home = await openHome({
			config: {
				agents: {
					defaults: { subagents: { model: "by-default" } },
					list: [
						{ id: "main", subagents: { allowAgents: ["*"] } },
						{ id: "work", subagents: { model: "for-work" } },
					],
				},
			},
			script: dispatch({
				parent: ({ lastMessage, lastUserText }) =>
					lastMessage?.role !== "tool" && lastUserText === "Go."
						? [
								toolCall("sessions_spawn", { agent: "explorer", task: "1", model: "asked-for" }),
								toolCall("sessions_spawn", { agent: "explorer", task: "2", agentId: "work" }),
								toolCall("sessions_spawn", { agent: "explorer", task: "3" }),
								toolCall("sessions_spawn", { agent: "explorer", task: "4", model: " " }),
							]
						: text("Done."),
				child: () => finalize("ANNOUNCE_SKIP"),
			}),
		});
		const ids = ["parent", "asked-for", "for-work", "by-default"];
		offer(home, { another: ids, scripted: ids });
		const run = await promptPi(home, "Go.");
		expect(run.toolResults.map(({ details }) => details)).toEqual([
			expect.objectContaining({ model: "scripted/asked-for" }),
			expect.objectContaining({ model: "scripted/for-work" }),
			expect.objectContaining({ model: "scripted/by-default" }),
			expect.objectContaining({ model: "scripted/by-default", warning: expect.stringContaining("empty") }),
		]);
	});
});
