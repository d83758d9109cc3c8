import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { endedLines } from "../../src/pi/commands/ended-lines.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { endedRecord } from "../deliver/ended-record.ts";
import { CHANGES } from "../deliver/reported-changes.ts";
import { asItIs, NO_REDACTOR } from "../helpers/as-it-is.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

async function printed(outcome: Outcome, changes: typeof CHANGES | undefined) {
	const ledger = await scratch.ledger();
	const { run } = admitRun(ledger, admission({ mode: "background" }));
	const changed = asItIs<Outcome>({ ...outcome, ...(changes && { changes }) } as never);
	const record = endedRecord(ledger, run.id, changed);
	return { id: run.id, lines: endedLines(record, { redactor: NO_REDACTOR, width: 80 }) };
}

test("the printed report of a success says what it changed, and that it is not applied", async () => {
	const { id, lines } = await printed(success("All done."), CHANGES);
	expect(lines).toEqual([
		`scout, run ${id}: finished 0s`,
		`It changed 1 file +2 -1. Not in your working tree yet: pi-geon diff ${id} shows it, pi-geon apply ${id} applies it.`,
		"",
		"All done.",
	]);
});

test("so does that of a failure", async () => {
	const { id, lines } = await printed(outcomeOf(undefined, { kind: "lost", message: "Gone." }), CHANGES);
	expect(lines).toEqual({
		problem: expect.stringContaining(
			`It changed 1 file +2 -1. Not in your working tree yet: pi-geon diff ${id} shows it, pi-geon apply ${id} applies it.`,
		),
	});
});

test("both say what the run lacked, and whether the kernel enforced its limits", async () => {
	const sandbox = { enforced: "policy", why: "No bubblewrap.", write: "none", network: "off" } as const;
	const warnings = ["bash was left out."];
	const held = "writes nothing, network off; the kernel enforces none of it: No bubblewrap.";
	const facts = asItIs<Pick<Outcome, "sandbox" | "warnings">>({ sandbox, warnings });
	const done = await printed({ ...success("All done."), ...facts }, undefined);
	expect(done.lines).toEqual([
		`scout, run ${done.id}: finished 0s`,
		`Sandbox: ${held}`,
		"Warning: bash was left out.",
		"",
		"All done.",
	]);
	const failure = await printed({ ...outcomeOf(undefined, { kind: "lost", message: "Gone." }), ...facts }, undefined);
	expect(failure.lines).toEqual({
		problem: expect.stringMatching(
			/lost 0s\. .* Sandbox: writes nothing, .*No bubblewrap\. Warning: bash was left out\.$/,
		),
	});
});

test.each([undefined, { ...CHANGES, commit: null, files: [], total: { files: 0, added: 0, removed: 0 } }])(
	"there is no such line where nothing was changed",
	async (changes) => {
		const { id, lines } = await printed(success("All done."), changes);
		expect(lines).toEqual([`scout, run ${id}: finished 0s`, "", "All done."]);
	},
);
