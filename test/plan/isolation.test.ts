import { describe, expect, test } from "vitest";
import { planned } from "./launching.ts";

/** A parent on a machine where the kernel keeps children to their trees. */
const parent = { ringTrouble: async () => undefined, askForTree: async () => ({ prefix: "" }) };
const request = { isolation: "worktree" } as const;

describe("a call that asks for a tree", () => {
	test("gets one for an agent whose file does not ask, even if the agent may write in the checkout", async () => {
		const config = { subagents: { allowWrite: true } };
		const agent = "tools: read, edit";
		expect(await planned({ agent, config, parent })).toMatchObject({ isolation: "shared" });
		const plan = await planned({ agent, config, parent, request });
		expect(plan).toMatchObject({ isolation: "worktree", tools: ["read", "edit"], tree: { prefix: "" } });
		expect(plan.warnings).toEqual([]);
	});

	test("gets one for a child without an agent too", async () => {
		const config = { subagents: { allowWrite: true } };
		const plan = await planned({ config, parent, request });
		expect(plan).toMatchObject({ agent: "general", isolation: "worktree", tree: { prefix: "" } });
	});

	test("is warned that a child that only reads needs none", async () => {
		const plan = await planned({ agent: "readonly: true\ntools: read", parent, request });
		expect(plan.tree).toBeUndefined();
		expect(plan.warnings).toEqual(["isolation: worktree has no effect here: custom only reads."]);
	});
});
