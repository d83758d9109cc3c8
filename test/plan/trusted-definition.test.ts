import { expect, test } from "vitest";
import type { AgentDefinition, AgentSource } from "../../src/agents/definition.ts";
import { parseAgent } from "../../src/agents/parse.ts";
import { type Approval, trustedDefinition } from "../../src/plan/trusted-definition.ts";
import { agentNamed } from "../helpers/agent-file.ts";

function scout(source: AgentSource, more = "tools: read"): AgentDefinition {
	const { agent } = parseAgent(agentNamed("scout", "You look.", more), { file: `/${source}/scout.md`, source });
	return agent ?? expect.fail("not an agent");
}

/** The source that runs, or the reason why none does, and the warnings. */
async function chosen({
	agent = scout("project"),
	overridden = [] as AgentDefinition[],
	projectTrusted = false,
	approval = "nobody" as Approval,
}) {
	const catalog = { agents: [agent], overridden, unusable: [], diagnostics: [] };
	const result = await trustedDefinition({ agent, catalog, projectTrusted, approve: async () => approval });
	return "error" in result ? result.error.reason : [result.agent.source, ...result.warnings];
}

test("the user's and the built-in agents need no trust", async () => {
	expect(await chosen({ agent: scout("user") })).toEqual(["user"]);
	expect(await chosen({ agent: scout("builtin") })).toEqual(["builtin"]);
});

test("where no user can be asked, the next definition of the name runs, never another one of the project", async () => {
	const overridden = [scout("project"), scout("user"), scout("builtin")];
	expect(await chosen({ overridden })).toEqual([
		"user",
		expect.stringContaining("your agent scout (/user/scout.md) ran"),
	]);
	expect(await chosen({ overridden: [scout("builtin")] })).toEqual(["builtin", expect.stringContaining("left out")]);
	expect(await chosen({})).toBe("not_approved");
});

test("a user who says No is not given another agent instead", async () => {
	expect(await chosen({ approval: "declined", overridden: [scout("builtin")] })).toBe("not_approved");
});

test("a file that is switched off, in a project that is not trusted, switches nothing off and asks nothing", async () => {
	const agent = scout("project", "tools: read\nenabled: false");
	const overridden = [scout("builtin")];
	expect(await chosen({ agent, overridden, approval: "approved" })).toEqual([
		"builtin",
		expect.stringContaining("left out"),
	]);
	expect(await chosen({ agent, overridden, projectTrusted: true })).toEqual(["project", expect.any(String)]);
});
