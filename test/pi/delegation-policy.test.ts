import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { discoverAgents } from "../../src/agents/discover.ts";
import { delegationPolicy } from "../../src/pi/delegation-policy.ts";
import { shorten, splitDescription, subagentDescription } from "../../src/pi/tool-description.ts";
import { subagentTool } from "../../src/pi/tools/subagent.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { piVersions, startRpc } from "../helpers/pi.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { useHome } from "../helpers/use-home.ts";
import { policy, policyExtension } from "./fixtures/policy.ts";

const openHome = useHome();

const nowhere = join(dirname(repositoryRoot), "nowhere");
const { agents: builtins } = discoverAgents({
	cwd: nowhere,
	builtinDir: join(repositoryRoot, "agents"),
	userDir: nowhere,
	homeDir: nowhere,
	includeProject: false,
});

describe("the text that every request pays for", () => {
	test("tool and policy together stay small with the built-in agents", () => {
		const { name, parameters } = subagentTool({ agents: builtins, policy: "" } as never);
		const declaration = JSON.stringify({ name, description: subagentDescription(builtins), parameters });
		expect(declaration.length + delegationPolicy(builtins).length).toBeLessThan(2_100);
	});

	test("every agent is named with what it does, and in the policy with when to use it", () => {
		for (const { name } of builtins)
			expect(subagentDescription(builtins)).toMatch(new RegExp(`^- ${name}: \\p{Lu}`, "mu"));
		expect(delegationPolicy(builtins)).toContain("explorer: Use it to learn where something is");
		expect(delegationPolicy([{ name: "a", description: "" }])).not.toContain("Subagents:");
		expect(delegationPolicy([])).toBe("");
	});

	test("the model is told the whole first sentence of each agent", () => {
		for (const { name, description } of builtins) {
			expect(subagentDescription(builtins)).toContain(`- ${name}: ${splitDescription(description).what}\n`.trimEnd());
		}
		const long = `Reviews ${"very ".repeat(30)}carefully.`;
		expect(subagentDescription([{ name: "a", description: `${long} Use it.` }])).toContain(`- a: ${long}`);
		expect(splitDescription("Use it when: x. Examples:\\n\\nuser: hi").what).toBe("Use it when: x.");
	});

	test("of many agents, some have a sentence, more have a name, and the model learns how to find the others", () => {
		const many = Array.from({ length: 400 }, (_, n) => ({
			name: `agent-${n}`,
			description: `Does ${"one thing and ".repeat(6)}another. Use it.`,
		}));
		const description = subagentDescription(many);
		expect(description).toMatch(/^- agent-0: Does .*another\.$/m);
		expect(description).toMatch(/^Also: agent-\d+, agent-\d+/m);
		expect(description).toMatch(/…and \d+ more; an unknown name is answered with names to choose from$/);
		expect(description.length).toBeLessThan(3_300);
		expect(delegationPolicy(many).length).toBeLessThan(1_700);
	});

	test("an agent that its file switches off is not told", () => {
		const off = [...builtins, { name: "resting", description: "Rests. Use it.", switchedOff: "`enabled: false`" }];
		expect(subagentDescription(off)).not.toContain("resting");
		expect(delegationPolicy(off)).not.toContain("resting");
	});

	test("reference 004: the policy says when to use each built-in, implementer and tester too, with one example", () => {
		const policyText = delegationPolicy(builtins);
		for (const { name } of builtins) expect(policyText).toMatch(new RegExp(`${name}: Use it [^.]+\\.`));
		expect(policyText.match(/Example: subagent\(\{ agent: "explorer", task: "/g)).toHaveLength(1);
	});

	test("the same agents give the same text", () => {
		const copy = structuredClone(builtins);
		expect(delegationPolicy(copy)).toBe(delegationPolicy(builtins));
		expect(subagentDescription(copy)).toBe(subagentDescription(builtins));
	});

	test("a description is split after its first sentence, and cut where it reads on", () => {
		expect(splitDescription(" Finds\n things. Use it. Or not.")).toEqual({
			what: "Finds things.",
			when: "Use it. Or not.",
		});
		expect(splitDescription("Reads e.g. logs")).toEqual({ what: "Reads e.g. logs", when: "" });
		expect(shorten("Finds files, symbols and more of that", 30)).toBe("Finds files, symbols…");
		expect(shorten("Finds everything that there is", 20)).toBe("Finds everything…");
		expect(shorten("x".repeat(30), 20)).toBe(`${"x".repeat(20)}…`);
	});
});

describe.each(piVersions)("the system prompt of pi %s", (version) => {
	test.each([
		{
			prompt: "pi's own",
			args: [],
			expected: policy
				.split("\n")
				.map((line) => `- ${line}`)
				.join("\n"),
		},
		{
			prompt: "the user's",
			args: ["--system-prompt", "Be brief."],
			expected: `<delegation>\n${policy}\n</delegation>`,
		},
	])("has the policy, and never changes: $prompt", async ({ prompt, args, expected }) => {
		const home = await openHome({
			extension: policyExtension,
			script: ({ lastMessage }) => (lastMessage?.role === "tool" ? text("Done.") : toolCall("subagent", {})),
		});
		const rpc = startRpc(home, { version, args });
		await rpc.promptAndSettle("one");
		const before = rpc.events.length;
		await rpc.prompt("/wake");
		await rpc.waitForEvent(({ type }) => type === "agent_settled", { from: before });
		await rpc.promptAndSettle("two");

		const { requests } = home.model;
		expect(requests).toHaveLength(6);
		expect(requests[0]?.systemText).toContain(expected);
		// pi before 1.5 loses sections in the second request of a run that a message started.
		const losesSections = version === "0.87.1" && prompt === "the user's";
		const stable = requests.filter((_request, index) => !(losesSections && index === 3));
		expect(new Set(stable.map(({ systemText }) => systemText)).size).toBe(1);
	});
});
