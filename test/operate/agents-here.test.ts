import { describe, expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import type { AgentCatalog } from "../../src/agents/discover.ts";
import type { CheckResult, Examination } from "../../src/operate/doctor/check.ts";
import { checkModels } from "../../src/operate/doctor/models.ts";
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

	test("says which pool of its file is not used", () => {
		const warnings = [expect.stringMatching(/^`pool: gpu` in the file of custom is not used: no such pool/)];
		expect(toolsHere(agentOf("tools: read\npool: gpu", "user"), inPi())).toMatchObject({ warnings });
	});

	test("is read-only where the network of its file cannot be enforced, as in a run", () => {
		const agent = agentOf("tools: read, bash\nnetwork: off", "user");
		const allowed = { subagents: { allowWrite: true } };
		expect(toolsHere(agent, inPi(allowed))).toMatchObject({ tools: ["read", "bash"], warnings: [] });
		expect(toolsHere(agent, { ...inPi(allowed), noTree: "No bubblewrap." })).toMatchObject({
			tools: ["read"],
			warnings: [
				expect.stringMatching(/^bash was left out: custom is read-only, because network cannot be enforced/),
				"network cannot be enforced here, so the agent is read-only. No bubblewrap.",
			],
		});
	});

	test("has the tools that a worker gives it if its runs go to a pool, whatever the kernel can do here", () => {
		const pools = { team: { urlEnv: "X" } };
		const here = { ...inPi({ pools }), noTree: "No bubblewrap." };
		const lines = "tools: read, bash\npool: team";
		expect(toolsHere(agentOf(`${lines}\nnetwork: off\nisolation: worktree`, "user"), here)).toMatchObject({
			tools: ["read", "bash"],
			warnings: [],
		});
		const always: ToolSurroundings = { ...here, consent: () => "given", writing: () => ({ always: 1 }) };
		for (const surroundings of [here, always]) {
			const shared = toolsHere(agentOf(lines, "user"), surroundings);
			const warnings = [expect.stringMatching(/^bash was left out: it runs in a pool/)];
			expect(shared).toMatchObject({ tools: ["read"], asksFor: [], warnings });
			expect(shared).not.toHaveProperty("writing");
		}
	});

	test("is what reads under sandbox.mode require, even if the user said Always", () => {
		const required = inPi({ subagents: { sandbox: { mode: "require" } } });
		const always: ToolSurroundings = { ...required, consent: () => "given", writing: () => ({ always: 1 }) };
		const here = toolsHere(agentOf("tools: read, bash", "user"), always);
		expect(here).toMatchObject({ tools: ["read"], asksFor: [], warnings: [expect.stringContaining("is require")] });
		expect(here).not.toHaveProperty("writing");
	});

	test("says where sandbox.mode require refuses each of its runs", () => {
		const required = { subagents: { allowWrite: true, sandbox: { mode: "require" } } };
		const inCheckout = toolsHere(agentOf("tools: read, bash", "user"), inPi(required));
		expect(inCheckout.refused).toMatch(/^custom may not run: .* it would write in your checkout/);
		const foreign = toolsHere(agentOf("tools: read, deploy\nisolation: worktree", "user"), inPi(required));
		expect(foreign.refused).toMatch(/these tools of extensions cannot be put into a sandbox: deploy\.$/);
		const inTree = agentOf("tools: read, bash\nisolation: worktree", "user");
		expect(toolsHere(inTree, inPi(required))).not.toHaveProperty("refused");
		const reads = agentOf("tools: read", "user");
		const noRing = { ...inPi(required), noTree: "No bubblewrap." };
		expect(toolsHere(reads, noRing).refused).toMatch(/the kernel cannot enforce it here\. No bubblewrap\.$/);
		expect(toolsHere(reads, { ...inPi(), noTree: "No bubblewrap." })).not.toHaveProperty("refused");
	});

	test("says where its pool refuses each of its runs", () => {
		const pools = { team: { urlEnv: "X" } };
		const inPool = (lines: string, subagents = {}) =>
			toolsHere(agentOf(`${lines}\npool: team`, "user"), inPi({ pools, subagents })).refused;
		expect(inPool("tools: read")).toBeUndefined();
		expect(inPool("tools: read\nask: true")).toMatch(/^Pool team cannot do this: .* cannot ask the user/);
		expect(inPool("tools: read\ncontext: fork")).toMatch(/the conversation of the parent does not travel/);
		expect(inPool("tools: read, deploy\nisolation: worktree")).toMatch(/of extensions and MCP servers: deploy\.$/);
		expect(inPool("tools: read, bash", { allowWrite: true })).toMatch(/it would write in the checkout/);
	});

	test("has no skills in a pool, and says so", () => {
		const here = toolsHere(agentOf("tools: read\nskills: tdd\npool: team", "user"), {
			...inPi({ pools: { team: { urlEnv: "X" } } }),
			pi: undefined,
		});
		expect(here).toMatchObject({
			skills: [],
			warnings: ["Skills do not travel to pool team, so it goes without: tdd."],
		});
	});

	test("says which limits of its file are cut, and which network", () => {
		const config = { subagents: { maxTurns: 5, sandbox: { network: "off" } } };
		const agent = agentOf("tools: read\nmaxTurns: 9\ntimeoutMs: 10\nnetwork: on", "project");
		expect(toolsHere(agent, inPi(config)).warnings).toEqual([
			expect.stringMatching(/^`network: on` in the file of custom was narrowed to off/),
			expect.stringMatching(/^maxTurns 9 in the file of custom was cut to 5/),
		]);
	});

	test("says which limits of its file are cut only in the background", () => {
		const config = { subagents: { timeoutMs: 9_000_000 } };
		expect(toolsHere(agentOf("tools: read\ntimeoutMs: 7200000", "user"), inPi(config)).warnings).toEqual([
			expect.stringMatching(
				/^timeoutMs 7200000 .* was cut to 3600000, the value of agents\.defaults\.subagents\.maxRunSeconds/,
			),
		]);
	});

	test("is nothing if its file disables it, and the file and line are reported", () => {
		expect(toolsHere(agentOf(OFF, "user"), inPi())).toMatchObject({ off: OFF_TOLD });
		expect(toolsHere(agentOf("tools: read", "user"), inPi())).not.toHaveProperty("off");
	});

	test("is nothing if the configuration switches it off", () => {
		const here = toolsHere(agentOf("tools: read", "user"), inPi({ subagents: { disabled: ["custom"] } }));
		expect(here.off).toBe("subagents.disabled in pi-geon.json");
	});
});

