import { join } from "node:path";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { announceOf } from "../../src/deliver/announce.ts";
import { readAnnounceDetails, readResultDetails } from "../../src/deliver/stored-details.ts";
import { toolResult } from "../../src/deliver/tool-result.ts";
import { reportedInMemory } from "../../src/deliver/transcript.ts";
import { type EndedRecord, findRun } from "../../src/ledger/records.ts";
import { readAnnounce } from "../../src/pi/view/announce-view.ts";
import { readView } from "../../src/pi/view/subagent-view.ts";
import { useScratch } from "../ledger/scratch.ts";
import { CAUSES, linesOf, storedRuns, writeOldLedger } from "../ledger/stored/runs.ts";

const scratch = useScratch();
const redactor = createRedactor({ secrets: [], homeDir: "/home/ada" });

interface Details {
	runId?: string;
	results: object[];
}

/** What a transcript held before details had a version: the results of tool calls, and announces. */
type StoredEntry = { name: string } & (
	| { type: "message"; message: { content: unknown; details: Details } }
	| { type: "custom_message"; content: string; details: { announceId: string } }
);

const entries = linesOf<StoredEntry>(join(import.meta.dirname, "stored", "version-0", "transcript.jsonl"));
const results = entries.filter((entry) => entry.type === "message");
const announces = entries.filter((entry) => entry.type === "custom_message");

describe("details without a version", () => {
	test.for(results)("$name: the result of a call is read whole", ({ name, message: { details } }) => {
		const cause = CAUSES[name];
		expect(readResultDetails(details)).toEqual({
			...details,
			results: details.results.map((result) => ({ ...result, cause })),
		});
		expect(readView(details, false)).toMatchObject(
			cause === undefined ? { kind: "refused" } : { kind: "ended", cause },
		);
	});

	test.for(announces)("$name: an announce is read whole", ({ name, content, details }) => {
		const cause = CAUSES[name];
		expect(readAnnounceDetails(details)).toEqual({ ...details, cause });
		expect(readAnnounce({ content, details })).toMatchObject({ cause, agent: expect.stringMatching(/custom|unknown/) });
	});
});

test("the row of every ending says today what it said then, and its version and cause", async () => {
	const file = join(scratch.folder(), "ledger.sqlite");
	writeOldLedger(file);
	const ledger = await scratch.ledger(file);
	ledger.redact = redactor.redact;
	const ended = storedRuns.filter(({ row }) => row.state === "ended");
	expect(ended).toHaveLength(18);
	for (const { name, row } of ended) {
		const record = findRun(ledger, row.id) as EndedRecord;
		const cause = CAUSES[name];
		const { details } = results.find((entry) => entry.name === name)?.message ?? {};
		const told = { ...details, version: 1, results: details?.results.map((result) => ({ ...result, cause })) };
		expect(toolResult(record, redactor).details, name).toEqual(told);
		const announced = announces.find((entry) => entry.name === name)?.details;
		const { details: now } = announceOf(record, { redactor, transcript: record.plan.session.file });
		expect(now, name).toEqual({ ...announced, version: 1, cause });
	}
});

describe("details that a newer pi-geon wrote", () => {
	const newer = <T extends object>(details: T) => ({ ...details, version: 99, cause: "sunk" });

	test("are not guessed at: the text beside them is shown", () => {
		for (const { message } of results) {
			expect(readResultDetails(newer(message.details))).toBeUndefined();
			expect(readView(newer(message.details), false)).toEqual({ kind: "unknown" });
		}
		for (const { content, details } of announces) {
			expect(readAnnounceDetails(newer(details))).toBeUndefined();
			expect(readAnnounce({ content, details: newer(details) })).toMatchObject({ cause: undefined, result: content });
		}
	});

	test("still say which run was announced, so that none is announced twice", () => {
		const stored = [
			...results.map(({ message, ...entry }) => ({
				...entry,
				message: { ...message, details: newer(message.details) },
			})),
			...announces.map((entry) => ({ ...entry, details: newer(entry.details) })),
		] as unknown as SessionEntry[];
		for (const entry of stored) {
			const told = [...reportedInMemory({ entries: () => [entry] })];
			const { details } = (entry.type === "message" ? entry.message : entry) as unknown as { details: Details };
			expect(told).toEqual(details.runId === undefined ? [] : [details.runId]);
		}
	});
});
