import { expect, test } from "vitest";
import { newRunId } from "../../src/run/ids.ts";
import { joined, ours, type Redacted, reshaped } from "../../src/run/redacted.ts";

const redacted = ours`explorer`;

test("what we write is put together from constants, redacted texts, numbers and ids", () => {
	const id = newRunId();
	expect(ours`Run ${id} of ${redacted} had ${2} turns\n.`).toBe(`Run ${id} of explorer had 2 turns\n.`);
	expect(joined([redacted, reshaped(redacted, (text) => text.slice(0, 3))], ", ")).toBe("explorer, exp");
});

test("the compiler refuses a text of others", () => {
	const others: string = "from a child";
	const show = (text: Redacted): string => text;
	// @ts-expect-error: nobody has redacted it.
	show(others);
	// @ts-expect-error: nor is it ours because we quote it.
	show(ours`It said ${others}`);
	// @ts-expect-error: a text made of a redacted one need not be redacted.
	show(`${redacted} ${others}`);
	expect(show(redacted)).toBe("explorer");
});
