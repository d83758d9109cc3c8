import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { askQuestion, findQuestion } from "../../src/ledger/questions.ts";
import { NO_LOG } from "../../src/log/log.ts";
import type { ChildQuestion, QuestionEnd } from "../../src/run/question.ts";
import { QuestionDialogs } from "../../src/supervise/question-dialogs.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const YES: QuestionEnd = { answered: true, answer: "Yes." };

/** A run that asks, and processes that may show its question. */
async function scene() {
	const ledger = await scratch.ledger();
	admitRun(ledger, admission());
	const claimed = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
	const { id, fence } = claimed?.run ?? expect.fail("not claimed");
	const question = asItIs<ChildQuestion>({ question: "Which?" });
	const seq = askQuestion(ledger, id, { fence, question, at: 2 }) ?? expect.fail("not asked");
	const parent = (pid: number) => {
		const shown: { answer: PromiseWithResolvers<QuestionEnd>; signal: AbortSignal }[] = [];
		const done: string[] = [];
		const clock = { now: () => 1000, elapsed: () => 1000 };
		const processes = { self: { pid, started: "then" }, isDead: () => false };
		const dialogs = new QuestionDialogs({
			ledger,
			supervisor: { hint: () => done.push("hint"), wake: () => done.push("wake") },
			ports: { clock, processes } as never,
			log: NO_LOG,
			session: "parent",
			show: (_asked, signal) => {
				const answer = Promise.withResolvers<QuestionEnd>();
				shown.push({ answer, signal });
				return answer.promise;
			},
		});
		const answered = async (end: QuestionEnd | Error) => {
			const { answer } = shown.at(-1) ?? expect.fail("not shown");
			if (end instanceof Error) answer.reject(end);
			else answer.resolve(end);
			await expect.poll(() => done).toContain("hint");
		};
		return { dialogs, shown, done, answered };
	};
	return { ledger, seq, parent, end: () => findQuestion(ledger, seq)?.end };
}

test("a question is shown once, and what the user said is written at the next look", async () => {
	const { parent, end } = await scene();
	const { dialogs, shown, done, answered } = parent(1);
	dialogs.look();
	dialogs.look();
	expect(shown).toHaveLength(1);
	await answered(YES);
	expect(end()).toBeUndefined();
	dialogs.look();
	expect([end(), done]).toEqual([YES, ["hint", "wake"]]);
	dialogs.look();
	expect(shown).toHaveLength(1);
});

test("of two processes with the same session open one shows it, and the other when that one has left", async () => {
	const { parent } = await scene();
	const [one, other] = [parent(1), parent(2)];
	one.dialogs.look();
	other.dialogs.look();
	expect([one.shown.length, other.shown.length]).toEqual([1, 0]);
	one.dialogs.leave();
	expect(one.shown[0]?.signal.aborted).toBe(true);
	other.dialogs.look();
	expect(other.shown).toHaveLength(1);
});

test("an answer that cannot be written is kept until it can be", async () => {
	const { ledger, parent, end } = await scene();
	const { dialogs, shown, answered } = parent(1);
	dialogs.look();
	await answered(YES);
	ledger.run("CREATE TRIGGER full BEFORE UPDATE ON questions BEGIN SELECT RAISE(ABORT, 'no space'); END");
	expect(() => dialogs.look()).toThrow("no space");
	ledger.run("DROP TRIGGER full");
	dialogs.look();
	expect([end(), shown.length]).toEqual([YES, 1]);
});

test("a question that ended elsewhere is closed here", async () => {
	const { ledger, parent, seq } = await scene();
	const { dialogs, shown } = parent(1);
	dialogs.look();
	ledger.run("UPDATE questions SET state = 'declined', declined = 'ended' WHERE seq = ?", seq);
	dialogs.look();
	expect(shown[0]?.signal.aborted).toBe(true);
});

test("one that cannot be shown here is not tried again, and stays open for others", async () => {
	const { parent, end } = await scene();
	const { dialogs, shown, answered } = parent(1);
	dialogs.look();
	await answered(new Error("no screen"));
	dialogs.look();
	expect([shown.length, end()]).toEqual([1, undefined]);
});

test("who leaves with an answer that is not written yet writes it first", async () => {
	const { parent, end } = await scene();
	const { dialogs, answered } = parent(1);
	dialogs.look();
	await answered(YES);
	dialogs.leave();
	expect(end()).toEqual(YES);
});
