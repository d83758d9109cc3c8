import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { loadConfig } from "../../src/config/load.ts";
import { GENERAL } from "../../src/plan/general.ts";
import { effectiveTools } from "../../src/plan/tools.ts";
import { isRefusal } from "../../src/run/errors.ts";

const { config } = loadConfig({ userFile: "/nowhere/pi-geon.json" });

const agent = (wish: Partial<AgentDefinition>): AgentDefinition => ({
	...GENERAL,
	name: "scout",
	source: "user",
	file: "/agents/scout.md",
	...wish,
});

/** What is said of a child that is left without a tool. */
function refusalOf(definition: AgentDefinition, active: string[] = []): string {
	const granted = effectiveTools({ agent: definition, config, active, known: [] });
	if (!isRefusal(granted)) throw new Error(`It was granted ${granted.tools}`);
	expect(granted.error).toMatchObject({ code: "SUBAGENT_DISABLED", reason: "no_tools" });
	return granted.error.message;
}

describe("a child without any tool is told", () => {
	test("what it would have taken over, without the tools that no child ever gets", () => {
		const message = refusalOf(agent({}), ["bash", "subagent", "sessions_spawn", "agents_list"]);
		expect(message).toContain("Of the parent's it would take over bash.");
		expect(message).not.toMatch(/subagent,|sessions_spawn|agents_list/);
		expect(message).toMatch(/Switch on more tools in the parent, or change `denied_tools` in \/agents\/scout\.md/);
	});

	test("what to change about the user's own file", () => {
		const own = agent({ tools: { kind: "only", names: ["frobnicate", "subagent"] } });
		expect(refusalOf(own)).toBe(
			"None of the tools of scout is available here. It asks for frobnicate. Install what provides them, or change " +
				"`tools` in /agents/scout.md, or look at subagents.allowWrite and tools.subagents.tools in pi-geon.json.",
		);
		expect(refusalOf(agent({ tools: { kind: "only", names: ["subagent"] } }))).toContain(
			"It asks for none that a child may have.",
		);
		const readonly = refusalOf({ ...own, readonly: true });
		expect(readonly).toContain("change `tools` or `readonly` in /agents/scout.md");
		expect(readonly).not.toContain("allowWrite");
	});

	test("that a built-in agent is changed in the configuration, not in its file", () => {
		const message = refusalOf(agent({ source: "builtin", tools: { kind: "only", names: ["lsp"] } }));
		expect(message).toContain(
			"Install what provides them, or look at tools.subagents.tools and subagents.allowLspTools in pi-geon.json.",
		);
		expect(message).not.toContain("scout.md");
	});

	test("that without an agent it has what its parent has", () => {
		expect(refusalOf(GENERAL, ["subagent"])).toBe(
			"None of the tools of a child without an agent is available here. It takes over the parent's, which has none " +
				"switched on that it may have. Switch on the tools it needs in the parent, or look at tools.subagents.tools in " +
				"pi-geon.json.",
		);
	});
});
