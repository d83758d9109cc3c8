import { describe, expect, test } from "vitest";
import type { SubagentDetails } from "../../src/deliver/details.ts";
import { scriptValue } from "../../src/deliver/script-value.ts";
import { newRunId, newSessionId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs, type Plain } from "../helpers/as-it-is.ts";
import { CHANGES } from "./reported-changes.ts";

type Details = Omit<SubagentDetails, "version">;

const [runId, sessionId] = [newRunId(), newSessionId()];
const usage = { ...NO_USAGE, input: 5, turns: 1 };
const result = { agent: "scout", task: "look around", exitCode: 0, cause: "finalized", usage, output: "42" } as const;
const finalized = { status: "SUCCESS", result: "42" } as const;

/** What a script is given of a call with these details; the rest of them is that of a success. */
const given = (details: Partial<Plain<Details>>) =>
	scriptValue(asItIs<Details>({ mode: "single", runId, sessionId, finalized, results: [result], ...details }));

test("a run that was sent to the background is running, under its own name and without an answer", () => {
	const details = asItIs<Details>({ mode: "single", sessionId, results: [], continues: { runId } });
	expect(scriptValue(details)).toEqual({ status: "RUNNING", sessionId, runId, usage: NO_USAGE });
});

describe("a success", () => {
	test("is its answer, its ids and what it used", () => {
		expect(given({})).toEqual({ status: "SUCCESS", sessionId, runId, output: "42", usage });
	});

	test.each([{ answer: 42 }, [], 0, "", false, null])("has the value %j that met its schema", (value) => {
		expect(given({ finalized: { ...finalized, value } })).toHaveProperty("value", value);
	});

	test("whose text is cut off for the model is not an error for a program, which gets all of it", () => {
		const output = "x".repeat(100_000);
		const error = { code: "SUBAGENT_OUTPUT_TRUNCATED", message: "The answer is cut off." } as const;
		const value = given({ results: [{ ...result, output }], error });
		expect(value).toEqual({ status: "SUCCESS", sessionId, runId, output, usage });
	});

	test("passes its warnings on", () => {
		expect(given({ results: [{ ...result, warnings: ["It is old."] }] }).warnings).toEqual(["It is old."]);
	});
});

test.each([0, 1])("with exit code %d, a script is told what the run changed", (exitCode) => {
	expect(given({ results: [{ ...result, exitCode, changes: CHANGES }] }).changes).toEqual(CHANGES);
});

describe("an error", () => {
	const error = { code: "SUBAGENT_TIMEOUT", message: "Too late.", reason: "runtime" } as const;

	test.each([1, 124, 130])("with exit code %d says what is wrong, and what there was of an answer", (exitCode) => {
		const partial = { ...result, exitCode, output: "So far." };
		const failed = { status: "ERROR", error: "It broke." } as const;
		expect(given({ finalized: failed, results: [partial], error })).toEqual({
			...{ status: "ERROR", sessionId, runId, output: "So far.", error, usage },
		});
	});

	test("has no value, even if the child had finalized with one", () => {
		const late = { ...finalized, value: 42 };
		expect(given({ finalized: late, results: [{ ...result, exitCode: 1 }], error })).not.toHaveProperty("value");
	});

	test("before there was a run has neither ids nor a cost", () => {
		const refused = { code: "UNKNOWN_AGENT", message: "There is no agent x." } as const;
		const details = asItIs<Details>({ mode: "single", results: [], error: refused });
		expect(scriptValue(details)).toEqual({ status: "ERROR", error: refused, usage: NO_USAGE });
	});
});
