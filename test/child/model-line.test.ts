import { describe, expect, test } from "vitest";
import { ModelLine } from "../../src/child/model-line.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { type Hop, hopInWords } from "../../src/run/hop.ts";

const plan = {
	model: { provider: "x", id: "first" },
	fallbackModels: [
		{ provider: "x", id: "second", named: "second" },
		{ provider: "y", id: "third", named: "third:high", thinking: "high" },
	],
	thinking: "low",
} as unknown as LaunchPlan;

/** A pi that does not know some models, and has no credentials for some providers. */
const piWithout = ({ models = [], providers = [] }: { models?: string[]; providers?: string[] } = {}) =>
	({
		getModel: (provider: string, id: string) => (models.includes(id) ? undefined : { provider, id }),
		hasConfiguredAuth: () => false,
		checkAuth: async (provider: string) => (providers.includes(provider) ? undefined : { type: "api" }),
	}) as never;

function lineWith(hops: Hop[] = [], mayHop = true) {
	const recorded: Hop[] = [];
	const line = new ModelLine(plan, hops, (hop) => {
		recorded.push(hop);
		return mayHop;
	});
	return { line, recorded };
}

function session() {
	const done: string[] = [];
	return {
		done,
		setModel: async ({ id }: { id: string }) => void done.push(id),
		setThinkingLevel: (level: string) => void done.push(level),
	};
}

describe("the model that a run begins with", () => {
	test("is the first, and that costs no hop", async () => {
		const { line, recorded } = lineWith();
		expect(await line.first(piWithout())).toMatchObject({ id: "first" });
		expect([line.name, line.thinking, recorded]).toEqual(["x/first", "low", []]);
	});

	test("is the one after those that pi does not know, each with a hop", async () => {
		const { line, recorded } = lineWith();
		expect(await line.first(piWithout({ models: ["first", "second"] }))).toMatchObject({ id: "third" });
		expect(recorded).toEqual([
			{ from: "x/first", to: "x/second", why: "unknown" },
			{ from: "x/second", to: "y/third", why: "unknown" },
		]);
		expect(line.thinking).toBe("high");
	});

	test("is the one after those that pi has no credentials for; where none has, pi says what to do", async () => {
		const { line } = lineWith();
		expect(await line.first(piWithout({ providers: ["x"] }))).toMatchObject({ id: "third" });
		expect(line.hops.map(hopInWords)).toContain(
			"The model x/second could not be used (there are no credentials for its provider), so y/third continued in the same session.",
		);
		expect(await lineWith().line.first(piWithout({ providers: ["x", "y"] }))).toMatchObject({ id: "third" });
	});

	test("is the one of the last hop for a host that takes the run over", async () => {
		const { line, recorded } = lineWith([{ from: "x/first", to: "x/second", why: 429 }]);
		expect(await line.first(piWithout())).toMatchObject({ id: "second" });
		expect(recorded).toEqual([]);
	});

	test("is none if pi knows none of them", async () => {
		const { line } = lineWith();
		expect(await line.first(piWithout({ models: ["first", "second", "third"] }))).toBeUndefined();
		expect(line.name).toBe("y/third");
	});
});

describe("the next model", () => {
	test("is set in the session with the planned thinking level, or the one that its name asks for", async () => {
		const { line } = lineWith();
		await line.first(piWithout());
		const pi = session();
		expect(await line.next(pi as never, { why: 429 })).toBe(true);
		expect(await line.next(pi as never, { why: 500 })).toBe(true);
		expect(await line.next(pi as never, { why: 500 })).toBe(false);
		expect(pi.done).toEqual(["second", "low", "third", "high"]);
	});

	test("is not asked if the hop cannot be recorded", async () => {
		const { line } = lineWith([], false);
		await line.first(piWithout());
		const pi = session();
		expect(await line.next(pi as never, { why: 429 })).toBe(false);
		expect([line.name, pi.done]).toEqual(["x/first", []]);
	});
});
