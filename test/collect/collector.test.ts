import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Collector } from "../../src/collect/collector.ts";
import { outcomeOf } from "../../src/collect/outcome.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import type { EndCause } from "../../src/run/outcome.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import fc from "../helpers/fast-check.ts";

const message = (content: unknown, more: object = {}) => ({
	type: "message_end",
	message: { role: "assistant", content, stopReason: "stop", provider: "p", model: "m", ...more },
});
const delta = (text: string) => ({
	type: "message_update",
	message: { role: "assistant" },
	assistantMessageEvent: { type: "text_delta", delta: text },
});

const REDACTOR = createRedactor({ secrets: ["zebra.plover!quartz-91"], homeDir: "/home/nobody" });
const GITHUB = `ghp_${"Ab3".repeat(12)}`;
const { privateKey: PEM } = generateKeyPairSync("rsa", {
	modulusLength: 4096,
	publicKeyEncoding: { type: "spki", format: "pem" },
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** All that is shown of a child that writes this text in small pieces, and of the message it is in the end. */
function shownOf(written: string): string[] {
	const collector = new Collector(REDACTOR);
	const shown: string[] = [];
	for (let at = 0; at < written.length; at += 7) {
		collector.take(delta(written.slice(at, at + 7)));
		shown.push(JSON.stringify(collector.latest));
	}
	collector.take(message([{ type: "text", text: written }]));
	return [...shown, JSON.stringify(collector.latest), collector.said(64_000), collector.said(5_000)];
}

function collected(...events: unknown[]): Collector {
	const collector = new Collector(NO_REDACTOR);
	for (const event of events) collector.take(event);
	return collector;
}

describe("what is collected from the events of a child", () => {
	test("usage is summed once a message, not by deltas or turns", () => {
		const usage = { input: 10, output: 3, cacheRead: 2, cacheWrite: 1, cost: { total: 0.5 } };
		const one = message([{ type: "text", text: "Hi" }], { usage });
		const { usage: sum } = collected(delta("H"), delta("i"), one, { type: "turn_end", message: one.message }, one);
		expect(sum).toEqual({ input: 20, output: 6, cacheRead: 4, cacheWrite: 2, cost: 1, turns: 2 });
	});

	test("a compaction is paid for too, and is not a turn", () => {
		const usage = { input: 4000, output: 300, cacheRead: 0, cacheWrite: 0, cost: { total: 0.25 } };
		const events = [
			{ type: "compaction_end", result: { usage } },
			{ type: "compaction_end", result: undefined },
		];
		expect(collected(...events).usage).toEqual({
			input: 4000,
			output: 300,
			cacheRead: 0,
			cacheWrite: 0,
			cost: 0.25,
			turns: 0,
		});
	});

	test("nonsense in usage counts as nothing", () => {
		const usage = { input: Number.NaN, output: -5, cacheRead: "9", cost: { total: Number.POSITIVE_INFINITY } };
		expect(collected(message([], { usage })).usage).toEqual({
			input: 0,
			output: 0,
			cacheRead: 0,
			cacheWrite: 0,
			cost: 0,
			turns: 1,
		});
	});

	test("what is being written counts as partial output until the message ends", () => {
		const done = message([{ type: "text", text: "Before." }]);
		expect(collected(done, delta("Half an ans")).partialOutput).toBe("Half an ans");
		expect(collected(done, delta("After."), message([{ type: "text", text: "After." }])).partialOutput).toBe("After.");
		expect(collected(done, message([{ type: "toolCall", name: "ls", arguments: {} }])).partialOutput).toBe("Before.");
	});

	test("text counts once, whether it was streamed or not", () => {
		const said = message([{ type: "text", text: "12345" }]);
		expect(collected(delta("123"), delta("45"), said).textLength).toBe(5);
		expect(collected(said).textLength).toBe(5);
	});

	test("a key is never shown in part, wherever the shown part of a long text begins or ends", () => {
		const filler = "All of this is ordinary text. ".repeat(150);
		const middles = [PEM.slice(100, 130), PEM.slice(1600, 1630), PEM.slice(3000, 3030)];
		for (const shown of shownOf(`${filler}${PEM}${filler}`)) {
			for (const part of middles) expect(shown).not.toContain(part);
		}
		const secrets = `${filler}The key is ${GITHUB} or zebra.plover!quartz-91, they say. ${filler}`;
		for (const shown of shownOf(secrets)) expect(shown).not.toMatch(/b3Ab3|quartz|plover/);
	});

	test("of a text that is longer than what is looked at, the word that is cut off is left out", () => {
		const collector = new Collector(REDACTOR);
		// Nearly all of what is looked at is masked, so that its very beginning is shown too.
		collector.take(delta(`${GITHUB}${` and ${PEM.repeat(6)}`.padEnd(19_980, " x")}`));
		expect(collector.latest).toEqual([
			{ type: "text", text: expect.stringMatching(/^ and -----BEGIN PRIVATE KEY-----/) },
		]);
	});

	test("display items are the last two hundred, with arguments of a size to show", () => {
		const call = message([{ type: "toolCall", name: "write", arguments: { path: "a", content: "x".repeat(5000) } }]);
		const { displayItems } = collected(...Array.from({ length: 250 }, () => call));
		expect(displayItems).toHaveLength(200);
		expect(JSON.stringify(displayItems[0]).length).toBeLessThan(2100);
	});
});

const json = fc.jsonValue();
const eventType = fc.constantFrom("message_end", "message_update", "turn_end", "tool_execution_end", "agent_end", "?");
const part = fc.oneof(
	fc.record({ type: fc.constant("text"), text: fc.oneof(fc.string(), json) }),
	fc.record({ type: fc.constant("toolCall"), name: fc.oneof(fc.string(), json), arguments: json }),
	json,
);
const anyMessage = fc.record(
	{
		role: fc.constantFrom("assistant", "user", "toolResult"),
		content: fc.oneof(fc.array(part), json),
		usage: json,
		stopReason: json,
	},
	{ requiredKeys: [] },
);
const anyEvent = fc.oneof(
	fc.record(
		{ type: eventType, message: fc.oneof(anyMessage, json), assistantMessageEvent: json },
		{ requiredKeys: [] },
	),
	json,
);
const anyCause: fc.Arbitrary<EndCause> = fc.oneof(
	fc.record({ kind: fc.constant("not_finalized" as const), problem: fc.string() }),
	fc.record({
		kind: fc.constant("timeout" as const),
		limit: fc.constantFrom("runtime" as const, "idle" as const, "tool" as const),
		afterMs: fc.nat(),
	}),
	fc.record({ kind: fc.constantFrom("stopped" as const), by: fc.string() }),
	fc.record({ kind: fc.constantFrom("budget" as const, "output_limit" as const), limit: fc.string() }),
	fc.record({ kind: fc.constantFrom("provider" as const, "crashed" as const, "lost" as const), message: fc.string() }),
	fc.record({
		kind: fc.constant("finalized" as const),
		finalized: fc.record({ status: fc.constant("SUCCESS" as const), result: fc.string({ minLength: 1 }) }),
	}),
	fc.record({
		kind: fc.constant("reported_error" as const),
		finalized: fc.record({ status: fc.constant("ERROR" as const), error: fc.string({ minLength: 1 }) }),
	}),
);

test("whatever a child emits, collecting never fails, and there is no exit code 0 without an answer", () => {
	fc.assert(
		fc.property(fc.array(anyEvent, { maxLength: 30 }), anyCause, (events, cause) => {
			const collector = collected(...events);
			const { usage, displayItems, partialOutput } = collector;
			const outcome = outcomeOf(cause, { usage, displayItems, partialOutput, attempts: 1, warnings: [] });
			const finalizedWell = cause.kind === "finalized";
			expect(outcome.cause).toBe(cause.kind);
			expect(outcome.exitCode === 0).toBe(finalizedWell);
			expect(outcome.status === "success").toBe(finalizedWell);
			if (outcome.status === "success") expect(outcome.output).not.toBe("");
			else expect(outcome.error.message).toEqual(expect.any(String));
			for (const count of Object.values(usage)) expect(Number.isFinite(count) && count >= 0).toBe(true);
			expect(() => JSON.stringify(outcome)).not.toThrow();
		}),
		{ numRuns: 3000 },
	);
});
