import { expect, test } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import { Loop } from "../../src/ports/loop.ts";

/** A clock that stands still until it is told to continue. */
function handClock() {
	let now = 0;
	const timers = new Set<{ at: number; call: () => void }>();
	const clock: Clock = {
		now: () => now,
		elapsed: () => now,
		after(ms, call) {
			const timer = { at: now + Math.max(ms, 0), call };
			timers.add(timer);
			return () => timers.delete(timer);
		},
		sleep: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
	};
	return {
		clock,
		timers,
		/** What takes time inside a look. */
		spend: (ms: number) => {
			now += ms;
		},
		goOn(ms: number) {
			const until = now + ms;
			for (;;) {
				const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
				if (!next) break;
				timers.delete(next);
				now = Math.max(now, next.at);
				next.call();
			}
			now = until;
		},
	};
}

test("it looks again after as long as the look said, without a hint", () => {
	const { clock, goOn } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		looks++;
		return 100;
	});
	loop.lookNow();
	goOn(99);
	expect(looks).toBe(1);
	goOn(1);
	expect(looks).toBe(2);
	goOn(300);
	expect(looks).toBe(5);
});

test("hints that come together share one look, and the timer behind them starts again", () => {
	const { clock, goOn, timers } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		looks++;
		return 100;
	});
	loop.hint();
	loop.hint();
	goOn(0);
	expect(looks).toBe(1);
	goOn(50);
	loop.hint();
	goOn(99);
	expect(looks).toBe(2);
	expect(timers.size).toBe(1);
});

test("a hint during a look leads to another look", () => {
	const { clock, goOn } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		if (++looks === 1) loop.hint();
		return undefined;
	});
	loop.lookNow();
	goOn(0);
	expect(looks).toBe(2);
});

test.each([
	[10, "four times", 40],
	[5, "twice", 10],
	[2.5, "just", 2.5],
])("looks that take %d ms keep the next hint waiting %s as long, so that others get a turn", (took, _times, waits) => {
	const { clock, goOn, spend } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		looks++;
		spend(took);
		return undefined;
	});
	loop.lookNow();
	loop.lookNow();
	loop.hint();
	goOn(waits - 1);
	expect(looks).toBe(2);
	goOn(1);
	expect(looks).toBe(3);
});

test.each([
	["the first look, which compiles what it runs", [50, 1]],
	["one long look after short ones", [1, 1, 50, 1]],
])("%s keeps no hint waiting", (_what, durations) => {
	const { clock, goOn, spend } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		spend(durations[looks++] ?? 0);
		return undefined;
	});
	for (let time = 1; time < durations.length; time++) loop.lookNow();
	loop.hint();
	goOn(0);
	expect(looks).toBe(durations.length);
});

test("a look that was held up, by a lock or a suspension, delays others by a second at most", () => {
	const { clock, goOn, spend } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		looks++;
		spend(10_000);
		return 2000;
	});
	loop.lookNow();
	loop.lookNow();
	loop.hint();
	goOn(1000);
	expect(looks).toBe(3);
});

test("without anything to wait for it keeps no timer, and once it is over it never looks again", () => {
	const { clock, goOn, timers } = handClock();
	let looks = 0;
	const loop = new Loop(clock, () => {
		looks++;
		return undefined;
	});
	loop.hint();
	goOn(1000);
	expect([looks, timers.size]).toEqual([1, 0]);
	loop.hint();
	loop.end();
	loop.hint();
	goOn(1000);
	expect([looks, timers.size]).toEqual([1, 0]);
});
