import { expect, test } from "vitest";
import { resultCheck } from "../../src/child/result-check.ts";

// It takes some of the ten seconds that a check may take, so nothing else runs meanwhile.
test("the longest result that a child can write, in its costliest form, is checked like any other", async () => {
	// Three characters of text are some sixty bytes of memory.
	const result = `[${"{},".repeat(2_790_000)}1]`;
	const check = resultCheck({ maxItems: 1 }, new AbortController().signal);
	expect(await check(result)).toEqual({ wrong: expect.stringContaining("must not have more than 1 items") });
	expect(await check(`"${"x".repeat(8 * 1024 * 1024)}"`)).toEqual({ wrong: expect.stringContaining("too long") });
});
