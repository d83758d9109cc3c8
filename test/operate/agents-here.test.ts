import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import type { AgentCatalog } from "../../src/agents/discover.ts";
import type { CheckResult, Examination } from "../../src/operate/doctor/check.ts";
import { checkTools } from "../../src/operate/doctor/tools.ts";
import { modelInShell } from "../../src/operate/model-here.ts";
import { agentsReport } from "../../src/operate/report/agents.ts";
import { type ToolSurroundings, toolsHere } from "../../src/operate/tools-here.ts";
import { agentOf, configOf, parentOf } from "../plan/launching.ts";

const inPi = (config: object = {}): ToolSurroundings => ({
	config: configOf(config),
	pi: { active: parentOf.activeTools, known: parentOf.knownTools, skills: [] },
	consent: () => "not_asked",
	writing: () => undefined,
});

const UNUSED = "tools: read\nmemory: project";
const UNUSED_TOLD = "memory is not used: subagents keep no memory between sessions.";
const OFF = "tools: read, bash\nenabled: false";
const OFF_TOLD = "`enabled: false` in custom.md:5";

describe("what an agent gets here", () => {
	test("comes with every warning of its file: tools, entries that are not names, and other fields", () => {
		const agent = agentOf("tools: read, bash, Bash(git:*)\nmemory: project", "user");
		expect(toolsHere(agent, inPi())).toEqual({
			tools: ["read"],
			skills: [],
			unsure: [],
			warnings: [
				"bash was left out: subagents.allowWrite is false in pi-geon.json.",
				expect.stringMatching(/^Bash\(git:\*\) was left out: /),
				UNUSED_TOLD,
			],
			inherits: false,
			asksFor: ["bash"],
		});
	});

	test("is nothing if its file switches it off, and the file and line are told", () => {
		expect(toolsHere(agentOf(OFF, "user"), inPi())).toMatchObject({ off: OFF_TOLD });
		expect(toolsHere(agentOf("tools: read", "user"), inPi())).not.toHaveProperty("off");
	});

	test("is nothing if the configuration switches it off", () => {
		const here = toolsHere(agentOf("tools: read", "user"), inPi({ subagents: { disabled: ["custom"] } }));
		expect(here.off).toBe("subagents.disabled in pi-geon.json");
	});
});

describe("the report on agents", () => {
	const report = (lines: string) =>
		agentsReport(catalogOf(agentOf(lines, "user")), {
			width: 200,
			toolsHere: (agent) => toolsHere(agent, inPi()),
			modelHere: (agent) => modelInShell(agent, configOf({})),
			howToForget: () => "",
		});

	test("shows an agent that is off as off, with the reason, and not what it would get", () => {
		expect(report(OFF)).toEqual([
			"1 agent",
			"",
			"custom · user · off",
			"  about  custom, for a test",
			"  tools  read, bash",
			`  off    ${OFF_TOLD}`,
			"  model  the parent's",
			"  file   custom.md",
		]);
	});

	test("shows the warnings of the file", () => {
		expect(report(UNUSED)).toContain(`  warning    ${UNUSED_TOLD}`);
	});

	test("says in a shell that only pi knows whether a model can be used", () => {
		expect(report("tools: read\nmodel: a/b")).toContain(
			"  model      a/b (only pi knows whether it can be used: see /toolkit agents)",
		);
	});
});

test("outside of pi the model that the configuration names is told of agents that name none", () => {
	const config = configOf({ agents: { defaults: { subagents: { model: "a/b" } } } });
	const told = (lines: string) => modelInShell(agentOf(lines, "user"), config).words;
	expect(told("tools: read")).toMatch(/^a\/b, from pi-geon\.json \(only pi knows/);
	expect(told("tools: read\nmodel: inherit")).toBe("the parent's");
});

describe("the doctor", () => {
	const findings = async (lines: string, config: object = {}): Promise<Omit<CheckResult, "check">[]> => {
		const tools = inPi(config);
		const sources = { catalog: catalogOf(agentOf(lines, "user")), config: { config: tools.config, files: [] }, tools };
		const found: Omit<CheckResult, "check">[] = [];
		for await (const finding of checkTools.run({ sources } as unknown as Examination)) found.push(finding);
		return found;
	};

	test("tells the warnings of an agent's file", async () => {
		expect(await findings(UNUSED)).toMatchObject([{ level: "warn", detail: `${UNUSED_TOLD}\ncustom.md` }]);
	});

	test("says of an agent that is off that it is, and misses none of its tools", async () => {
		expect(await findings(OFF)).toEqual([
			{ level: "pass", what: "custom is switched off, so it does not run", detail: OFF_TOLD },
			{ level: "pass", what: "Every agent gets the tools that it asks for" },
		]);
	});

	test("tells a denial of some uses of a tool", async () => {
		const config = { subagents: { allowWrite: true } };
		expect(await findings("disallowedTools: Bash(rm:*)", config)).toMatchObject([
			{ level: "warn", detail: expect.stringMatching(/^bash was left out: the file denies Bash\(rm:\*\)/) },
		]);
	});
});

function catalogOf(agent: AgentDefinition): AgentCatalog {
	return { agents: [agent], overridden: [], unusable: [], diagnostics: [] };
}
