import { describe, expect, test } from "vitest";
import { planned, refused, type Wish } from "./launching.ts";

const toolsOf = async (wish: Wish) => (await planned(wish)).tools;
const allow = (...names: string[]) => ({ tools: { subagents: { tools: { allow: names } } } });

describe("what a role may do", () => {
	const agent = "tools: read, write, edit, bash, grep, deploy";
	const mayWrite = { subagents: { allowWrite: true } };

	test("as long as allowWrite is false, one that is not readonly reads all the same, and loads nothing else", async () => {
		expect(await planned({ agent })).toMatchObject({ tools: ["read", "grep"], extensions: [] });
		expect(await toolsOf({ agent: "denied_tools: lsp" })).toEqual(["read"]);
	});

	test("as long as allowWrite is false, one that only writes is refused, and the setting is named", async () => {
		expect(await refused({ agent: "tools: write, deploy" })).toMatchObject({
			error: {
				code: "SUBAGENT_DISABLED",
				reason: "no_tools",
				message: expect.stringContaining("subagents.allowWrite"),
			},
		});
	});

	test("allowWrite gives it what it asks for, and changes nothing for one that is readonly or built in", async () => {
		expect(await planned({ agent, config: mayWrite })).toMatchObject({
			tools: ["read", "write", "edit", "bash", "grep", "deploy"],
			extensions: ["/extensions/deploy.js"],
		});
		expect(await toolsOf({ agent: `${agent}\nreadonly: true`, config: mayWrite })).toEqual(["read", "grep"]);
		expect(await toolsOf({ agent, source: "builtin", config: mayWrite })).toEqual(["read", "grep"]);
	});

	test("a child without a role has what its parent has switched on, less what delegates", async () => {
		expect(await toolsOf({})).toEqual(["read", "bash", "edit", "write", "lsp", "deploy"]);
	});
});

describe("tools.subagents.tools.allow", () => {
	test("leaves a role, and a child without one, what it names and nothing else", async () => {
		const config = allow("grep", "bash", "deploy");
		expect(await toolsOf({ agent: "tools: read, grep, ls", config })).toEqual(["grep"]);
		expect(await planned({ config })).toMatchObject({
			tools: ["bash", "deploy"],
			extensions: ["/extensions/deploy.js"],
		});
	});

	test("gives no agent more than it would have had, and deny wins over it", async () => {
		expect(await toolsOf({ agent: "tools: read, write", config: allow("read", "write", "ls") })).toEqual(["read"]);
		const config = { tools: { subagents: { tools: { allow: ["read", "bash"], deny: ["bash"] } } } };
		expect(await toolsOf({ config })).toEqual(["read"]);
	});

	test("that names none of them is a refusal, never all tools", async () => {
		for (const config of [allow(), allow("ls")]) {
			expect(await refused({ config })).toMatchObject({ error: { reason: "no_tools" } });
		}
	});
});

describe("lsp", () => {
	const agent = "tools: read, lsp";

	test("is there with the actions that are allowed", async () => {
		const config = { subagents: { allowedLspActions: ["hover", "symbols"] } };
		for (const wish of [{ agent, config }, { config }]) {
			const { tools, extensions, lspActions } = await planned(wish);
			expect(tools).toContain("lsp");
			expect(extensions).toContain("/extensions/lsp.js");
			expect(lspActions).toEqual(["hover", "symbols"]);
		}
	});

	test.each([
		["allowLspTools is false", { allowLspTools: false }],
		["no action is allowed", { allowedLspActions: [] }],
	])("is taken from a role and from a child without one if %s", async (_why, subagents) => {
		const config = { subagents };
		expect(await planned({ agent, config })).toMatchObject({ tools: ["read"], extensions: [] });
		const general = await planned({ config });
		expect(general.tools).toEqual(["read", "bash", "edit", "write", "deploy"]);
		expect(general.extensions).toEqual(["/extensions/deploy.js"]);
	});
});

describe("subagent_ask", () => {
	const agent = "tools: read\nask: true";

	test("is there if the agent's file says `ask: true`, with how long its questions stay open", async () => {
		expect(await planned({ agent })).toMatchObject({ tools: ["read", "subagent_ask"], extensions: [], askMinutes: 10 });
		expect(await planned({ agent: "denied_tools: lsp\nask: true" })).toMatchObject({ askMinutes: 10 });
		expect(await planned({ agent: "tools: read\nask: false" })).not.toHaveProperty("askMinutes");
		expect((await planned({ agent })).prompt).toContain("only the user can make");
		expect((await planned({ agent: "tools: read" })).prompt).toContain("You cannot ask questions");
	});

	test("is left out with a warning if the configuration forbids it, or the file only names it", async () => {
		const deny = { tools: { subagents: { tools: { deny: ["subagent_ask"] } } } };
		for (const config of [deny, allow("read")]) {
			const { tools, warnings, prompt } = await planned({ agent, config });
			expect(tools).toEqual(["read"]);
			expect(warnings).toEqual([expect.stringMatching(/^subagent_ask was left out: tools\.subagents\.tools\./)]);
			expect(prompt).toContain("You cannot ask questions");
		}
		const named = await planned({ agent: "tools: read, subagent_ask" });
		expect(named.warnings).toEqual(["subagent_ask was left out: `ask: true` in its file grants it."]);
		expect(named.tools).toEqual(["read"]);
	});

	test("does not count as a tool to work with: a child that has no other is refused", async () => {
		expect(await refused({ agent: "tools: write\nask: true" })).toMatchObject({ error: { reason: "no_tools" } });
	});
});