describe("the report on agents", () => {
	const report = (lines: string, config: object = {}) =>
		agentsReport(catalogOf(agentOf(lines, "user")), {
			width: 200,
			toolsHere: (agent) => toolsHere(agent, inPi(config)),
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

	test("shows that an agent gets nothing where its runs are refused", () => {
		const config = { subagents: { allowWrite: true, sandbox: { mode: "require" } } };
		const lines = report("tools: read, bash", config);
		expect(lines).toContainEqual(expect.stringMatching(/^ {2}gets here {2}nothing: custom may not run: /));
	});

	test("shows the warnings of the file", () => {
		expect(report(UNUSED)).toContain(`  warning    ${UNUSED_TOLD}`);
	});

	test("shows what else the file sets, one fact each", () => {
		const told = report(
			"tools: read\npool: gpu\nnetwork: [a.com, b.org]\nisolation: process\nask: true\nmaxTurns: 9\ntimeoutMs: 300000\nmaxCostUsd: 0.5",
		);
		expect(told).toEqual(
			expect.arrayContaining([
				"  pool       gpu",
				"  network    a.com, b.org",
				"  isolation  process",
				"  ask        may ask you while it works",
				"  limits     maxTurns 9, timeoutMs 300000, maxCostUsd 0.5",
			]),
		);
		expect(report("tools: read").join("\n")).not.toMatch(/pool|network|isolation|ask |limits/);
	});

	test("says in a shell that only pi knows whether a model can be used", () => {
		expect(report("tools: read\nmodel: a/b")).toContain(
			"  model      a/b (only pi knows whether it can be used: see /toolkit agents)",
		);
	});
});

test("outside pi, an agent that names no model is shown with the configured one", () => {
	const config = configOf({ agents: { defaults: { subagents: { model: "a/b" } } } });
	const told = (lines: string) => modelInShell(agentOf(lines, "user"), config).words;
	expect(told("tools: read")).toMatch(/^a\/b, from pi-geon\.json \(only pi knows/);
	expect(told("tools: read\nmodel: inherit")).toBe("the parent's");
});

describe("the doctor", () => {
	const findings = async (
		lines: string,
		config: object = {},
		more: Partial<ToolSurroundings> = {},
	): Promise<Omit<CheckResult, "check">[]> => {
		const tools = { ...inPi(config), ...more };
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

	test("does not say that an agent may write where sandbox.mode is require", async () => {
		const always = { writing: () => ({ always: 1 }) };
		const passes = async (config: object) =>
			(await findings("tools: read, bash", config, always)).filter(({ level }) => level === "pass");
		expect(await passes({})).toMatchObject([{ what: expect.stringContaining("may write in your checkout always") }]);
		expect(await passes({ subagents: { sandbox: { mode: "require" } } })).toEqual([]);
	});

	test("tells the thinking levels that models do not have, but not of agents that are off", async () => {
		const told = async (lines: string) => {
			const { config } = inPi();
			const available = [{ provider: "test", id: "one" }];
			const sources = {
				catalog: catalogOf(agentOf(lines, "user")),
				config: { config, files: [] },
				models: async () => ({ available, isKnown: () => true, resolve: async () => ({ model: available[0] }) }),
				thinking: async () => ["The level was not there."],
			};
			const found: Omit<CheckResult, "check">[] = [];
			for await (const finding of checkModels.run({ sources } as unknown as Examination)) found.push(finding);
			return found.filter(({ level }) => level === "warn");
		};
		expect(await told("tools: read\nthinking: high")).toMatchObject([
			{ what: "The level was not there.", detail: "custom" },
		]);
		expect(await told(OFF)).toEqual([]);
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
