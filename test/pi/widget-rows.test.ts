import { stripVTControlCharacters } from "node:util";
import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Component, TUI } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { openRunsOf } from "../../src/ledger/open-runs.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { askQuestion, endQuestion } from "../../src/ledger/questions.ts";
import type { SessionServices } from "../../src/pi/session-services.ts";
import { Widget } from "../../src/pi/widget.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { LiveRuns } from "../../src/supervise/live-runs.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { admission, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";
import { theme } from "./row.ts";

const scratch = useScratch();

test("the widget says how runs stand in the words of the lists", async () => {
	const ledger = await scratch.ledger();
	const hostId = readyHost(ledger, { profile: "p" });
	for (const label of ["fails", "thinks"]) admitRun(ledger, admission({ mode: "background", label }));
	const [failing] = claimRuns(ledger, { hostId, profile: { digest: "p" }, at: 1, leaseMs: 1000, atMost: 2 });
	for (const label of ["waits", "comes last"]) admitRun(ledger, admission({ mode: "background", label }));

	let shown: Component | undefined;
	const tui = { requestRender() {}, terminal: { rows: 40 } } as unknown as TUI;
	const setWidget = (_key: string, make?: (tui: TUI, theme: Theme) => Component) => {
		shown = make?.(tui, theme);
	};
	const redactor = createRedactor({ secrets: [], homeDir: "/home/ali" });
	const use = (_ctx: unknown, work: (available: object) => unknown) => work({ ledger, redactor });
	const live = new LiveRuns();
	const widget = new Widget({
		ctx: { ui: { setWidget } } as unknown as ExtensionContext,
		services: { use } as unknown as SessionServices,
		live,
		hint: "",
	});
	const lines = () => shown?.render(80).map((line) => stripVTControlCharacters(line)) ?? [];

	live.observe(openRunsOf(ledger, "parent", 0));
	// Nothing was heard of them yet.
	await expect
		.poll(lines)
		.toEqual([
			expect.stringMatching(/● scout fails +› running/),
			expect.stringMatching(/● scout thinks +› running/),
			expect.stringMatching(/○ scout waits +› queued · next/),
			expect.stringMatching(/○ scout comes last › queued · 1 ahead/),
			expect.stringContaining("2 running · 2 queued"),
		]);
	const { run } = failing ?? expect.fail("nothing was claimed");
	const question = asItIs<ChildQuestion>({ question: "Which database?" });
	const seq = askQuestion(ledger, run.id, { question, fence: run.fence, at: 1 }) ?? expect.fail("not asked");
	widget.changed();
	await expect
		.poll(lines)
		.toEqual([
			expect.stringMatching(/\? scout fails +› asks you: Which database\?/),
			expect.stringMatching(/● scout thinks +› running/),
			expect.stringMatching(/○ scout waits +› queued · next/),
			expect.stringMatching(/○ scout comes last › queued · 1 ahead/),
			expect.stringContaining("1 running · 1 asking you · 2 queued"),
		]);
	endQuestion(ledger, seq, { end: { answered: true, answer: "SQLite" }, at: 1 });
	widget.changed();
	await expect.poll(lines).toContainEqual(expect.stringMatching(/● scout fails +› running/));
	const { finalized: _, ...evidence } = success();
	const error = { code: "SUBAGENT_FAILED", message: "I cannot.", reason: "reported_error" } as const;
	const outcome = asItIs<Outcome>({ ...evidence, status: "error", cause: "reported_error", exitCode: 1, error });
	endRun(ledger, { id: run.id, fence: run.fence, outcome, at: 2 });
	live.observe(openRunsOf(ledger, "parent", 0));
	await expect.poll(lines).toContainEqual(expect.stringMatching(/✗ scout fails +› failed/));
	widget.dispose();
	expect(shown).toBeUndefined();
});
