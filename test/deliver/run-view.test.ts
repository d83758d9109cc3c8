import { beforeEach, describe, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { pick, viewOf } from "../../src/deliver/run-view.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { recordAway } from "../../src/ledger/away.ts";
import { skipDelivery } from "../../src/ledger/deliveries.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { recordHop, recordTurn, requestStop } from "../../src/ledger/progress.ts";
import { findRun, type RunRecord } from "../../src/ledger/records.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { ours } from "../../src/run/redacted.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext, settleDelivery } from "../ledger/one-run.ts";
import { admission, outcomeOf, success, type Wish } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";
import { endedRecord } from "./ended-record.ts";

const scratch = useScratch({ inMemory: true });
const redactor = createRedactor({ secrets: ["hunter2-hunter2"], homeDir: "/home/ada" });
let ledger: Ledger;
beforeEach(async () => {
	ledger = await scratch.ledger();
});

const admit = (wish: Wish = {}): RunRecord => admitRun(ledger, admission(wish));

const now = (id: RunId): RunRecord => findRun(ledger, id) ?? expect.fail("not found");

const viewed = (record: RunRecord) => viewOf(record, redactor);

const USED = { ...NO_USAGE, input: 7, turns: 2 };

/** A run that a host works on, and how far it has come. */
function running() {
	const hostId = readyHost(ledger);
	admit({ profile: "p", at: 3 });
	const { run } = claimNext(ledger, { hostId, profile: "p", at: 4, leaseMs: 1000 }) ?? expect.fail("not claimed");
	recordTurn(ledger, run.id, run.fence, { usage: USED, said: ours`So far.` });
	return { hostId, id: run.id, fence: run.fence };
}

test("a queued run has its request, and neither a start nor an end", () => {
	const { run, sessionId, ...record } = admit({ mode: "background", label: "a label", at: 3 });
	const view = viewed({ run, sessionId, ...record });
	expect(view).toMatchObject({
		...{ runId: run.id, sessionId, sessionKey: `agent:main:subagent:${sessionId}`, parentSession: "parent" },
		...{ principal: "main", agent: "scout", label: "a label", task: "look around", kind: "background" },
		...{ phase: "queued", state: "queued", attempt: 0, maxAttempts: 2, createdAt: 3, usage: NO_USAGE },
		...{ model: "test/model", cwd: "/repo", agentFile: "/agents/scout.md", warnings: [] },
	});
	const unknown = ["status", "cause", "reason", "startedAt", "endedAt", "delivery", "deliveredAt"] as const;
	const others = ["host", "stop", "away", "answer", "error", "exitCode"] as const;
	expect(pick(view, [...unknown, ...others])).toEqual({});
});

test("a running run has its host, when it started, and what it has used and said", () => {
	const { hostId, id } = running();
	expect(viewed(now(id))).toMatchObject({
		...{ phase: "running", state: "running", host: hostId, createdAt: 3, startedAt: 4, attempt: 1 },
		...{ usage: USED, answer: "So far." },
	});
});

test("a run that is to be stopped is stopping, whether it runs or not", () => {
	const request = { at: 5, by: "the user", command: "c" };
	const ids = [running().id, admit().run.id];
	for (const id of ids) requestStop(ledger, id, request);
	for (const id of ids) expect(viewed(now(id))).toMatchObject({ phase: "stopping", stop: request });
});

