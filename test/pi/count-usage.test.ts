import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { countUsage, countUsageOf } from "../../src/pi/count-usage.ts";
import type { SilentRun } from "../../src/ports/conversation.ts";
import type { RunId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";

const usage = { ...NO_USAGE, input: 100, output: 20, cost: 0.5, turns: 2 };
const run: SilentRun = { runId: "1a2b3c4d" as RunId, model: "anthropic/claude/haiku", usage };

const contextOf = (sessionManager: object) =>
	({ sessionManager, ui: { setStatus() {} } }) as unknown as ExtensionContext;

const counted = (session: SessionManager) =>
	session.getEntries().flatMap((entry) => (entry.type === "usage" ? [entry] : []));

test("the cost of a silent run is added to pi's totals, once", () => {
	const session = SessionManager.inMemory("/repo");
	countUsageOf(contextOf(session), run);
	countUsageOf(contextOf(session), run);
	countUsage(contextOf(session));
	expect(counted(session)).toMatchObject([
		{ provider: "anthropic", model: "claude/haiku", note: run.runId, usage: { input: 100, cost: { total: 0.5 } } },
	]);
});

test("an announced run is not counted again as a silent one", () => {
	const session = SessionManager.inMemory("/repo");
	session.appendCustomMessageEntry("pi-geon:announce", "…", true, { version: 1, announceId: run.runId, ...run });
	countUsage(contextOf(session));
	countUsageOf(contextOf(session), run);
	expect(counted(session)).toHaveLength(1);
});

test("a run that cost nothing leaves no entry", () => {
	const session = SessionManager.inMemory("/repo");
	countUsageOf(contextOf(session), { ...run, usage: NO_USAGE });
	expect(counted(session)).toEqual([]);
});

test("a pi that cannot add to its totals is left alone", () => {
	expect(() => countUsageOf(contextOf({ getEntries: () => [] }), run)).not.toThrow();
});
