import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { excerpt, headOfText } from "../../src/operate/excerpt.ts";
import type { ChildMessage } from "../../src/operate/messages.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { asItIs } from "../helpers/as-it-is.ts";

const redactor = createRedactor({ secrets: ["open sesame"], homeDir: "/home/ali" });
const said = (text: string): ChildMessage<string> => ({ role: "assistant", text, at: "2026-01-01T00:00:00.000Z" });

test("the latest messages are kept, as many as fit", () => {
	const all = Array.from({ length: 10 }, (_, index) => said(`${index} ${"x".repeat(1000)}`));
	const few = excerpt(all, { messages: 3, chars: 2000, bytes: 100_000 }, redactor);
	expect(few.messages.map(({ text }) => text[0])).toEqual(["7", "8", "9"]);
	expect(few).toMatchObject({ earlier: 7, shortened: 0 });
	const small = excerpt(all, { messages: 10, chars: 500, bytes: 2600 }, redactor);
	expect(small.messages.map(({ text }) => text[0])).toEqual(["6", "7", "8", "9"]);
	expect(small).toMatchObject({ earlier: 6, shortened: 4 });
});

test("a secret at the cut is gone as a whole", () => {
	const { messages } = excerpt([said(`It is open sesame.`)], { messages: 1, chars: 12, bytes: 1000 }, redactor);
	expect(messages[0]?.text).not.toContain("open");
});

test("a text is not cut inside a character", () => {
	expect(headOfText(asItIs<Redacted>("ab😀cd"), 3)).toBe("ab… (4 more characters)");
	expect(headOfText(asItIs<Redacted>("abc"), 3)).toBe("abc");
});
