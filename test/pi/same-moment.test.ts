import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { SameMoment } from "../../src/pi/same-moment.ts";

test("a value is computed once for all callers in the same moment, and again in the next", async () => {
	const values = new SameMoment<number>();
	let made = 0;
	const next = () => ++made;
	expect([values.of("a", next), values.of("a", next), values.of("b", next)]).toEqual([1, 1, 2]);
	await Promise.resolve();
	expect(values.of("a", next)).toBe(1);
	await setImmediate();
	expect(values.of("a", next)).toBe(3);
});