test("a run that went to another model shows that one, and why as a warning", () => {
	const { id, fence } = running();
	recordHop(ledger, id, { fence, at: 5, hop: { from: "test/model", to: "test/second", why: 503 } });
	recordHop(ledger, id, { fence, at: 6, hop: { from: "test/second", to: "test/hunter2-hunter2", why: "failed" } });
	const { model, warnings } = viewed(now(id));
	expect(model).toMatch(/^test\/\[/);
	expect(warnings).toHaveLength(2);
	expect(warnings[0]).toMatch(/test\/model could not be used \(HTTP 503\), so test\/second continued/);
	expect(warnings.join()).not.toContain("hunter2");
});

describe("where a run of a pool is", () => {
	test("is told as far as it is known", () => {
		const { id, fence } = running();
		recordAway(ledger, id, fence, { pool: "big", since: 9 });
		expect(viewed(now(id)).away).toEqual({ pool: "big", since: 9 });
	});

	test("is redacted", () => {
		const { id, fence } = running();
		const secret = "hunter2-hunter2";
		recordAway(ledger, id, fence, { pool: "big", worker: `w ${secret}`, since: 9, trouble: `t ${secret}` });
		const { worker, trouble } = viewed(now(id)).away ?? expect.fail("not told");
		expect([worker, trouble]).toEqual([expect.stringMatching(/^w \[/), expect.stringMatching(/^t \[/)]);
	});
});

test("a run that succeeded has what its outcome says, not what was known before", () => {
	const { id } = running();
	const outcome: Outcome = {
		...success("All of it."),
		...asItIs<Pick<Outcome, "model" | "warnings">>({ model: "test/answered", warnings: ["It is old."] }),
		usage: { ...USED, turns: 3 },
	};
	const view = viewed(endedRecord(ledger, id, outcome));
	expect(view).toMatchObject({
		...{ phase: "ended", state: "ended", status: "success", cause: "finalized", exitCode: 0, endedAt: 5 },
		...{ answer: "All of it.", model: "test/answered", warnings: ["It is old."], usage: { turns: 3 } },
	});
	expect(pick(view, ["host", "error", "reason"])).toEqual({});
});

test("a run that failed has its error, and no answer that it did not give", () => {
	const { id } = running();
	const lost = outcomeOf(undefined, { kind: "lost", message: "Gone." });
	const view = viewed(endedRecord(ledger, id, lost));
	expect(view).toMatchObject({ status: "error", cause: "lost", reason: "lost", exitCode: 1 });
	expect(view.error).toContain("Gone.");
	expect(view.answer).toBeUndefined();
});

test("an outcome is owed until it is delivered or skipped, and then there is a time", () => {
	const [owed, told, skipped] = [admit(), admit(), admit()].map(({ run }) => endedRecord(ledger, run.id).run.id);
	if (!owed || !told || !skipped) return expect.fail("not admitted");
	settleDelivery(ledger, told, 8);
	skipDelivery(ledger, skipped, 9);
	const deliveries = [owed, told, skipped].map((id) => pick(viewed(now(id)), ["delivery", "deliveredAt"]));
	expect(deliveries).toEqual([
		{ delivery: "owed" },
		{ delivery: "delivered", deliveredAt: 8 },
		{ delivery: "skipped", deliveredAt: 9 },
	]);
});

test("the words of the request are redacted, and only when they are asked for", () => {
	const { plan, ...record } = admit({ task: "Use hunter2-hunter2.", label: "of hunter2-hunter2" });
	const asked: string[] = [];
	const redact = (text: string) => {
		asked.push(text);
		return redactor.redact(text);
	};
	const own = { cwd: "/home/ada/repo", warnings: ["/home/ada/a.md is old."] };
	const definition = { ...plan.definition, file: "/home/ada/scout.md" };
	const view = viewOf({ ...record, plan: { ...plan, ...own, definition } }, { redact });
	expect(asked).toEqual([]);
	expect(view.task).toMatch(/^Use \[/);
	expect(asked).toEqual(["Use hunter2-hunter2."]);
	expect(view.label).toMatch(/^of \[/);
	expect([view.cwd, view.agentFile, view.warnings]).toEqual(["~/repo", "~/scout.md", ["~/a.md is old."]]);
});

test("facts are picked in the order in which they are named, without those that are not known", () => {
	const facts = { a: 1, b: undefined, c: 0, d: "", e: false };
	expect(Object.entries(pick(facts, ["d", "b", "c", "e"]))).toEqual([
		["d", ""],
		["c", 0],
		["e", false],
	]);
});
