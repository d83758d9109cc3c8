import { describe, expect, test } from "vitest";
import { planned } from "./launching.ts";

/** A run under `work`, with whatever model each of those who may name one has named. */
const named = (names: { request?: string; file?: string; principal?: string; defaults?: string }) => ({
	agent: names.file === undefined ? "tools: read" : `tools: read\nmodel: "${names.file}"`,
	request: { agentId: "work", ...(names.request !== undefined && { model: names.request }) },
	config: {
		agents: {
			defaults: { subagents: { model: names.defaults ?? null } },
			list: [
				{ id: "main", subagents: { allowAgents: ["work"], model: "another principal's" } },
				{ id: "work", subagents: { model: names.principal ?? null } },
			],
		},
	},
});

/** Those who may name a model, the first in precedence first. After them comes the parent's. */
const names = [
	["request", "the request's"],
	["file", "the file's"],
	["principal", "the principal's"],
	["defaults", "the default"],
] as const;
const inOrder = [...names.map(([, name]) => name), "the parent's"];

describe("the model of a run", () => {
	test.each(inOrder)("is %s if nothing before it names one", async (expected) => {
		const after = names.slice(inOrder.indexOf(expected));
		const { model, warnings } = await planned(named(Object.fromEntries(after)));
		expect(model.id).toBe(expected);
		expect(warnings).toEqual([]);
	});

	test.each(inOrder)("is %s where those named before are not there, with a warning for each", async (expected) => {
		const place = inOrder.indexOf(expected);
		const gone = names.slice(0, place).map(([who, name]) => [who, `gone: ${name}`]);
		const { model, warnings } = await planned(named(Object.fromEntries([...gone, ...names.slice(place)])));
		expect(model.id).toBe(expected);
		expect(warnings).toEqual(gone.map(([, name]) => expect.stringContaining(`"${name}"`)));
	});
});

describe("the thinking level of a run", () => {
	const parent = { thinking: "medium" } as const;
	const config = { agents: { defaults: { subagents: { thinking: "low" } } } };

	test("is the request's, else the file's, else that of the model's name, else the configured one, else the parent's", async () => {
		const file = "tools: read\nmodel: some:high\nthinking: max";
		const levels = [
			await planned({ agent: file, config, parent, request: { thinking: "minimal" } }),
			await planned({ agent: file, config, parent }),
			await planned({ agent: "tools: read\nmodel: some:high", config, parent }),
			await planned({ agent: "tools: read", config, parent }),
			await planned({ agent: "tools: read", parent }),
		].map(({ thinking }) => thinking);
		expect(levels).toEqual(["minimal", "max", "high", "low", "medium"]);
	});

	test("may be off where others name one", async () => {
		expect(await planned({ agent: "tools: read\nthinking: off", config, parent })).toMatchObject({ thinking: "off" });
	});

	describe("that the model does not have", () => {
		const clamping = { ...parent, thinkingWith: () => "low" as const };
		const told = (of: string, level: string) =>
			expect.stringMatching(new RegExp(`^The thinking level ${level} of ${of} is not available with .*; low was used`));

		test.each([
			["the request", { agent: "tools: read", request: { thinking: "max" as const } }, "max"],
			["custom.md", { agent: "tools: read\nthinking: max" }, "max"],
			["the model's name", { agent: "tools: read\nmodel: some:high" }, "high"],
		])("is a warning if %s asks for it", async (of, wish, level) => {
			const plan = await planned({ ...wish, config, parent: clamping });
			expect(plan).toMatchObject({ thinking: level, warnings: [told(of, level)] });
		});

		test("is none if it is a default, or the parent's, or if the parent is not there to know", async () => {
			const warnings: string[] = [];
			expect(
				await planned({ agent: "tools: read", config, parent: { ...clamping, thinkingWith: () => "off" } }),
			).toMatchObject({ warnings });
			expect(await planned({ agent: "tools: read", parent: clamping })).toMatchObject({ warnings });
			expect(await planned({ agent: "tools: read\nthinking: max", parent })).toMatchObject({ warnings });
		});
	});
});
