import { describe, expect, test } from "vitest";
import { planned } from "./launching.ts";

const limits = ["timeoutMs", "idleTimeoutMs", "maxTurns", "maxTokens", "maxCostUsd"] as const;

test.each(limits)("an agent's %s may be tighter than the configuration's, never looser", async (limit) => {
	const config = { subagents: { [limit]: 500 } };
	const limitOf = async (lines: string) => (await planned({ agent: `tools: read${lines}`, config })).limits[limit];
	expect(await limitOf("")).toBe(500);
	expect(await limitOf(`\n${limit}: 400`)).toBe(400);
	expect(await limitOf(`\n${limit}: 600`)).toBe(500);
});

test.each(limits)("an agent's %s that is cut is a warning, with the setting", async (limit) => {
	const config = { subagents: { [limit]: 500 } };
	const toldOf = async (lines: string) => (await planned({ agent: `tools: read${lines}`, config })).warnings;
	expect(await toldOf(`\n${limit}: 600`)).toEqual([
		`${limit} 600 in the file of custom was cut to 500, the value of subagents.${limit} in pi-geon.json.`,
	]);
	for (const lines of ["", `\n${limit}: 500`, `\n${limit}: 400`]) expect(await toldOf(lines)).toEqual([]);
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

describe("reference 002: a background run", () => {
	const background = async (runTimeoutSeconds?: number, agent = "tools: read", maxRunSeconds?: number) =>
		planned({
			agent,
			config: {
				subagents: { timeoutMs: 9000 },
				...(maxRunSeconds && { agents: { defaults: { subagents: { maxRunSeconds } } } }),
			},
			request: { background: true, ...(runTimeoutSeconds !== undefined && { runTimeoutSeconds }) },
		});

	test("is capped by maxRunSeconds, not by subagents.timeoutMs", async () => {
		expect((await background()).limits.timeoutMs).toBe(3_600_000);
		expect((await background(0)).limits.timeoutMs).toBe(3_600_000);
		expect((await background(0, "tools: read", 60)).limits.timeoutMs).toBe(60_000);
	});

	test("has the smallest of its agent's limit, the one that is asked for, and the cap", async () => {
		expect((await background(20)).limits.timeoutMs).toBe(20_000);
		expect((await background(20, "tools: read\ntimeoutMs: 5000")).limits.timeoutMs).toBe(5_000);
		expect((await background(3, "tools: read\ntimeoutMs: 5000")).limits.timeoutMs).toBe(3_000);
		expect((await background(0, "tools: read\ntimeoutMs: 99000", 60)).limits.timeoutMs).toBe(60_000);
	});

	test("of an agent with a longer timeoutMs is cut to the cap, with a warning that names the setting", async () => {
		const agent = "tools: read\ntimeoutMs: 99000";
		expect((await background(0, agent, 60)).warnings).toEqual([
			"timeoutMs 99000 in the file of custom was cut to 60000, the value of agents.defaults.subagents.maxRunSeconds in pi-geon.json.",
		]);
		// The time that was asked for is shorter than the cap, so the cap cuts nothing.
		expect((await background(20, agent, 60)).warnings).toEqual([]);
		expect((await background(0, agent)).warnings).toEqual([]);
	});

	test("that asks for more than the cap is cut to it, with a warning that names the setting", async () => {
		const { limits, warnings } = await background(7200);
		expect(limits.timeoutMs).toBe(3_600_000);
		expect(warnings).toEqual([
			"runTimeoutSeconds 7200 was cut to 3600, the value of agents.defaults.subagents.maxRunSeconds in pi-geon.json.",
		]);
		expect((await background(3600)).warnings).toEqual([]);
	});
});
