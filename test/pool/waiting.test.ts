import { expect, test } from "vitest";
import { waitingProgress } from "../../src/pool/courier/waiting.ts";
import { newRunId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";

test("a run without a worker says which pool it waits for, since when, and how to stop it", () => {
	const runId = newRunId();
	const since = new Date(2026, 10, 18, 9, 5, 7).getTime();
	const { displayItems } = waitingProgress({ runId, pool: "team", since, usage: NO_USAGE });
	const text = `Waiting for a worker of pool team since 09:05:07. \`/subagents stop ${runId}\` ends it.`;
	expect(displayItems).toEqual([{ type: "text", text }]);
});
