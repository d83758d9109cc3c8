import { expect, test } from "vitest";
import type { AgentDefinition } from "../../src/agents/definition.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { endRun } from "../../src/ledger/progress.ts";
import type { RunMode, RunRecord } from "../../src/ledger/records.ts";
import { continueSession } from "../../src/operate/continue.ts";
import type { LaunchPlan } from "../../src/plan/plan.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { agentOf, configOf, planned } from "../plan/launching.ts";

const scratch = useScratch();

interface Case {
	plan: LaunchPlan;
	mode?: RunMode;
	/** As they are when the message comes. */
	agent: AgentDefinition;
	overriddenBy?: AgentDefinition;
	config?: object;
}

/** A message from a shell to a run that has ended. */
async function continued({ plan, mode = "foreground", agent, overriddenBy, config = {} }: Case) {
	const ledger = await scratch.ledger();
	const record: RunRecord = admitRun(ledger, { ...admission({ mode }), plan });
	endRun(ledger, { id: record.run.id, fence: 0, outcome: success(), at: 5 });
	const agents = [overriddenBy ?? agent];
	return continueSession(
		record,
		{ message: "And then?" },
		{
			ledger,
			config: configOf(config),
			catalog: { agents, overridden: overriddenBy ? [agent] : [], unusable: [], diagnostics: [] },
			agentDir: "/agent",
			isTrusted: () => true,
			consent: () => "not_asked",
		},
	);
}

async function planOf(wish: Case): Promise<LaunchPlan> {
	const answer = await continued(wish);
	if (!("how" in answer)) throw new Error(`It was refused: ${answer.error}`);
	expect(answer.record.mode).toBe("background");
	return answer.record.plan;
}

const LINES = "tools: read, grep, nowhere\nmodel: gone";

test("a run that continues a session says what it goes without, as the one before", async () => {
	const plan = await planned({ agent: LINES });
	expect(plan.warnings).toHaveLength(2);
	const next = await planOf({
		plan,
		agent: agentOf(LINES),
		config: { tools: { subagents: { tools: { deny: ["grep"] } } } },
	});
	expect(next.warnings).toEqual([...plan.warnings, expect.stringMatching(/^grep was left out: .*deny/)]);
	expect(next.tools).toEqual(["read"]);
});

test("only the run that meets another definition of its agent says that it has changed", async () => {
	const plan = await planned({
		agent: "tools: read",
		request: { sessionId: "0f1e2d3c-4b5a-4697-8877-665544332211" },
		session: {
			...{ agent: "custom", cwd: "/project", file: "/sessions/s.jsonl", definition: "another", principal: "main" },
			...{ everStarted: true, isThere: true },
		},
	});
	expect(plan.warnings).toEqual([expect.stringContaining("has changed since")]);
	expect((await planOf({ plan, agent: agentOf("tools: read") })).warnings).toEqual([]);
});

test("the child is told the tools that it has now, and that it may keep silent, once", async () => {
	const plan = await planned({ agent: "tools: read, grep" });
	expect(plan.prompt).not.toContain("ANNOUNCE_SKIP");
	const config = { tools: { subagents: { tools: { deny: ["grep"] } } } };
	const next = await planOf({ plan, agent: agentOf("tools: read, grep"), config });
	expect(next.prompt).toContain("- Your tools: read. There are no others.\n");
	expect(next.prompt).not.toContain("read, grep");
	expect(next.prompt.match(/ANNOUNCE_SKIP/g)).toHaveLength(1);
	const third = await planOf({ plan: next, mode: "background", agent: agentOf("tools: read, grep"), config });
	expect(third.prompt).toBe(next.prompt);
});

test("its time is that of a background run: what the agent, the request and the configuration say now", async () => {
	const agent = agentOf("tools: read");
	const waited = await planned({ agent: "tools: read" });
	expect(waited.limits.timeoutMs).toBe(900_000);
	expect((await planOf({ plan: waited, agent })).limits.timeoutMs).toBe(3_600_000);
	// A plan of a release that did not record it.
	const { backgroundTimeoutMs: _, ...old } = waited;
	expect((await planOf({ plan: old, agent })).limits.timeoutMs).toBe(3_600_000);
	const lower = { agents: { defaults: { subagents: { maxRunSeconds: 60 } } } };
	expect((await planOf({ plan: waited, agent, config: lower })).limits.timeoutMs).toBe(60_000);
	const spawned = await planned({ agent: "tools: read", request: { background: true, runTimeoutSeconds: 120 } });
	expect((await planOf({ plan: spawned, mode: "background", agent })).limits.timeoutMs).toBe(120_000);
});

test("an agent whose file has switched it off since gets no message, and another file of its name changes nothing", async () => {
	const plan = await planned({ agent: "tools: read" });
	const off = agentOf("tools: read\nenabled: false");
	expect(await continued({ plan, agent: off })).toEqual({
		status: "forbidden",
		error: expect.stringMatching(/^custom is switched off \(.*enabled.*\)\.$/),
	});
	const elsewhere = { ...off, file: "/project/.pi/agents/custom.md", source: "project" as const };
	expect(await continued({ plan, agent: agentOf("tools: read"), overriddenBy: elsewhere })).toMatchObject({
		how: "resumed",
	});
});
