import { join } from "node:path";
import { expect, test } from "vitest";
import { readBuiltinFolder } from "../../src/agents/builtin.ts";
import { childPrompt } from "../../src/plan/prompt.ts";
import { repositoryRoot } from "../helpers/repository.ts";
import { planned } from "./launching.ts";

test("reference 004: a custom agent is told its bounds and the tools that it really has", async () => {
	const { prompt } = await planned({ agent: "tools: read, grep, bash" });
	expect(prompt).toMatch(/^You help\./);
	expect(prompt).toContain("Do only the delegated task");
	expect(prompt).toContain("Do not delegate further");
	expect(prompt).toContain("report what you assumed and what is uncertain");
	expect(prompt).toContain("Your tools: read, grep. There are no others.");
});

test("reference 004: a built-in agent is told its tools, and its bounds once, in its own words", () => {
	for (const agent of readBuiltinFolder(join(repositoryRoot, "agents")).agents) {
		const prompt = childPrompt(agent, ["read", "lsp"]);
		expect(prompt).toContain("Your tools: read, lsp.");
		expect(prompt.match(/do not delegate further/gi)).toHaveLength(1);
	}
});

test("a child without a role is also told its tools", async () => {
	const { prompt } = await planned({});
	expect(prompt).toContain("Your tools: read, bash");
});
