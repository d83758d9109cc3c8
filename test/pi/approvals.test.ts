import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { projectAgentApprovals } from "../../src/pi/approvals.ts";

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
