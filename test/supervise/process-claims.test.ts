import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { CLAIM_MS } from "../../src/ledger/process-claims.ts";
import { askQuestion, findQuestion, returnQuestions, takeQuestions } from "../../src/ledger/questions.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { ProcessClaims } from "../../src/supervise/process-claims.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission } from "../ledger/samples.ts";
import { readyHost } from "../ledger/scratch.ts";
import { quietWorld } from "../simulation/quiet-world.ts";

const HOUR_MS = 3_600_000;

/** Two processes with the same session open, and questions in it that one of them shows. */
function scene() {
	const world = quietWorld();
	const ledger = world.database.ledgerOf(world.start("ledger"));
	const ask = (parentSession = "mine"): number => {
		admitRun(ledger, admission({ parentSession, profile: "p" }));
		const claimed = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
		const { id, fence } = claimed?.run ?? expect.fail("not claimed");
		const question = asItIs<ChildQuestion>({ question: "Which?" });
		return askQuestion(ledger, id, { fence, question, at: 2 }) ?? expect.fail("not asked");
	};
	const start = () => {
		const { pid, ports } = world.start("parent");
		const claims = new ProcessClaims<number>(ports, { take: takeQuestions, giveBack: returnQuestions });
		return {
			kill: () => world.kill(pid, "killed"),
			take: (...ids: number[]) => [...claims.take(ledger, ids)],
			keep: (...ids: number[]) => [...claims.keep(ledger, ids)],
			giveBack: (session: string) => claims.giveBack(ledger, session),
			size: () => claims.size,
			holds: (id: number) => findQuestion(ledger, id)?.shower?.name?.startsWith(`${pid}:`) === true,
		};
	};
	return {
		ask,
		ours: start(),
		theirs: start(),
		/** When the claim on it expires, counted from this moment. */
		expiresIn: (id: number) => (findQuestion(ledger, id)?.shower?.until ?? 0) - world.scheduler.now,
		pass: (ms: number) => {
			world.scheduler.elapsed += ms;
		},
		setClockBack: (ms: number) => {
			world.scheduler.skew -= ms;
		},
	};
}

test("a claim of another live process is respected until it expires", () => {
	const { ask, ours, theirs, expiresIn, pass } = scene();
	const id = ask();
	expect(theirs.take(id)).toEqual([id]);
	expect(expiresIn(id)).toBe(CLAIM_MS);
	pass(CLAIM_MS - 1);
	expect([ours.take(id), ours.size(), theirs.holds(id)]).toEqual([[], 0, true]);
	pass(1);
	expect([ours.take(id), ours.size(), ours.holds(id)]).toEqual([[id], 1, true]);
});

test("a claim of a dead process is free at once", () => {
	const { ask, ours, theirs } = scene();
	const [first, second] = [ask(), ask()];
	theirs.take(first, second);
	theirs.kill();
	expect([ours.take(first), ours.keep(first, second)]).toEqual([[first], [first, second]]);
	expect([ours.holds(first), ours.holds(second), ours.size()]).toEqual([true, true, 2]);
});

test("a claim is renewed once less than half of its time is left, and not before", () => {
	const { ask, ours, expiresIn, pass } = scene();
	const id = ask();
	ours.take(id);
	pass(CLAIM_MS / 2);
	expect([ours.keep(id), expiresIn(id)]).toEqual([[id], CLAIM_MS / 2]);
	pass(1);
	expect([ours.keep(id), expiresIn(id)]).toEqual([[id], CLAIM_MS]);
	pass(CLAIM_MS / 2);
	expect([ours.keep(id), expiresIn(id)]).toEqual([[id], CLAIM_MS / 2]);
});

test("what another process took while this one was suspended is dropped", () => {
	const { ask, ours, theirs, pass } = scene();
	const [lost, kept] = [ask(), ask()];
	ours.take(lost, kept);
	pass(CLAIM_MS);
	theirs.take(lost);
	expect([ours.keep(lost, kept), ours.size()]).toEqual([[kept], 1]);
	expect([theirs.holds(lost), ours.holds(kept)]).toEqual([true, true]);
});

test("what is not to be kept any longer is forgotten", () => {
	const { ask, ours } = scene();
	const [one, other] = [ask(), ask()];
	ours.take(one, other);
	expect([ours.keep(other), ours.size()]).toEqual([[other], 1]);
});

test("released claims are free for the other process, except those of another session", () => {
	const { ask, ours, theirs } = scene();
	const [here, elsewhere] = [ask(), ask("another")];
	ours.take(here, elsewhere);
	ours.giveBack("mine");
	expect(ours.size()).toBe(0);
	expect(theirs.take(here, elsewhere)).toEqual([here]);
});

test("a clock that is set back by an hour frees a claim only after its usual time has passed", () => {
	const { ask, ours, theirs, pass, setClockBack } = scene();
	const id = ask();
	theirs.take(id);
	setClockBack(HOUR_MS);
	expect(ours.take(id)).toEqual([]);
	pass(CLAIM_MS - 1);
	expect(ours.take(id)).toEqual([]);
	pass(1);
	expect([ours.take(id), ours.holds(id)]).toEqual([[id], true]);
});

test("a process that renews its claim after the clock was set back keeps it, however often that happens", () => {
	const { ask, ours, theirs, pass, setClockBack } = scene();
	const id = ask();
	theirs.take(id);
	setClockBack(HOUR_MS);
	for (let look = 0; look < 10; look++) {
		expect([theirs.keep(id), ours.take(id)]).toEqual([[id], []]);
		pass(CLAIM_MS / 3);
	}
	setClockBack(HOUR_MS);
	expect(ours.take(id)).toEqual([]);
});
