import { describe, expect, test, vi } from "vitest";
import { Asks, type Watcher } from "../../src/host/asks.ts";
import { systemClock } from "../../src/ports/clock.ts";
import type { FromHost, Question } from "../../src/processes/protocol.ts";
import { newRunId } from "../../src/run/ids.ts";
import { asItIs } from "../helpers/as-it-is.ts";

const question: Question = asItIs<Question>({ kind: "confirm", title: "Now?", message: "" });
const runId = newRunId();

class Parent implements Watcher {
	readonly heard: FromHost[] = [];
	readonly #asks: Asks;
	constructor(asks: Asks) {
		this.#asks = asks;
	}
	tell(message: FromHost): void {
		this.heard.push(message);
	}
	get types(): string[] {
		return this.heard.map(({ type }) => type);
	}
	get #askId(): number {
		return this.heard.flatMap((message) => (message.type === "ask" ? [message.askId] : [])).at(-1) ?? 0;
	}
	answer(answer: boolean): void {
		this.#asks.answered(this, this.#askId, answer);
	}
	pass(): void {
		this.#asks.passed(this, this.#askId);
	}
}

function scene(count: number, { patienceMs = 0 } = {}) {
	const asks = new Asks(systemClock);
	const parents = Array.from({ length: count }, () => new Parent(asks));
	const withdrawal = new AbortController();
	const answer = asks.ask(runId, question, { watchers: parents, patienceMs, signal: withdrawal.signal });
	return { asks, parents, answer, withdrawal };
}

describe("a question", () => {
	test("the first answer counts, and the others are told to close their dialogs", async () => {
		const { parents, answer } = scene(3);
		parents[1]?.answer(true);
		expect(await answer).toBe(true);
		parents[0]?.answer(false);
		expect(parents.map(({ types }) => types)).toEqual([["ask", "withdrawn"], ["ask"], ["ask", "withdrawn"]]);
	});

	test("a parent that starts to watch the run just as the answer comes is not asked", async () => {
		const { asks, parents, answer } = scene(1);
		parents[0]?.answer(true);
		for (const parent of parents) asks.joined(parent, runId);
		expect(await answer).toBe(true);
		expect(parents.map(({ types }) => types)).toEqual([["ask"]]);
	});

	test("a watcher without a user does not decline for one that has a user", async () => {
		const { parents, answer } = scene(2);
		parents[0]?.pass();
		parents[1]?.answer(true);
		expect(await answer).toBe(true);
	});

	test("with all of them passed or gone it is declined", async () => {
		const { asks, parents, answer } = scene(2, { patienceMs: 60_000 });
		parents[0]?.pass();
		if (parents[1]) asks.left(parents[1]);
		expect(await answer).toBeUndefined();
	});

	test("an answer of a watcher that was not asked does not count", async () => {
		const { asks, parents, answer } = scene(1);
		const stranger = new Parent(asks);
		asks.answered(stranger, 1, true);
		parents[0]?.answer(false);
		expect(await answer).toBe(false);
	});

	test("withdrawn, it is declined and its dialogs are closed", async () => {
		const { parents, answer, withdrawal } = scene(1);
		withdrawal.abort();
		expect(await answer).toBeUndefined();
		expect(parents[0]?.types).toEqual(["ask", "withdrawn"]);
	});

	test("without a user it is declined at once, and waits only where one may be about to come", async () => {
		expect(await scene(0).answer).toBeUndefined();
		const { asks, answer } = scene(0, { patienceMs: 60_000 });
		const late = new Parent(asks);
		asks.joined(late, runId);
		late.answer(true);
		expect(await answer).toBe(true);
	});

	test("no user came in time", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		try {
			const { answer } = scene(0, { patienceMs: 2_000 });
			await vi.advanceTimersByTimeAsync(2_000);
			expect(await answer).toBeUndefined();
		} finally {
			vi.useRealTimers();
		}
	});

	test("who watches another run is not asked", () => {
		const { asks } = scene(1);
		const other = new Parent(asks);
		asks.joined(other, newRunId());
		expect(other.heard).toEqual([]);
	});
});
