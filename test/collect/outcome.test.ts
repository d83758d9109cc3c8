import { expect, test } from "vitest";
import { outcomeWithoutHost } from "../../src/collect/outcome.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { newRunId } from "../../src/run/ids.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { asItIs } from "../helpers/as-it-is.ts";

const { redact } = createRedactor({ secrets: ["s3cret-value"], homeDir: "/home/ada" });

test("an outcome that is written without a host is redacted, but for what its host redacted before", () => {
	const redacted: string[] = [];
	const outcome = outcomeWithoutHost(
		{
			usage: NO_USAGE,
			partial: asItIs<Redacted>("So far."),
			run: { id: newRunId(), attempt: 1 },
			plan: { warnings: ["/home/ada/a.md has s3cret-value in it."] },
		},
		{ kind: "crashed", message: "s3cret-value is not a port" },
		(text) => {
			redacted.push(text);
			return redact(text);
		},
	);
	expect(JSON.stringify(outcome)).not.toMatch(/s3cret-value|\/home\/ada/);
	expect(outcome).toMatchObject({ status: "error", output: "So far.", error: { reason: "runtime" } });
	expect(redacted).not.toContain("So far.");
});

test("an idle limit is named without a file, since the agent's or the configuration's may be the one that held", () => {
	const record = { usage: NO_USAGE, run: { id: newRunId(), attempt: 1 }, plan: { warnings: [] } };
	const outcome = outcomeWithoutHost(record, { kind: "timeout", limit: "idle", afterMs: 1000 }, redact);
	expect(outcome).toMatchObject({ error: { message: "It was silent for 1 s (idleTimeoutMs)." } });
});

test.each(["it never called the tool", "`result` is too long. Make it shorter."])(
	"the message about a missing answer ends with one full stop: %s",
	(problem) => {
		const record = { usage: NO_USAGE, run: { id: newRunId(), attempt: 1 }, plan: { warnings: [] } };
		const { status, ...outcome } = outcomeWithoutHost(record, { kind: "not_finalized", problem }, redact);
		expect(status).toBe("error");
		expect(outcome).toMatchObject({ error: { message: expect.stringMatching(/[^.]\.$/) } });
	},
);
