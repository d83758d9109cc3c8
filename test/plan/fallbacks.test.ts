import { describe, expect, test } from "vitest";
import { absentParent } from "../../src/plan/absent-parent.ts";
import { planned } from "./launching.ts";

const withDefaults = (subagents: object) => ({ agents: { defaults: { subagents } } });
const ids = (models: readonly { id: string }[] | undefined) => models?.map(({ id }) => id);

describe("the fallback models of a run", () => {
	test("are those of the agent's file, in its order, with what the names say about thinking", async () => {
		const agent = "tools: read\nmodel: first\nfallbackModels: [test/second, 'third:high']";
		const { model, fallbackModels, warnings } = await planned({ agent });
		expect(model.id).toBe("first");
		expect(fallbackModels).toEqual([
			{ provider: "test", id: "second", named: "test/second" },
			{ provider: "test", id: "third", named: "third:high", thinking: "high" },
		]);
		expect(warnings).toEqual([]);
	});

	test("are the configured ones where the file has none, and none where the file has an empty list", async () => {
		const config = withDefaults({ fallbackModels: ["second"] });
		expect(ids((await planned({ agent: "tools: read", config })).fallbackModels)).toEqual(["second"]);
		expect(ids((await planned({ config })).fallbackModels)).toEqual(["second"]);
		expect((await planned({ agent: "tools: read\nfallbackModels: []", config })).fallbackModels).toBeUndefined();
	});

	test("that are not available are left out, each with a warning that names the list and a remedy", async () => {
		const { fallbackModels, warnings } = await planned({
			agent: "tools: read\nfallbackModels: gone/a, second, gone/b",
		});
		expect(ids(fallbackModels)).toEqual(["second"]);
		expect(warnings).toEqual(
			["gone/a", "gone/b"].map((name) =>
				expect.stringMatching(
					new RegExp(`"${name}" of fallbackModels of custom.md is not available; it was left out. Correct the name`),
				),
			),
		);
	});

	test("hold each model once, and not the one that the run begins with; inherit is the parent's", async () => {
		const agent = "tools: read\nmodel: first\nfallbackModels: [first, inherit, second, test/second]";
		expect(ids((await planned({ agent })).fallbackModels)).toEqual(["the parent's", "second"]);
	});

	test("are at most ten, and more are a warning", async () => {
		const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
		const { fallbackModels, warnings } = await planned({ agent: `tools: read\nfallbackModels: ${names.join(", ")}` });
		expect(fallbackModels).toHaveLength(10);
		expect(warnings).toEqual([expect.stringContaining("only the first 10")]);
	});

	test("whose extension cannot be loaded are left out with the reason", async () => {
		const modelSource = async ({ id }: { id: string }) =>
			id === "second" ? ({ kind: "unusable", why: "it does not load" } as const) : ({ kind: "pi" } as const);
		const { fallbackModels, warnings } = await planned({
			agent: "tools: read\nfallbackModels: [second, third]",
			parent: { modelSource },
		});
		expect(ids(fallbackModels)).toEqual(["third"]);
		expect(warnings).toEqual([
			expect.stringContaining("comes from an extension, and it does not load; it was left out"),
		]);
	});
});

describe("if a model is not available, the fallback models beside it are tried first", () => {
	test("those of the file, before the configured model", async () => {
		const { model, fallbackModels, warnings } = await planned({
			agent: "tools: read\nmodel: gone\nfallbackModels: [gone too, second, third]",
			config: withDefaults({ model: "configured" }),
		});
		expect(model.id).toBe("second");
		expect(ids(fallbackModels)).toEqual(["third"]);
		expect(warnings).toHaveLength(2);
	});

	test("the configured ones, before the parent's; and then the rest of the precedence", async () => {
		const config = withDefaults({ model: "gone", fallbackModels: ["second"] });
		expect((await planned({ agent: "tools: read", config })).model.id).toBe("second");
		const none = withDefaults({ model: "gone", fallbackModels: ["gone too"] });
		const { model, warnings } = await planned({ agent: "tools: read", config: none });
		expect(model.id).toBe("the parent's");
		expect(warnings).toHaveLength(2);
	});

	test("not where no model was named there", async () => {
		expect((await planned({ agent: "tools: read\nfallbackModels: [second]" })).model.id).toBe("the parent's");
	});
});

test("a session that is continued without its parent has the same fallback models", async () => {
	const agent = "tools: read\nmodel: test/first\nfallbackModels: [second, 'third:high']";
	const plan = await planned({ agent });
	const parent = absentParent(plan, { projectTrusted: true, consent: () => "not_asked", mayLoad: () => true });
	const { fallbackModels, warnings } = await planned({ agent, parent });
	expect(fallbackModels).toEqual(plan.fallbackModels);
	expect(warnings).toEqual([]);
});
