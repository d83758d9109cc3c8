import { expect, test } from "vitest";
import { amountOf } from "../../src/pi/view/stored.ts";
import { count, dollars, duration } from "../../src/run/amounts.ts";

test.each([
	[0, "0"],
	[999, "999"],
	[1_000, "1k"],
	[12_345, "12.3k"],
	[99_999, "100k"],
	[999_499, "999k"],
	[999_500, "1M"],
	[1_234_567, "1.2M"],
])("%d tokens are %s", (amount, text) => expect(count(amount)).toBe(text));

test.each([
	[-5, "0s"],
	[999, "0s"],
	[59_999, "59s"],
	[60_000, "1m00s"],
	[312_000, "5m12s"],
	[3_900_000, "1h05m"],
])("%d ms are %s", (ms, text) => expect(duration(ms)).toBe(text));

test.each([
	[0.00001, "<$0.0001"],
	[0.0005, "$0.0005"],
	[0.0213, "$0.021"],
	[0.125, "$0.13"],
	[12.3, "$12.30"],
])("%d dollars are %s", (amount, text) => expect(dollars(amount)).toBe(text));

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "3", null])("%s is no amount", (stored) => {
	expect(amountOf(stored)).toBeUndefined();
});
