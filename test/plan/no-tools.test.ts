import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { loadConfig } from "../../src/config/load.ts";
import { GENERAL } from "../../src/plan/general.ts";
import { effectiveTools } from "../../src/plan/tools.ts";
import { isRefusal } from "../../src/run/errors.ts";

const { config } = loadConfig({ userFile: "/nowhere/pi-geon.json" });

const agent = (wish: Partial<AgentDefinition>): AgentDefinition => ({
	...GENERAL,
	digest: "of a file",
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

describe("the refusal of a child without any tool says", () => {
	test("why it does not get what it inherits, without the tools that no child ever gets", () => {
		expect(refusalOf(agent({}), ["bash", "subagent", "sessions_spawn", "agents_list"])).toBe(
			"None of the tools of scout is available here. bash was left out: subagents.allowWrite is false in pi-geon.json.",
		);
	});

	test("why it does not get what its file names, each with its own reason", () => {
		const own = agent({ tools: { kind: "only", names: ["frobnicate", "edit", "subagent"] } });
		expect(refusalOf(own)).toBe(
			"None of the tools of scout is available here. frobnicate was left out: this pi has no such tool. Install what " +
				"provides it, or remove it from the agent's file. edit was left out: subagents.allowWrite is false in " +
				"pi-geon.json. subagent was left out: a subagent cannot delegate. No setting changes that.",
		);
		const readonly = refusalOf({ ...own, readonly: true });
		expect(readonly).toContain("edit was left out: scout is read-only.");
		expect(readonly).not.toContain("allowWrite");
	});

	test("where the list is that asks for nothing", () => {
		expect(refusalOf(agent({ tools: { kind: "only", names: [] } }))).toBe(
			"None of the tools of scout is available here. It asks for none: change `tools` in /agents/scout.md.",
		);
	});

	test("that a child without an agent has what its parent has", () => {
		expect(refusalOf(GENERAL, ["subagent"])).toBe(
			"None of the tools of a general subagent is available here. It inherits the parent's tools, and the parent has no " +
				"tool switched on that it may use.",
		);
	});
});
