import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { projectAgentApprovals } from "../../src/pi/approvals.ts";

test("the name of a file is shown, and does nothing else", async () => {
	const shown: string[] = [];
	const confirm = async (...texts: string[]) => shown.push(...texts.slice(0, 2)) > 0;
	const ctx = { hasUI: true, ui: { confirm } } as unknown as ExtensionContext;
	const file = "/project/.pi/agents/ok\n\x1b]0;title\x07\x1b[31mTrusted by pi\x1b[0m\n.md";
	const agent = { name: "scout", file, digest: "d1" } as AgentDefinition;
	expect(await projectAgentApprovals(new AbortController().signal)(ctx, agent)).toBe(true);
	expect(shown).toEqual([
		'Run the project\'s agent "scout"?',
		"This project is not trusted. The agent's instructions come from\n/project/.pi/agents/ok Trusted by pi .md",
	]);
});

test("a question that failed is put again, and one that was answered is not", async () => {
	const answers = [() => Promise.reject(new Error("no terminal")), () => Promise.resolve(true)];
	let asked = 0;
	const confirm = () => answers[asked++]?.() ?? expect.fail("asked once too often");
	const ctx = { hasUI: true, ui: { confirm } } as unknown as ExtensionContext;
	const agent = { name: "scout", file: "/project/.pi/agents/scout.md", digest: "d1" } as AgentDefinition;
	const approve = projectAgentApprovals(new AbortController().signal);
	await expect(approve(ctx, agent)).rejects.toThrow("no terminal");
	expect(await approve(ctx, agent)).toBe(true);
	expect(await approve(ctx, agent)).toBe(true);
});
