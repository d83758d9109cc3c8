import { afterEach, expect, test, vi } from "vitest";
import { Turns } from "../../src/child/turns.ts";

afterEach(() => {
	vi.useRealTimers();
});

/** Work that ends when it is told to, and says when it began. */
function work(began: string[], name: string) {
	const { promise, resolve } = Promise.withResolvers<string>();
	const run = () => {
		began.push(name);
		return promise;
	};
	return { run, end: () => resolve(name) };
}

test("a few have their turn at the same time, the others in the order in which they came", async () => {
	const turns = new Turns(2, 60_000);
	const began: string[] = [];
	const all = ["a", "b", "c", "d"].map((name) => work(began, name));
	const answers = all.map(({ run }) => turns.take(run));
	expect(began).toEqual(["a", "b"]);
	all[1]?.end();
	await expect.poll(() => began).toEqual(["a", "b", "c"]);
	for (const { end } of all) end();
	expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d"]);
	expect(began).toEqual(["a", "b", "c", "d"]);
});

test("one that fails gives its turn back, and one that hangs loses it", async () => {
	vi.useFakeTimers();
	const turns = new Turns(1, 1000);
	await expect(turns.take(() => Promise.reject(new Error("No.")))).rejects.toThrow("No.");
	const began: string[] = [];
	const hanging = work(began, "hanging");
	const next = work(began, "next");
	const answers = [turns.take(hanging.run), turns.take(next.run)];
	await vi.advanceTimersByTimeAsync(999);
	expect(began).toEqual(["hanging"]);
	await vi.advanceTimersByTimeAsync(2);
	expect(began).toEqual(["hanging", "next"]);
	// It ends after all: the turn that it lost is not given away a second time.
	hanging.end();
	next.end();
	expect(await Promise.all(answers)).toEqual(["hanging", "next"]);
	const [third, fourth] = [work(began, "third"), work(began, "fourth")];
	void turns.take(third.run);
	void turns.take(fourth.run);
	expect(began).toEqual(["hanging", "next", "third"]);
});
