import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import {
	owedTo,
	returnDeliveries,
	settleDeliveries,
	skipDelivery,
	takeDeliveries,
} from "../../src/ledger/deliveries.ts";
import { messageTaken, sendToRun, waitingMessages } from "../../src/ledger/inbox.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { applyInTransaction, endRun } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { TransitionEvent } from "../../src/run/run.ts";
import { settleDelivery } from "./one-run.ts";
import { admission, success } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const admitFor = (ledger: Ledger, parentSession: string): RunId =>
	admitRun(ledger, admission({ parentSession })).run.id;
const end = (ledger: Ledger, id: RunId) => endRun(ledger, { id, fence: 0, outcome: success(id), at: 5 });
const apply = (ledger: Ledger, id: RunId, event: TransitionEvent) =>
	ledger.transaction("full", () => applyInTransaction(ledger, id, event));
const owed = (ledger: Ledger, session: string) => owedTo(ledger, session, { at: 0 }).map(({ run }) => run.id);

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
	expect(owedTo(ledger, "mine", { at: 0 })[0]?.run).toMatchObject({
		outcome: { output: first },
		delivery: { state: "owed" },
	});
});

test("what is known of an outcome is not read again", async () => {
	const ledger = await scratch.ledger();
	const [first, second] = [1, 2].map(() => admitFor(ledger, "mine")) as [RunId, RunId];
	end(ledger, first);
	const [known] = owedTo(ledger, "mine", { at: 0 });
	if (!known) throw new Error("Nothing is owed.");
	end(ledger, second);
	const again = owedTo(ledger, "mine", { at: 0, known: new Map([[first, known]]) });
	expect(again[0]).toBe(known);
	expect(again[1]?.run.id).toBe(second);
	settleDelivery(ledger, first, 5);
	expect(owedTo(ledger, "mine", { at: 0, known: new Map([[first, known]]) })).toHaveLength(1);
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

test("several debts are settled at once, and those that were not owed are not among the answer", async () => {
	const ledger = await scratch.ledger();
	const [first, second, open] = [1, 2, 3].map(() => admitFor(ledger, "mine")) as [RunId, RunId, RunId];
	for (const id of [first, second]) end(ledger, id);
	expect(settleDeliveries(ledger, [], 6)).toEqual(new Set());
	expect(settleDeliveries(ledger, [second, open], 6)).toEqual(new Set([second]));
	expect(settleDeliveries(ledger, [first, second], 7)).toEqual(new Set([first]));
	expect(owed(ledger, "mine")).toEqual([]);
	expect(findRun(ledger, second)?.run).toMatchObject({ delivery: { state: "delivered", at: 6 } });
});

test("a child that asked for silence is skipped, once, and what is known to be on its way is not owed", async () => {
	const ledger = await scratch.ledger();
	const [silent, told] = [admitFor(ledger, "mine"), admitFor(ledger, "mine")];
	expect(skipDelivery(ledger, silent, 4)).toBe(false);
	for (const id of [silent, told]) end(ledger, id);
	expect(owedTo(ledger, "mine", { at: 0, except: new Set([told]) }).map(({ run }) => run.id)).toEqual([silent]);
	expect(skipDelivery(ledger, silent, 6)).toBe(true);
	expect(skipDelivery(ledger, silent, 7)).toBe(false);
	expect(findRun(ledger, silent)?.run).toMatchObject({ delivery: { state: "skipped", at: 6 } });
	expect(owed(ledger, "mine")).toEqual([told]);
});

describe("a delivery", () => {
	const take = (ledger: Ledger, ids: RunId[], deliverer: string, at: number, isAlive?: (name: string) => boolean) => [
		...takeDeliveries(ledger, ids, { name: deliverer, at, forMs: 10, ...(isAlive && { isAlive }) }),
	];
	const row = (ledger: Ledger, id: RunId) =>
		ledger.get("SELECT deliverer AS by, deliverer_until AS until FROM runs WHERE id = ?", id);

	test("belongs to the first process that claims it, until its time is up; that process may renew it", async () => {
		const ledger = await scratch.ledger();
		const [id, other] = [admitFor(ledger, "mine"), admitFor(ledger, "mine")];
		expect(take(ledger, [], "a", 0)).toEqual([]);
		expect(take(ledger, [id], "a", 0)).toEqual([id]);
		expect(row(ledger, id)).toEqual({ by: "a", until: 10 });
		expect(row(ledger, other)).toEqual({ by: null, until: null });
		expect(take(ledger, [id, other], "b", 9)).toEqual([other]);
		expect(row(ledger, id)).toEqual({ by: "a", until: 10 });
		expect(take(ledger, [id], "a", 9)).toEqual([id]);
		expect(row(ledger, id)).toEqual({ by: "a", until: 19 });
		expect(take(ledger, [id], "b", 18)).toEqual([]);
		expect(take(ledger, [id], "b", 19)).toEqual([id]);
		expect(row(ledger, id)).toEqual({ by: "b", until: 29 });
	});

	test("of a process that is not there any more can be taken at once", async () => {
		const ledger = await scratch.ledger();
		const id = admitFor(ledger, "mine");
		take(ledger, [id], "a", 0);
		const asked: string[] = [];
		const isAlive = (answer: boolean) => (name: string) => {
			asked.push(name);
			return answer;
		};
		expect(take(ledger, [id], "b", 1, isAlive(true))).toEqual([]);
		expect(take(ledger, [id], "b", 1, isAlive(false))).toEqual([id]);
		expect(asked).toEqual(["a", "a"]);
		expect(take(ledger, [id], "b", 2, isAlive(false))).toEqual([id]);
		expect(asked).toHaveLength(2);
	});

	test("can be taken before the run has finished, and not once it is settled", async () => {
		const ledger = await scratch.ledger();
		const [open, owing, told, silent] = [1, 2, 3, 4].map(() => admitFor(ledger, "mine")) as [
			RunId,
			RunId,
			RunId,
			RunId,
		];
		for (const id of [owing, told, silent]) end(ledger, id);
		settleDelivery(ledger, told, 6);
		skipDelivery(ledger, silent, 6);
		expect(take(ledger, [open, owing, told, silent, "00000000" as RunId], "a", 7)).toEqual([open, owing]);
		expect(row(ledger, told)).toEqual({ by: null, until: null });
	});

	test("is given back by its holder, for one session, if it is not settled", async () => {
		const ledger = await scratch.ledger();
		const [open, owing, told, theirs] = [1, 2, 3, 4].map(() => admitFor(ledger, "mine")) as [
			RunId,
			RunId,
			RunId,
			RunId,
		];
		const elsewhere = admitFor(ledger, "another");
		for (const id of [owing, told]) end(ledger, id);
		take(ledger, [open, owing, told, elsewhere], "a", 0);
		take(ledger, [theirs], "b", 0);
		settleDelivery(ledger, told, 6);
		returnDeliveries(ledger, "a", "mine");
		expect([open, owing].map((id) => row(ledger, id))).toEqual(Array(2).fill({ by: null, until: null }));
		expect([told, elsewhere].map((id) => row(ledger, id))).toEqual(Array(2).fill({ by: "a", until: 10 }));
		expect(row(ledger, theirs)).toEqual({ by: "b", until: 10 });
		expect(take(ledger, [open], "b", 1)).toEqual([open]);
	});
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
