import { expect, test } from "vitest";
import { planned } from "./launching.ts";

const limits = ["timeoutMs", "idleTimeoutMs", "maxTurns", "maxTokens", "maxCostUsd"] as const;

test.each(limits)("an agent's %s may be tighter than the configuration's, never looser", async (limit) => {
	const config = { subagents: { [limit]: 500 } };
	const limitOf = async (lines: string) => (await planned({ agent: `tools: read${lines}`, config })).limits[limit];
	expect(await limitOf("")).toBe(500);
	expect(await limitOf(`\n${limit}: 400`)).toBe(400);
	expect(await limitOf(`\n${limit}: 600`)).toBe(500);
});

test.each(["maxTurns", "maxTokens", "maxCostUsd"] as const)(
	"an agent's %s holds where none is configured",
	async (limit) => {
		expect((await planned({ agent: "tools: read" })).limits).not.toHaveProperty(limit);
		expect((await planned({ agent: `tools: read\n${limit}: 7` })).limits[limit]).toBe(7);
	},
);

test("the run time that is asked for is one more limit, and loosens none", async () => {
	const timeout = async (runTimeoutSeconds: number) =>
		(
			await planned({
				agent: "tools: read\ntimeoutMs: 5000",
				config: { subagents: { timeoutMs: 9000 } },
				request: { runTimeoutSeconds },
			})
		).limits.timeoutMs;
	expect([await timeout(0), await timeout(3), await timeout(8)]).toEqual([5000, 3000, 5000]);
	const config = { subagents: { timeoutMs: 9000 } };
	expect((await planned({ config, request: { runTimeoutSeconds: 60 } })).limits.timeoutMs).toBe(9000);
});
