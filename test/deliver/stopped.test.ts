import { beforeEach, describe, expect, test } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { isStoppedByUser, STOPPED_BY_USER, stoppedMessage, wholeStops } from "../../src/deliver/stopped.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { requestStops } from "../../src/ledger/progress.ts";
import type { EndedRecord } from "../../src/ledger/records.ts";
import type { ReportedChanges } from "../../src/run/changes.ts";
import type { RunId } from "../../src/run/ids.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import type { Redacted } from "../../src/run/redacted.ts";
import type { SandboxReport } from "../../src/run/sandbox-report.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { admission, outcomeOf, success, type Wish } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";
import { endedRecord } from "./ended-record.ts";
import { CHANGES } from "./reported-changes.ts";

const scratch = useScratch({ inMemory: true });
const redactor = createRedactor({ secrets: ["hunter2-hunter2"], homeDir: "/home/ada" });
let ledger: Ledger;
beforeEach(async () => {
	ledger = await scratch.ledger();
});

const STOPPED = outcomeOf(undefined, { kind: "stopped", by: "the user" });

const admit = (wish: Wish = {}): RunId => admitRun(ledger, admission({ mode: "background", ...wish })).run.id;

function askToStop(ids: RunId[], command?: string): void {
	requestStops(ledger, ids, { at: 1, by: "the user", ...(command !== undefined && { command }) });
}

const end = (id: RunId, outcome: Outcome = STOPPED): EndedRecord => endedRecord(ledger, id, outcome);

/** One that the user stopped, and how it ended. */
function stopped(wish: Wish = {}, outcome: Outcome = STOPPED): EndedRecord {
	const id = admit(wish);
	askToStop([id], "stop");
	return end(id, outcome);
}

const nameOf = ({ run, sessionId }: EndedRecord) => `(run ${run.id}, sessionKey agent:main:subagent:${sessionId})`;

describe("a run counts as stopped by the user", () => {
	test("if a command of the user stopped it", () => {
		expect(isStoppedByUser(stopped())).toBe(true);
	});

	test("not if it finished before the stop reached it", () => {
		expect(isStoppedByUser(stopped({}, success()))).toBe(false);
	});

	test("not if something else stopped it", () => {
		const id = admit();
		askToStop([id]);
		expect(isStoppedByUser(end(id))).toBe(false);
	});
});

describe("what one command stopped is told together", () => {
	const whole = (...records: EndedRecord[]) => [...wholeStops(ledger, "parent", records)];

	test("once the last of its runs has finished, however that one ended", () => {
		const [first, second, third] = [admit(), admit(), admit()];
		askToStop([first, second, third], "one");
		const [one, two] = [end(first), end(second)];
		expect(whole(one, two)).toEqual([]);
		end(third, success());
		expect(whole(one, two)).toEqual([first, second]);
	});

	test("without waiting for other commands, other sessions, or runs that continue", () => {
		const [mine, later, elsewhere] = [admit(), admit(), admit({ parentSession: "another" })];
		admit();
		askToStop([mine, elsewhere], "one");
		askToStop([later], "two");
		expect(whole(end(mine))).toEqual([mine]);
	});

	test("and what no command stopped is not among it", () => {
		const id = admit();
		askToStop([id]);
		expect(whole(end(id))).toEqual([]);
		expect(whole()).toEqual([]);
	});
});

describe("the message", () => {
	test("of one run names it, and tells the model what to do", () => {
		const record = stopped();
		expect(stoppedMessage([record], redactor)).toEqual({
			customType: STOPPED_BY_USER,
			content:
				`The user stopped 1 subagent run: scout ${nameOf(record)}. ` +
				"Do not start them again unless the user asks. sessions_history shows what a run had found.",
			display: true,
			details: {
				version: expect.any(Number),
				runs: [
					{
						...{ announceId: record.run.id, runId: record.run.id, agent: "scout", sessionId: record.sessionId },
						...{ sessionKey: `agent:main:subagent:${record.sessionId}`, usage: record.run.outcome.usage },
					},
				],
			},
		});
	});

	test("of several is one line", () => {
		const [one, other] = [stopped({ label: "the first" }), stopped()];
		const { content } = stoppedMessage([one, other], redactor);
		expect(content).toContain(`2 subagent runs: scout "the first" ${nameOf(one)}, scout ${nameOf(other)}. Do not`);
		expect(content).not.toContain("\n");
	});

	test.each([
		[10, 0],
		[11, 1],
		[25, 15],
	])("of %d runs names ten, and counts the other %d; programs get all", (count, others) => {
		const records = Array.from({ length: count }, () => stopped());
		const { content, details } = stoppedMessage(records, redactor);
		expect(content).toMatch(new RegExp(`^The user stopped ${count} subagent runs: `));
		expect(records.map((record) => content.includes(nameOf(record)))).toEqual(records.map((_, nth) => nth < 10));
		expect(/, (\d+) more \(see sessions_list\)\. /.exec(content)?.[1]).toBe(others === 0 ? undefined : String(others));
		expect(details.runs.map(({ runId }) => runId)).toEqual(records.map(({ run }) => run.id));
	});

	test("has a label in one line and redacted, since a model wrote it", () => {
		const { content } = stoppedMessage([stopped({ label: "with\nhunter2-hunter2\u001b[2K" })], redactor);
		expect(content).toMatch(/scout "with \[[^"\n]*" \(run /);
		expect(content).not.toContain("hunter2");
	});

	test("has a line for each thing that the requester should know of a run", () => {
		const facts = asItIs<Pick<Outcome, "warnings" | "changes">>({
			warnings: ["A message\nwas not read."],
			changes: CHANGES,
		});
		const [quiet, noted] = [stopped(), stopped({ isolation: "worktree" }, { ...STOPPED, ...facts })];
		const { content, details } = stoppedMessage([quiet, noted], redactor);
		const [, ...notes] = content.split("\n");
		expect(notes).toEqual([
			`Run ${noted.run.id}: A message was not read.`,
			expect.stringMatching(`^Run ${noted.run.id}: It changed 1 file .*/subagents apply ${noted.run.id}`),
		]);
		expect(details.runs[0]).not.toHaveProperty("notes");
		expect(details.runs[1]?.notes).toHaveLength(2);
		expect(content).not.toContain("a.ts");
	});

	test("does not say of a run that was stopped that it changed nothing", () => {
		const changes = asItIs<ReportedChanges<Redacted>>({ ...CHANGES, commit: null, files: [] });
		const { content } = stoppedMessage([stopped({ isolation: "worktree" }, { ...STOPPED, changes })], redactor);
		expect(content).not.toContain("changed nothing");
	});

	test("tells programs what a run changed, and what confined it", () => {
		const sandbox = asItIs<SandboxReport<Redacted>>({ enforced: "kernel", write: "worktree", network: "off" });
		const changes = asItIs<ReportedChanges<Redacted>>(CHANGES);
		const { details } = stoppedMessage([stopped(), stopped({}, { ...STOPPED, changes, sandbox })], redactor);
		expect(details.runs[0]).not.toHaveProperty("changes");
		expect(details.runs[0]).not.toHaveProperty("sandbox");
		expect(details.runs[1]).toMatchObject({ changes, sandbox });
	});

	test("tells programs which model answered, and the route that they gave the run", () => {
		const record = stopped({}, { ...STOPPED, model: asItIs<Redacted>("test/answered") });
		const routed = { ...record, plan: { ...record.plan, route: { chat: 7 } } };
		const { details } = stoppedMessage([routed], redactor);
		expect(details.runs).toMatchObject([{ model: "test/answered", route: { chat: 7 } }]);
	});
});
