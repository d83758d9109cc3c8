import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { hostGone } from "../../src/ledger/hosts.ts";
import { findMessage, STEERING, sendToRun } from "../../src/ledger/inbox.ts";
import { requestStop } from "../../src/ledger/progress.ts";
import { selectRuns } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { claimNext } from "./one-run.ts";
import { admission, outcomeOf } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const entry = (id: string, parentId: string | null, details?: { seq: number; runId: string }): string =>
	JSON.stringify({
		type: "custom_message",
		id,
		parentId,
		timestamp: "2026-01-01T00:00:00.000Z",
		...(details ? { customType: STEERING, content: "One more thing.", details } : { customType: "other", content: "" }),
	});

type FileOf = (message: { seq: number; runId: string }, file: string) => string | undefined;

/** A run that dies with its host, with one message to it not marked as taken in; what its session file holds then. */
async function dieWithMessage(fileOf: FileOf, { stopped = false } = {}) {
	const ledger = await scratch.ledger();
	ledger.redact = (text) => NO_REDACTOR.redact(text.replace("more", "[redacted]"));
	const file = join(scratch.folder(), "child.jsonl");
	const { plan, ...rest } = admission({ maxAttempts: 1 });
	const { id } = admitRun(ledger, { ...rest, plan: { ...plan, session: { ...plan.session, file } } }).run;
	const hostId = readyHost(ledger);
	claimNext(ledger, { hostId, profile: "p", at: 0, leaseMs: 10 });
	const seq = sendToRun(ledger, id, { body: "One more thing.", at: 1 }) ?? 0;
	const text = fileOf({ seq, runId: id }, file);
	if (text !== undefined) writeFileSync(file, text);
	if (stopped) requestStop(ledger, id, { at: 1, by: "the user" });
	hostGone(ledger, hostId, 2);
	sweep(ledger, { at: 20, outcomeOf });
	const stored = ledger.get<{ outcome: string }>("SELECT outcome FROM runs WHERE id = ?", id)?.outcome;
	return { id, stored, message: findMessage(ledger, seq), followUps: selectRuns(ledger, "state = 'queued'") };
}

test("a message that a dead host wrote into the session, and did not mark, counts as received and becomes no task", async () => {
	const holding: FileOf = (its) => `${entry("a", null)}\n${entry("b", "a", its)}\n`;
	for (const stopped of [false, true]) {
		const { id, message, followUps } = await dieWithMessage(holding, { stopped });
		expect(message).toEqual({ runId: id, takenAt: 20 });
		expect(followUps).toEqual([]);
	}
});

test("a message to a run that was stopped is dropped, and said to be, redacted", async () => {
	const { id, stored = "", message, followUps } = await dieWithMessage(() => undefined, { stopped: true });
	expect(message).toEqual({ runId: id });
	expect(followUps).toEqual([]);
	expect(JSON.parse(stored).warnings).toEqual([expect.stringMatching(/not delivered.*"One \[redacted\] thing\."$/)]);
});

test.each<[what: string, fileOf: FileOf]>([
	["is gone", () => undefined],
	["is a folder", (_its, file) => void mkdirSync(file)],
	["does not hold it", (its) => `${entry("a", null)}\n${entry("b", "a", { ...its, seq: its.seq + 1 })}\n`],
	["holds one of that number to another run", (its) => `${entry("a", null, { ...its, runId: "00000000" })}\n`],
	["holds half of it", (its) => `${entry("a", null)}\n${entry("b", "a", its).slice(0, -4)}`],
	["holds it beside the conversation", (its) => [entry("a", null), entry("b", "a", its), entry("c", "a")].join("\n")],
])("a message is the task of another run if the session file %s", async (_what, fileOf) => {
	const { message, followUps } = await dieWithMessage(fileOf);
	expect(followUps.map(({ plan }) => plan.task)).toEqual(["One more thing."]);
	expect(message).toEqual({ runId: followUps[0]?.run.id, takenAt: 20 });
});
