import { expect, test } from "vitest";
import type { Presence } from "../../src/host/decide-question.ts";
import { Questions } from "../../src/host/questions.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { openQuestionsOf } from "../../src/ledger/open-questions.ts";
import { endQuestion, findQuestion, takeQuestions } from "../../src/ledger/questions.ts";
import { NO_LOG } from "../../src/log/log.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const WHICH = asItIs<ChildQuestion>({ question: "Which?" });
const WHAT = asItIs<ChildQuestion>({ question: "What then?" });

/** A running run, and hosts that ask in its name one after the other. */
async function scene({ presence = "user" as Presence } = {}) {
	const ledger = await scratch.ledger();
	admitRun(ledger, admission());
	const claimed = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
	const { id, fence } = claimed?.run ?? expect.fail("not claimed");
	let elapsed = 0;
	const told: string[] = [];
	const clock = { now: () => 1_000_000 + elapsed, elapsed: () => elapsed, after: () => () => {} };
	const host = () => {
		const questions = new Questions(
			{ ledger, log: NO_LOG, ports: { clock } as never },
			{
				presence: () => presence,
				tell: (runId) => void told.push(runId),
				hint: () => {},
				orLog: (_what, _runId, write) => void write(),
			},
		);
		const { ask, taken, untaken } = questions.of({ id, fence, askMs: 600_000 });
		const over = new AbortController();
		return {
			ask: (question = WHICH) => {
				const end = ask(question, over.signal);
				questions.look();
				return end;
			},
			taken,
			untaken,
			die: () => over.abort(),
			/** Looks on for a while, as often as a host does. */
			look: (forMs = 0) => {
				for (const until = elapsed + forMs; elapsed < until; elapsed += 1000) questions.look();
				questions.look();
			},
			/** Nothing happens meanwhile. */
			sleep: (ms: number) => {
				elapsed += ms;
			},
		};
	};
	const answer = (seq: number) => endQuestion(ledger, seq, { end: { answered: true, answer: "This." }, at: 5 });
	const open = () => openQuestionsOf(ledger, "parent");
	return { ledger, id, host, answer, open, told };
}

const only = ([seq, ...others]: number[]): number => {
	if (seq === undefined || others.length > 0) return expect.fail("not exactly one is open");
	return seq;
};

test("the answer in the ledger is the child's, and the watchers were told to look", async () => {
	const { host, answer, open, told, id } = await scene();
	const first = host();
	const end = first.ask();
	expect(told).toEqual([id]);
	const seq = only(open());
	answer(seq);
	first.look();
	expect(await end).toEqual({ answered: true, answer: "This.", seq });
});

test("the next attempt that asks the same waits for the same row, or gets what it ended with", async () => {
	const { host, answer, open } = await scene();
	const [first, second, third] = [host(), host(), host()];
	const lost = first.ask();
	const seq = only(open());
	first.die();
	expect(await lost).toEqual({ answered: false, declined: "ended" });
	const asked = second.ask();
	expect(open()).toEqual([seq]);
	second.die();
	await asked;
	answer(seq);
	const end = third.ask();
	third.look();
	expect(await end).toEqual({ answered: true, answer: "This.", seq });
});

test("one that asks in other words gets an answer that was given meanwhile, with its question; then it may ask", async () => {
	const { host, answer, open } = await scene();
	const [first, second] = [host(), host()];
	void first.ask();
	const seq = only(open());
	first.die();
	answer(seq);
	const end = second.ask(WHAT);
	expect(await end).toEqual({ answered: true, answer: "This.", seq, earlier: WHICH });
	// Although the session does not hold it yet.
	void second.ask(WHAT);
	expect(only(open())).not.toBe(seq);
});

test("one that asks in other words replaces a question that is still open", async () => {
	const { ledger, host, open } = await scene();
	const [first, second] = [host(), host()];
	void first.ask();
	const seq = only(open());
	first.die();
	void second.ask(WHAT);
	expect(findQuestion(ledger, seq)?.end).toEqual({ answered: false, declined: "replaced" });
	expect(only(open())).toBeGreaterThan(seq);
});

test("the same asked twice by one attempt is two questions", async () => {
	const { host, answer, open } = await scene();
	const one = host();
	const first = one.ask();
	const seq = only(open());
	answer(seq);
	one.look();
	await first;
	void one.ask();
	expect(only(open())).toBeGreaterThan(seq);
});

test("it is declined at once where only parents without a user watch", async () => {
	const { host } = await scene({ presence: "nobody" });
	expect(await host().ask()).toMatchObject({ answered: false, declined: "nobody" });
});

test("time in which the host did not look does not count", async () => {
	const { ledger, host, open } = await scene();
	const one = host();
	const end = one.ask();
	const seq = only(open());
	takeQuestions(ledger, [seq], { name: "parent", at: 1_000_000, forMs: 15_000 });
	one.look();
	one.sleep(10 * 3_600_000);
	one.look();
	expect(open()).toEqual([seq]);
	one.look(615_000);
	expect(await end).toMatchObject({ answered: false, declined: "time" });
});

test("a parent that says again and again that it shows the question keeps it open", async () => {
	const { ledger, host, open } = await scene();
	const one = host();
	void one.ask();
	const seq = only(open());
	for (let times = 0; times < 10; times++) {
		takeQuestions(ledger, [seq], { name: "parent", at: times * 100_000, forMs: 15_000 });
		one.look(100_000);
	}
	expect(open()).toEqual([seq]);
});
