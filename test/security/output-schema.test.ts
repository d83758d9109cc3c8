import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { outputSchemaProblem } from "../../src/agents/output-schema.ts";
import { resultCheck } from "../../src/child/result-check.ts";
import { delegateTo, delegations, finalize } from "../e2e/child.ts";
import { agentNamed } from "../helpers/agent-file.ts";
import { gate } from "../helpers/gate.ts";
import { dispatch } from "../helpers/model-scripts.ts";
import { text, toolCall } from "../helpers/model-steps.ts";
import { promptPi, somePi } from "../helpers/pi.ts";
import { useHome } from "../helpers/use-home.ts";

const openHome = useHome();

/** Backtracks for longer than the universe exists on a long run of a's that ends in something else. */
const EVIL = agentNamed("evil", "You answer.", 'tools: read\noutputSchema: { type: string, pattern: "^(a+)+$" }');
const EVIL_RESULT = JSON.stringify(`${"a".repeat(64)}!`);

describe.each(somePi(import.meta.url))("a result check that never ends, on pi %s", (pi) => {
	test("ends its own run with the reason, and the other run of the host notices nothing", {
		timeout: 180_000,
	}, async () => {
		const handedOver = gate();
		const home = await openHome({
			pi,
			agents: { "evil.md": EVIL },
			script: dispatch({
				parent: [[delegateTo("evil", "Answer."), delegateTo("explorer", "Look.")], text("Done.")],
				child: async ({ firstUserText, lastMessage }) => {
					if (firstUserText === "Answer.") {
						setTimeout(() => handedOver.open(), 200);
						return finalize(EVIL_RESULT);
					}
					// Everything that the other run does, it does while the result is being checked.
					await handedOver.opened;
					return lastMessage?.role === "tool" ? finalize("Seen.") : toolCall("ls", { path: "." });
				},
			}),
		});
		const results = delegations(await promptPi(home, "Go."));
		const evil = results.find(({ results: [result] }) => result?.agent === "evil");
		const innocent = results.find(({ results: [result] }) => result?.agent === "explorer");
		expect(innocent).toMatchObject({ finalized: { result: "Seen." }, results: [{ exitCode: 0, attempts: 1 }] });
		expect(evil).toMatchObject({
			error: { code: "SUBAGENT_FAILED", reason: "output_schema" },
			results: [{ exitCode: 1, attempts: 1, output: EVIL_RESULT }],
		});
		expect(evil?.error?.message).toMatch(/outputSchema.*evil\.md.*did not finish within 10 s/s);
		expect(evil?.finalized).toBeUndefined();
		// Nobody had to end a host that hung.
		const hosts = readdirSync(join(home.agentDir, "pi-geon", "hosts")).filter((name) => name.endsWith(".log"));
		expect(hosts).toHaveLength(1);
	});
});

/** Each keeps a check busy for seconds or forever. */
const slowChecks: { name: string; outputSchema: Record<string, unknown>; value: unknown }[] = [
	{ name: "pattern", outputSchema: { pattern: "^(a+)+$" }, value: `${"a".repeat(64)}!` },
	{
		name: "patternProperties",
		outputSchema: { patternProperties: { "^(a|a)*$": {} } },
		value: { [`${"a".repeat(64)}!`]: 1 },
	},
	{
		name: "propertyNames",
		outputSchema: { propertyNames: { pattern: "^(a+)+$" } },
		value: { [`${"a".repeat(64)}!`]: 1 },
	},
	{
		name: "uniqueItems of a long array",
		outputSchema: { uniqueItems: true },
		value: Array.from({ length: 200_000 }, (_, index) => ({ index, text: "x".repeat(8) })),
	},
	{
		name: "a recursive schema that tries every branch of a deep value twice",
		outputSchema: {
			anyOf: [
				{ type: "object", properties: { a: { $ref: "#" }, b: { const: 1 } }, required: ["a", "b"] },
				{ type: "object", properties: { a: { $ref: "#" }, c: { const: 1 } }, required: ["a", "c"] },
			],
		},
		value: Array.from({ length: 60 }).reduce<unknown>((inner) => ({ a: inner }), {}),
	},
];

describe("a slow check does not hold up the process, and ends with its run", () => {
	test.each(slowChecks)("$name", async ({ outputSchema, value }) => {
		expect(outputSchemaProblem(outputSchema)).toBeUndefined();
		const run = new AbortController();
		const checking = resultCheck(outputSchema, run.signal)(JSON.stringify(value));
		// A process that is held up gets to none of these.
		for (let turn = 0; turn < 20; turn++) await sleep(20);
		run.abort();
		expect(await checking).toEqual({ uncheckable: "the run was ended meanwhile" });
		expect(process.getActiveResourcesInfo()).not.toContain("Worker");
	});

	test("a result that nests deeper than any stack is sent back to the child", async () => {
		const deep = "[".repeat(100_000) + "]".repeat(100_000);
		const checked = await resultCheck({}, new AbortController().signal)(deep);
		expect(checked).toEqual({ wrong: expect.stringContaining("nested more than 500 levels deep") });
	});
});
