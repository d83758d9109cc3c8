import { expect, test } from "vitest";
import type { AnnouncerSetup, DeliveryServices } from "../../src/deliver/announcer-setup.ts";
import { SessionQuestions } from "../../src/deliver/session-questions.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { askQuestion } from "../../src/ledger/questions.ts";
import type { Conversation } from "../../src/ports/conversation.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import type { QuestionDialogs } from "../../src/supervise/question-dialogs.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const TALK = { sessionId: "parent" } as Conversation;

/** A session whose dialogs open when the test says so. */
async function scene() {
	const ledger = await scratch.ledger();
	const done: string[] = [];
	const opening: PromiseWithResolvers<QuestionDialogs>[] = [];
	const services = { ledger, supervisor: { hint: () => done.push("hint") } } as unknown as DeliveryServices;
	const log = (message: string) => done.push(message);
	const questions = new SessionQuestions({
		log: { error: log, warn: log, info: log },
		use: async (_talk: Conversation, work: (services: DeliveryServices) => Promise<unknown>) => work(services),
		openQuestionDialogs: () => {
			const dialogs = Promise.withResolvers<QuestionDialogs>();
			opening.push(dialogs);
			return dialogs.promise;
		},
	} as unknown as AnnouncerSetup<Conversation>);
	const dialogs = { look: () => done.push("look"), leave: () => done.push("leave") } as unknown as QuestionDialogs;
	return {
		questions,
		done,
		opening,
		dialogs,
		look: () => questions.look(TALK, services),
		opened: async () => {
			opening.at(-1)?.resolve(dialogs);
			await opening.at(-1)?.promise;
		},
		ask: () => {
			admitRun(ledger, admission());
			const claimed = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
			const { id, fence } = claimed?.run ?? expect.fail("not claimed");
			askQuestion(ledger, id, { fence, question: asItIs<ChildQuestion>({ question: "Which?" }), at: 2 });
		},
	};
}

test("dialogs are opened with the first question, once, and looked at from then on", async () => {
	const { look, ask, opening, opened, done } = await scene();
	look();
	expect(opening).toHaveLength(0);
	ask();
	look();
	look();
	expect(opening).toHaveLength(1);
	await opened();
	expect(done).toEqual(["hint"]);
	look();
	expect([opening.length, done]).toEqual([1, ["hint", "look"]]);
});

test("dialogs that cannot be opened are tried again", async () => {
	const { look, ask, opening, done } = await scene();
	ask();
	look();
	opening[0]?.reject(new Error("no such file"));
	await expect.poll(() => done).toEqual(["cannot show questions", "hint"]);
	look();
	expect(opening).toHaveLength(2);
});

test("who leaves gives back what was opened, and nothing otherwise", async () => {
	const { look, ask, opened, questions, done } = await scene();
	await questions.leave(TALK);
	ask();
	look();
	await questions.leave(TALK);
	expect(done).toEqual([]);
	questions.end();
	await opened();
	await questions.leave(TALK);
	expect(done).toEqual(["leave"]);
});
