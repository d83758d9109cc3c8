import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { findMessage, messageTaken, sendToRun, waitingMessages } from "../../src/ledger/inbox.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { type RunRecord, selectRuns } from "../../src/ledger/records.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { withSilenceAllowed } from "../../src/plan/prompt.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

const failure = (reason: string): Outcome => outcomeOf(undefined, { kind: "lost", message: reason });

/** A running run that has two messages. */
async function runWithMessages(): Promise<{ ledger: Ledger; id: RunId; one: number; two: number }> {
	const ledger = await scratch.ledger();
	const wish = { mode: "foreground", label: "scouting", laneLimit: 7, maxAttempts: 1 } as const;
	const { id } = admitRun(ledger, admission(wish)).run;
	const hostId = readyHost(ledger, { profile: "p" });
	claimNext(ledger, { hostId, profile: "p", at: 1, leaseMs: 10 });
	const [one, two] = ["One.", "Two."].map((body) => sendToRun(ledger, id, { body, at: 2 }) ?? 0);
	return { ledger, id, one: one ?? 0, two: two ?? 0 };
}

const successorsOf = (ledger: Ledger, id: RunId): RunRecord[] => selectRuns(ledger, "id <> ? ORDER BY seq", id);

describe("messages that a run did not receive", () => {
	test("become the task of a run that continues in its session, the moment it ends", async () => {
		const { ledger, id, one, two } = await runWithMessages();
		messageTaken(ledger, { seq: one, fence: 1, at: 3 });
		const three = sendToRun(ledger, id, { body: "Three.", at: 3 }) ?? 0;
		endRun(ledger, { id, fence: 1, outcome: { ...success(), usage: { ...NO_USAGE, turns: 1 } }, at: 4 });
		const [next, ...others] = successorsOf(ledger, id);
		const before = selectRuns(ledger, "id = ?", id)[0];
		expect(others).toEqual([]);
		expect(next).toMatchObject({
			sessionId: before?.sessionId,
			parentSession: "parent",
			mode: "background",
			label: "scouting",
			profile: { digest: "p" },
			createdAt: 4,
			run: { state: "queued", attempt: 0 },
			plan: {
				...before?.plan,
				task: "Two.\n\nThree.",
				prompt: withSilenceAllowed(before?.plan.prompt ?? ""),
				session: { ...before?.plan.session, resumed: true },
			},
		});
		expect(ledger.get("SELECT lane_limit FROM runs WHERE id = ?", next?.run.id ?? "")).toEqual({ lane_limit: 7 });
		expect(findMessage(ledger, one)).toEqual({ runId: id, takenAt: 3 });
		for (const seq of [two, three]) expect(findMessage(ledger, seq)).toEqual({ runId: next?.run.id, takenAt: 4 });
	});

	test("do not look for a session that the run before them never began", async () => {
		const { ledger, id } = await runWithMessages();
		endRun(ledger, { id, fence: 1, outcome: success(), at: 4 });
		expect(successorsOf(ledger, id)[0]?.plan.session.resumed).toBe(false);
	});

	test("have the time of a background run, the word for silence, and what the plan went without", async () => {
		const ledger = await scratch.ledger();
		const wish = admission({ mode: "foreground" });
		const plan = { ...wish.plan, backgroundTimeoutMs: 3_600_000, warnings: ["bash was left out."] };
		const { id } = admitRun(ledger, { ...wish, plan }).run;
		claimNext(ledger, { hostId: readyHost(ledger, { profile: "p" }), profile: "p", at: 1, leaseMs: 10 });
		sendToRun(ledger, id, { body: "One.", at: 2 });
		endRun(ledger, { id, fence: 1, outcome: success(), at: 4 });
		const [next] = successorsOf(ledger, id);
		expect(next?.plan.limits).toEqual({ ...plan.limits, timeoutMs: 3_600_000 });
		expect(next?.plan.prompt).toMatch(/^You look around\.[\s\S]*ANNOUNCE_SKIP/);
		expect(next?.plan.warnings).toEqual(plan.warnings);
	});

	test("also when it was lost with its host", async () => {
		const { ledger, id } = await runWithMessages();
		expect(sweep(ledger, { at: 1000, outcomeOf }).ended).toHaveLength(1);
		expect(successorsOf(ledger, id).map(({ plan }) => plan.task)).toEqual(["One.\n\nTwo."]);
	});

	test("stay where they are when it was stopped, or could not be started", async () => {
		const stopped = await runWithMessages();
		requestStop(stopped.ledger, stopped.id, { at: 3, by: "the user" });
		sweep(stopped.ledger, { at: 1000, outcomeOf });
		expect(successorsOf(stopped.ledger, stopped.id)).toEqual([]);
		expect(waitingMessages(stopped.ledger, stopped.id)).toHaveLength(2);

		const broken = await runWithMessages();
		const outcome = { ...failure(""), cause: "refused" } as Outcome;
		endRun(broken.ledger, { id: broken.id, fence: 1, outcome, at: 4 });
		expect(successorsOf(broken.ledger, broken.id)).toEqual([]);
	});

	test("are none if it received all of them", async () => {
		const { ledger, id, one, two } = await runWithMessages();
		for (const seq of [one, two]) messageTaken(ledger, { seq, fence: 1, at: 3 });
		endRun(ledger, { id, fence: 1, outcome: success(), at: 4 });
		expect(successorsOf(ledger, id)).toEqual([]);
	});
});

test("a finished run gets no more messages", async () => {
	const { ledger, id } = await runWithMessages();
	endRun(ledger, { id, fence: 1, outcome: success(), at: 4 });
	expect(sendToRun(ledger, id, { body: "Too late.", at: 5 })).toBeUndefined();
});

test("a host that lost the run cannot mark a message as received", async () => {
	const { ledger, one } = await runWithMessages();
	expect(messageTaken(ledger, { seq: one, fence: 0, at: 3 })).toBe(false);
	expect(messageTaken(ledger, { seq: one, fence: 1, at: 4 })).toBe(true);
	expect(messageTaken(ledger, { seq: one, fence: 1, at: 5 })).toBe(false);
	expect(findMessage(ledger, one)?.takenAt).toBe(4);
});
