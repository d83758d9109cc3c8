import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimNext } from "../../src/ledger/claim.ts";
import { hostGone } from "../../src/ledger/hosts.ts";
import { findMessage, STEERING, sendToRun } from "../../src/ledger/inbox.ts";
import { selectRuns } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { admission, outcomeOf } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const entry = (id: string, parentId: string | null, seq?: number): string =>
	JSON.stringify({
		type: "custom_message",
		id,
		parentId,
		timestamp: "2026-01-01T00:00:00.000Z",
		...(seq === undefined
			? { customType: "other", content: "" }
			: { customType: STEERING, content: "One more thing.", details: { seq } }),
	});

/** A run that dies with its host, with one message to it not marked as taken in; what its session file holds then. */
async function dieWithMessage(fileOf: (seq: number) => string | undefined) {
	const ledger = await scratch.ledger();
	const file = join(scratch.folder(), "child.jsonl");
	const { plan, ...rest } = admission({ maxAttempts: 1 });
	const { id } = admitRun(ledger, { ...rest, plan: { ...plan, session: { ...plan.session, file } } }).run;
	const hostId = readyHost(ledger);
	claimNext(ledger, { hostId, profile: "p", at: 0, leaseMs: 10 });
	const seq = sendToRun(ledger, id, { body: "One more thing.", at: 1 }) ?? 0;
	const text = fileOf(seq);
	if (text !== undefined) writeFileSync(file, text);
	hostGone(ledger, hostId, 2);
	sweep(ledger, { at: 20, outcomeOf });
	return { id, message: findMessage(ledger, seq), followUps: selectRuns(ledger, "state = 'queued'") };
}

test("a message that a dead host wrote into the session, and did not mark, is taken in, and nobody's task", async () => {
	const { id, message, followUps } = await dieWithMessage((seq) => `${entry("a", null)}\n${entry("b", "a", seq)}\n`);
	expect(message).toEqual({ runId: id, takenAt: 20 });
	expect(followUps).toEqual([]);
});

test.each<[what: string, fileOf: (seq: number) => string | undefined]>([
	["is gone", () => undefined],
	["does not hold it", (seq) => `${entry("a", null)}\n${entry("b", "a", seq + 1)}\n`],
	["holds half of it", (seq) => `${entry("a", null)}\n${entry("b", "a", seq).slice(0, -4)}`],
	["holds it beside the conversation", (seq) => [entry("a", null), entry("b", "a", seq), entry("c", "a")].join("\n")],
])("a message is the task of another run if the session file %s", async (_what, fileOf) => {
	const { message, followUps } = await dieWithMessage(fileOf);
	expect(followUps.map(({ plan }) => plan.task)).toEqual(["One more thing."]);
	expect(message).toEqual({ runId: followUps[0]?.run.id, takenAt: 20 });
});
