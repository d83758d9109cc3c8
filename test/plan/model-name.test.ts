import { describe, expect, test } from "vitest";
import { readModelName } from "../../src/plan/model-name.ts";

/** pi's reading, as far as these tests need it: the exact id, else the last in the alphabet that has it as a part. */
const readByPi = async (name: string, models: readonly { provider: string; id: string }[]) => {
	const [text = "", level] = name.replace(/^(bedrock|gateway|other)\//, "").split(":");
	const parts = models.filter(({ id }) => id.includes(text)).sort((a, b) => b.id.localeCompare(a.id));
	const model = models.find(({ id }) => id === text) ?? parts[0];
	return model && { model, ...(level === "high" && { thinking: "high" as const }) };
};

const models = [
	...["claude-sonnet-4-5", "claude-sonnet-4-6", "gpt-5", "gpt-5-mini"].map((id) => ({ provider: "other", id })),
	...["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-haiku-4-5-v1:0"].map((id) => ({
		provider: "bedrock",
		id,
	})),
	...["openai/gpt-5", "other/gpt-5"].map((id) => ({ provider: "gateway", id })),
];

const read = async (name: string, ownProvider?: string) => {
	const found = await readModelName(name, { models, ownProvider, readByPi });
	return found && { model: `${found.model.provider}/${found.model.id}`, warnings: found.warnings?.length ?? 0 };
};

describe("a model's name", () => {
	test.each([
		// name, the parent's provider, what it is, warnings
		["gpt-5", "other", "other/gpt-5", 0],
		["gpt-5", "gateway", "gateway/other/gpt-5", 0],
		["gpt-5", "bedrock", "other/gpt-5", 1],
		["gpt-5", undefined, "other/gpt-5", 0],
		["openai/gpt-5", "gateway", "gateway/openai/gpt-5", 0],
		["openai/gpt-5", "other", "gateway/openai/gpt-5", 1],
		["other/gpt-5", "gateway", "other/gpt-5", 0],
		["gateway/other/gpt-5", "other", "gateway/other/gpt-5", 0],
		["claude-sonnet-4-5", "bedrock", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 0],
		["sonnet", "bedrock", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 0],
		["haiku", "other", "bedrock/us.anthropic.claude-haiku-4-5-v1:0", 1],
		["sonnet:high", "other", "other/claude-sonnet-4-6", 0],
		["mini", "gateway", "other/gpt-5-mini", 1],
		["mini", undefined, "other/gpt-5-mini", 1],
		["other/mini", "gateway", "other/gpt-5-mini", 1],
		["other/haiku", "gateway", undefined, 0],
		["*", "other", undefined, 0],
	])("%s, from %s, is %s", async (name, own, model, warnings) => {
		expect(await read(name, own)).toEqual(model === undefined ? undefined : { model, warnings });
	});
});
