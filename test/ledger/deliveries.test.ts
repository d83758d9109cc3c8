import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { owedTo } from "../../src/ledger/deliveries.ts";
import { messageTaken, sendToRun, waitingMessages } from "../../src/ledger/inbox.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { applyInTransaction, endRun } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { RunEvent } from "../../src/run/run.ts";
import { settleDelivery } from "./one-run.ts";
import { admission, success } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const admitFor = (ledger: Ledger, parentSession: string): RunId =>
	admitRun(ledger, admission({ parentSession })).run.id;
const end = (ledger: Ledger, id: RunId) => endRun(ledger, { id, fence: 0, outcome: success(id), at: 5 });
const apply = (ledger: Ledger, id: RunId, event: RunEvent) =>
	ledger.transaction("full", () => applyInTransaction(ledger, id, event));
const owed = (ledger: Ledger, session: string) => owedTo(ledger, session).map(({ run }) => run.id);

test("a session is owed the outcomes of its own ended runs, in the order it asked", async () => {
	const ledger = await scratch.ledger();
	const [first, second, third] = [1, 2, 3].map(() => admitFor(ledger, "mine")) as [RunId, RunId, RunId];
	const other = admitFor(ledger, "theirs");
	expect(owed(ledger, "mine")).toEqual([]);
	for (const id of [third, other, first]) end(ledger, id);
	expect(owed(ledger, "mine")).toEqual([first, third]);
	expect(owed(ledger, "theirs")).toEqual([other]);
	end(ledger, second);
	expect(owed(ledger, "mine")).toEqual([first, second, third]);
	expect(owedTo(ledger, "mine")[0]?.run).toMatchObject({ outcome: { output: first }, delivery: { state: "owed" } });
});

test("a debt is settled once, and not before there is one", async () => {
	const ledger = await scratch.ledger();
	const id = admitFor(ledger, "mine");
	expect(settleDelivery(ledger, id, 4)).toBe(false);
	end(ledger, id);
	expect(settleDelivery(ledger, id, 6)).toBe(true);
	expect(settleDelivery(ledger, id, 7)).toBe(false);
	expect(apply(ledger, id, { type: "skipped", at: 8 })).toBeUndefined();
	expect(findRun(ledger, id)?.run).toMatchObject({ delivery: { state: "delivered", at: 6 } });
	expect(owed(ledger, "mine")).toEqual([]);
});

test("an archived run keeps its outcome and its settled debt", async () => {
	const ledger = await scratch.ledger();
	const id = admitFor(ledger, "mine");
	end(ledger, id);
	expect(apply(ledger, id, { type: "archived", at: 6 })).toBeUndefined();
	apply(ledger, id, { type: "skipped", at: 7 });
	apply(ledger, id, { type: "archived", at: 8 });
	expect(findRun(ledger, id)?.run).toMatchObject({
		outcome: { output: id },
		delivery: { state: "skipped", at: 7 },
		archivedAt: 8,
	});
});

test("messages wait for their run in the order they were sent, until they are taken", async () => {
	const ledger = await scratch.ledger();
	const [run, other] = [admitFor(ledger, "mine"), admitFor(ledger, "mine")];
	for (const body of ["one", "two", "three"]) sendToRun(ledger, run, { body, at: 1 });
	sendToRun(ledger, other, { body: "for the other", at: 1 });
	const [one, two] = waitingMessages(ledger, run);
	expect(waitingMessages(ledger, run).map(({ body }) => body)).toEqual(["one", "two", "three"]);
	messageTaken(ledger, { seq: two?.seq ?? 0, fence: 0, at: 5 });
	messageTaken(ledger, { seq: two?.seq ?? 0, fence: 0, at: 6 });
	expect(ledger.get("SELECT taken_at FROM inbox WHERE seq = ?", two?.seq ?? 0)).toEqual({ taken_at: 5 });
	expect(waitingMessages(ledger, run).map(({ body }) => body)).toEqual(["one", "three"]);
	messageTaken(ledger, { seq: one?.seq ?? 0, fence: 0, at: 7 });
	expect(waitingMessages(ledger, run).map(({ body }) => body)).toEqual(["three"]);
	expect(waitingMessages(ledger, other).map(({ body }) => body)).toEqual(["for the other"]);
});

test("a message to a run that is not there is refused", async () => {
	const ledger = await scratch.ledger();
	expect(sendToRun(ledger, "00000000" as RunId, { body: "hello?", at: 1 })).toBeUndefined();
});
