import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { announceOf, wantsSilence } from "../../src/deliver/announce.ts";
import { announcesOf } from "../../src/deliver/tell.ts";
import { toolResult } from "../../src/deliver/tool-result.ts";
import { owedTo } from "../../src/ledger/deliveries.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import type { EndedRecord } from "../../src/ledger/records.ts";
import { checkRow, type RawRow } from "../../src/ledger/row-check.ts";
import { markedReply, replyOf } from "../../src/operate/reply.ts";
import { summaryOf } from "../../src/operate/runs.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { Conversation } from "../../src/ports/conversation.ts";
import type { RunId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import fc from "../helpers/fast-check.ts";
import { pastRun } from "../ledger/past.ts";
import { success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const redactor = createRedactor({ secrets: [], homeDir: "/home/ali" });

const FAILURE = {
	status: "error",
	cause: "provider",
	exitCode: 1,
	error: { code: "SUBAGENT_FAILED", message: "It failed.", reason: "provider" },
	usage: NO_USAGE,
	displayItems: [
		{ type: "text", text: "Looking." },
		{ type: "toolCall", name: "read", args: { path: "a.ts" } },
	],
	attempts: 1,
	warnings: ["Mind the gap."],
	model: "test/model",
	context: { tokens: 10, window: 100 },
	output: "What there was.",
	lastEvent: "agent_end",
};
const REPORTED = { ...FAILURE, cause: "reported_error", finalized: { status: "ERROR", error: "No.", result: "Half." } };
const TIMEOUT = { ...FAILURE, status: "timeout", cause: "timeout", exitCode: 124, timeoutReason: "idle" };
const OUTCOMES: readonly object[] = [success(), FAILURE, REPORTED, TIMEOUT];

async function openShop(): Promise<{ ledger: Ledger; records: EndedRecord[] }> {
	const folder = scratch.folder();
	const ledger = await openLedger(join(folder, "ledger.sqlite"));
	for (let run = 0; run < 3; run++) pastRun(ledger, { folder, ended: 1, delivered: null });
	return { ledger, records: owedTo(ledger, "parent", { at: 0 }) as EndedRecord[] };
}

const withOutcome = (record: EndedRecord, outcome: unknown): EndedRecord => ({
	...record,
	run: { ...record.run, outcome: outcome as EndedRecord["run"]["outcome"] },
});

/** Everything that tells of an outcome. */
function tellAll(record: EndedRecord, ledger: Ledger): void {
	wantsSilence(record);
	announceOf(record, { redactor, transcript: "/t.jsonl" });
	toolResult(record, redactor);
	for (const taken of [true, false]) {
		replyOf(record, redactor, { taken });
		markedReply(record, redactor, { taken });
	}
	summaryOf(record, { ledger, redactor });
}

const rowOf = (ledger: Ledger, id: RunId): RawRow => ledger.get<RawRow>("SELECT * FROM runs WHERE id = ?", id) ?? {};

/** Every place in a value, as the keys that lead to it. */
const placesIn = (value: unknown): string[][] =>
	typeof value === "object" && value !== null
		? Object.entries(value).flatMap(([key, inner]) => [[key], ...placesIn(inner).map((rest) => [key, ...rest])])
		: [];

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
	if (key === undefined) return by;
	const copy = structuredClone(value) as Record<string, unknown>;
	copy[key] = replaced(copy[key], rest, by);
	return copy;
}

/** A sound outcome in which some places hold something else, and fields that an outcome may have are there. */
const damagedOutcome = fc.constantFrom(...OUTCOMES).chain((outcome) => {
	const optional = ["model", "context", "output", "finalized", "timeoutReason", "lastEvent"].map((key) => [key]);
	const place = fc.constantFrom(...placesIn(outcome), ...optional);
	const value = fc.oneof(fc.constantFrom(null, 5, -1, "", {}, [], true, [5], { result: 7 }), fc.jsonValue());
	return fc.array(fc.tuple(place, value), { minLength: 1, maxLength: 3 }).map((changes) =>
		changes.reduce<unknown>((damaged, [where, by]) => {
			const reached = where.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], damaged);
			return typeof reached === "object" && reached !== null ? replaced(damaged, where, by) : damaged;
		}, outcome),
	);
});

test("what cannot be told of an outcome keeps its row from being read", { timeout: 60_000 }, async () => {
	const { ledger, records } = await openShop();
	const [record] = records;
	if (!record) throw new Error("There is no run.");
	const row = rowOf(ledger, record.run.id);
	for (const outcome of OUTCOMES) {
		expect(checkRow({ ...row, outcome: JSON.stringify({ version: 1, ...outcome }) })).toMatchObject({ outcome });
		tellAll(withOutcome(record, outcome), ledger);
	}
	const named = [
		{ output: 5 },
		{ finalized: { result: 7 } },
		{ lastEvent: {} },
		{ error: { ...FAILURE.error, reason: 5 } },
		{ cause: "finalized" },
		{ cause: "toString" },
		{ version: "1" },
		{ version: -1 },
	];
	for (const damage of named) {
		const outcome = JSON.stringify({ version: 1, ...FAILURE, ...damage });
		expect(checkRow({ ...row, outcome }), outcome).toEqual({ problem: "outcome is not the JSON of an outcome" });
	}
	fc.assert(
		fc.property(fc.oneof({ weight: 5, arbitrary: damagedOutcome }, fc.jsonValue()), fc.nat(1), (outcome, version) => {
			const stored = typeof outcome === "object" && outcome !== null ? { version, ...outcome } : outcome;
			const checked = checkRow({ ...row, outcome: JSON.stringify(stored) });
			if (!("problem" in checked)) tellAll(withOutcome(record, checked.outcome), ledger);
		}),
		{ numRuns: 2000 },
	);
	ledger.close();
});

test("a run whose report cannot be made is reported as such, and the others of its session as ever", async () => {
	const { ledger, records } = await openShop();
	const [first, second, third] = records;
	if (!first || !second || !third) throw new Error("There are three runs.");
	const told: string[] = [];
	const talk: Conversation = {
		...{ sessionId: "parent", file: undefined, isInteractive: true, isIdle: () => true, hasPending: () => false },
		...{ entries: () => [], send() {}, add() {}, countUsage() {}, countUsageOf() {} },
		notify: (text) => told.push(text),
	};
	const damaged = withOutcome(second, { ...FAILURE, output: 5 });
	const due = [first, { ...damaged, plan: { ...damaged.plan, route: { chat: 7 } } }, third];
	const log = { debug() {}, info() {}, warn() {}, error() {} };
	const telling = { talk, ledger, redactor, log, clock: systemClock, events: { announced() {} } };
	const announces = [...announcesOf(telling, due, 100_000).values()];
	expect(announces.map(({ details }) => [details.runId, details.status])).toEqual([
		[first.run.id, "success"],
		[second.run.id, "unknown"],
		[third.run.id, "success"],
	]);
	expect(announces[1]?.content).toMatch(/^Status: unknown\n[\s\S]*The report of run \S+ cannot be made/);
	expect(announces[1]?.details.route).toEqual({ chat: 7 });
	expect(told).toEqual([expect.stringContaining(`pi-geon cannot make the report of run ${second.run.id}: `)]);
	ledger.close();
});
