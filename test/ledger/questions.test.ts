import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { openQuestionOf, openQuestionsOf } from "../../src/ledger/open-questions.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import {
	askQuestion,
	declineUnseen,
	endQuestion,
	findQuestion,
	questionTaken,
	returnQuestions,
	takeQuestions,
	untakenQuestion,
} from "../../src/ledger/questions.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext } from "./one-run.ts";
import { admission, success } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();
const WHICH = asItIs<ChildQuestion>({ question: "Which?", options: ["a", "b"] });

async function runningRun() {
	const ledger = await scratch.ledger();
	admitRun(ledger, admission());
	const claimed = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
	const { id, fence } = claimed?.run ?? expect.fail("not claimed");
	const ask = (question = WHICH, replaces?: number) =>
		askQuestion(ledger, id, { question, replaces, fence, at: 2 }) ?? expect.fail("not asked");
	return { ledger, id, fence, ask };
}

test("a question is open until it is answered, once", async () => {
	const { ledger, id, ask } = await runningRun();
	const seq = ask();
	expect(openQuestionsOf(ledger, "parent")).toEqual([seq]);
	expect(openQuestionsOf(ledger, "another")).toEqual([]);
	expect(openQuestionOf(ledger, id)).toEqual(WHICH);
	expect(endQuestion(ledger, seq, { end: { answered: true, answer: "b", option: 1 }, at: 3 })).toBe(true);
	expect(endQuestion(ledger, seq, { end: { answered: false, declined: "user" }, at: 4 })).toBe(false);
	expect(findQuestion(ledger, seq)?.end).toEqual({ answered: true, answer: "b", option: 1 });
	expect(openQuestionsOf(ledger, "parent")).toEqual([]);
	expect(openQuestionOf(ledger, id)).toBeUndefined();
});

test("it is the child's to take until its session holds how it ended, by the host that has the run", async () => {
	const { ledger, id, fence, ask } = await runningRun();
	const seq = ask();
	expect(untakenQuestion(ledger, id)).toMatchObject({ seq, question: WHICH });
	expect(questionTaken(ledger, seq, { fence: fence + 1, at: 3 })).toBe(false);
	expect(untakenQuestion(ledger, id)?.seq).toBe(seq);
	expect(questionTaken(ledger, seq, { fence, at: 3 })).toBe(true);
	expect(untakenQuestion(ledger, id)).toBeUndefined();
});

test("no host asks for a run that is another's, is to be stopped, or has finished", async () => {
	const { ledger, id, fence } = await runningRun();
	expect(askQuestion(ledger, id, { question: WHICH, fence: fence + 1, at: 2 })).toBeUndefined();
	requestStop(ledger, id, { at: 2, by: "the user" });
	expect(askQuestion(ledger, id, { question: WHICH, fence, at: 2 })).toBeUndefined();
	endRun(ledger, { id, fence, outcome: success(), at: 3 });
	expect(askQuestion(ledger, id, { question: WHICH, fence, at: 4 })).toBeUndefined();
});

test("one in place of another closes that one", async () => {
	const { ledger, ask } = await runningRun();
	const first = ask();
	const second = ask(asItIs<ChildQuestion>({ question: "Which one?" }), first);
	expect(findQuestion(ledger, first)?.end).toEqual({ answered: false, declined: "replaced" });
	expect(openQuestionsOf(ledger, "parent")).toEqual([second]);
});

test("one process shows it at a time, and only while it is open", async () => {
	const { ledger, ask } = await runningRun();
	const seq = ask();
	const take = (name: string, at: number) => [...takeQuestions(ledger, [seq], { name, at, forMs: 10 })];
	expect(findQuestion(ledger, seq)?.shower).toBeUndefined();
	expect(take("a", 0)).toEqual([seq]);
	expect(take("b", 9)).toEqual([]);
	returnQuestions(ledger, "b", "parent");
	expect(findQuestion(ledger, seq)?.shower).toEqual({ name: "a", until: 10 });
	returnQuestions(ledger, "a", "parent");
	expect(findQuestion(ledger, seq)?.shower).toEqual({ until: 10 });
	expect(take("b", 9)).toEqual([seq]);
	endQuestion(ledger, seq, { end: { answered: false, declined: "user" }, at: 9 });
	expect(take("b", 9)).toEqual([]);
});

test("a host does not decline a question that a process has begun to show, nor one of a run that it has lost", async () => {
	const { ledger, fence, ask } = await runningRun();
	const seq = ask();
	const seen = findQuestion(ledger, seq) ?? expect.fail("not there");
	const close = { end: { answered: false, declined: "nobody" } as const, fence, at: 3 };
	takeQuestions(ledger, [seq], { name: "a", at: 0, forMs: 10 });
	expect(declineUnseen(ledger, seen, close)).toBe(false);
	const again = findQuestion(ledger, seq) ?? expect.fail("not there");
	expect(declineUnseen(ledger, again, { ...close, fence: fence + 1 })).toBe(false);
	expect(declineUnseen(ledger, again, close)).toBe(true);
	expect(findQuestion(ledger, seq)?.end).toEqual(close.end);
});

test("the end of its run closes it, and it goes with the run", async () => {
	const { ledger, id, fence, ask } = await runningRun();
	const seq = ask();
	endRun(ledger, { id, fence, outcome: success(), at: 3 });
	expect(findQuestion(ledger, seq)?.end).toEqual({ answered: false, declined: "ended" });
	ledger.run("DELETE FROM runs WHERE id = ?", id);
	expect(findQuestion(ledger, seq)).toBeUndefined();
});

test("a row that cannot be read counts as unanswered", async () => {
	const { ledger, ask } = await runningRun();
	const seq = ask();
	ledger.run("UPDATE questions SET state = 'answered', answer = '{', question = 'no JSON' WHERE seq = ?", seq);
	expect(findQuestion(ledger, seq)).toMatchObject({
		question: { question: "(cannot be read)" },
		end: { answered: false, declined: "ended" },
	});
});
