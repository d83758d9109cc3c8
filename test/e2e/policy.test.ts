import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { agentNamed } from "../helpers/agent-file.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";
import { delegateTo, delegations, finalize } from "./child.ts";
import { inLedger } from "./ledger-of.ts";

const openHome = useHome();
const unsteadyTools = join(dirname(fileURLToPath(import.meta.url)), "..", "children", "unsteady-tools.ts");

describe.each(somePi(import.meta.url))("on pi %s", (version) => {
	test("a child has the tools, the LSP actions and the thinking level that were decided, and nothing beyond", async () => {
		const overreach = [
			toolCall("write", { path: "a.txt", content: "a" }),
			toolCall("lsp", { action: "symbols", file: "a.txt" }),
			toolCall("lsp", { action: "servers" }),
		];
		const home = await openHome({
			reasoning: true,
			config: {
				subagents: { allowedLspActions: ["definition", "servers"] },
				agents: { defaults: { subagents: { thinking: "low" } } },
			},
			agents: { "writer.md": agentNamed("writer", "You write.", "tools: read, write, bash, lsp\nthinking: high") },
			script: dispatch({
				parent: ({ turn }) =>
					turn === 0
						? [
								delegateTo("writer", "As the file says."),
								delegateTo("explorer", "As configured."),
								toolCall("sessions_spawn", { task: "As asked for.", agent: "writer", thinking: "minimal" }),
							]
						: text("Done."),
				child: ({ firstUserText, turn }) =>
					firstUserText === "As the file says." && turn === 0 ? overreach : finalize("Done."),
			}),
		});
		const run = await promptPi(home, "Go.", { version });
		expect(run.code, run.stderr).toBe(0);

		const children = home.model.requests.filter((request) => request.isChild);
		const levels = children
			.filter(({ turn }) => turn === 0)
			.map(({ firstUserText, raw }) => [firstUserText, raw.reasoning_effort]);
		expect(Object.fromEntries(levels)).toEqual({
			"As the file says.": "high",
			"As configured.": "low",
			"As asked for.": "minimal",
		});

		const writer = children.find(({ toolResults }) => toolResults.length > 0);
		expect([...(writer?.tools ?? [])].sort()).toEqual(["lsp", "read", "subagent_finalize"]);
		const plans = inLedger<{ plan: string }>(home, "SELECT plan FROM runs WHERE agent = 'writer'");
		expect(plans.map(({ plan }) => JSON.parse(plan))).toMatchObject(Array(2).fill({ tools: ["read", "lsp"] }));
		expect(writer?.toolResults.map((result) => result.text)).toEqual([
			expect.stringContaining("write not found"),
			"lsp symbols is not allowed here. Allowed: definition, servers.",
			expect.stringContaining("typescript"),
		]);
	});

	test("a child whose tools are not those of its plan is not asked anything", async () => {
		const home = await openHome({
			moreExtensions: [unsteadyTools],
			config: { subagents: { allowWrite: true } },
			agents: {
				"lacking.md": agentNamed("lacking", "You lack.", "tools: read, parents_only"),
				"tempted.md": agentNamed("tempted", "You resist.", "tools: read, steady"),
			},
			script: dispatch({
				parent: [[delegateTo("lacking", "Without."), delegateTo("tempted", "With more.")], text("Done.")],
				child: [finalize("Done.")],
			}),
		});
		const results = delegations(await promptPi(home, "Go.", { version }));
		expect(results.find(({ error }) => error)).toMatchObject({
			error: { code: "SUBAGENT_FAILED", reason: "setup", message: expect.stringMatching(/Missing: parents_only\.$/) },
			results: [{ agent: "lacking", exitCode: 1, usage: { turns: 0 } }],
		});
		// What pushes itself forward, pi itself keeps out: it is not in the list pi got.
		const asked = home.model.requests.filter((request) => request.isChild);
		expect(asked.map(({ firstUserText, tools }) => [firstUserText, [...tools].sort()])).toEqual([
			["With more.", ["read", "steady", "subagent_finalize"]],
		]);
	});
});
