import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { adoptRun } from "../../src/ledger/adopt.ts";
import { archiveDueSessions } from "../../src/ledger/archive.ts";
import { attemptsOf } from "../../src/ledger/attempts.ts";
import { beginChange, changeEvents, changesStateOf, findChanges } from "../../src/ledger/changes.ts";
import { queuePositions } from "../../src/ledger/claim.ts";
import { owedTo, returnDeliveries, takeDeliveries } from "../../src/ledger/deliveries.ts";
import {
	findHost,
	findOrReserveHost,
	hostGone,
	hostLeft,
	leaveIfIdle,
	listHosts,
	renewLeases,
} from "../../src/ledger/hosts.ts";
import { messageTaken, sendToRun, waitingMessages } from "../../src/ledger/inbox.ts";
import { Ledger } from "../../src/ledger/ledger.ts";
import { openQuestionOf, openQuestionsOf, openQuestionsOfRun } from "../../src/ledger/open-questions.ts";
import { openRunsOf } from "../../src/ledger/open-runs.ts";
import { beginAttempt, endRun, heldRuns, recordHop, recordTurn, requestStop } from "../../src/ledger/progress.ts";
import {
	askQuestion,
	declineUnseen,
	findQuestion,
	questionTaken,
	returnQuestions,
	takeQuestions,
	untakenQuestion,
} from "../../src/ledger/questions.ts";
import { dataVersion, runMarkOf, runMarks } from "../../src/ledger/run-marks.ts";
import { waitsForSession } from "../../src/ledger/sessions.ts";
import { type Database, openDatabase } from "../../src/ledger/sqlite.ts";
import { takeStopHooks } from "../../src/ledger/stop-hooks.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { reserveTree, treesLeft } from "../../src/ledger/trees.ts";
import type { ChildQuestion } from "../../src/run/question.ts";
import { asItIs } from "../helpers/as-it-is.ts";
import { claimNext, settleDelivery } from "./one-run.ts";
import { admission, outcomeOf, success } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

/** Indexes of the few rows that are open; to read one from end to end costs nothing that grows with the past. */
const OF_WHAT_IS_OPEN = [
	"runs_open_profiles",
	"runs_queued",
	"runs_over",
	"runs_running",
	"runs_at_work",
	"runs_open",
	"runs_owed",
	"hosts_live",
	"runs_stop_hook",
	"questions_open",
	"trees_left",
	"changes_held",
];

interface Step {
	sql: string;
	detail: string;
}

/** Does some work on a ledger with a past, and answers how SQLite went about every statement of it. */
async function stepsOf(work: (ledger: Ledger, open: Open) => unknown): Promise<Step[]> {
	const { file } = await scratch.ledger();
	const database = await openDatabase(file);
	const statements = new Set<string>();
	const recording: Database = {
		exec: (sql) => database.exec(sql),
		prepare(sql) {
			statements.add(sql);
			return database.prepare(sql);
		},
		close: () => database.close(),
	};
	try {
		const open = prepare(new Ledger(file, database));
		work(new Ledger(file, recording), open);
		return [...statements].flatMap((sql) => planOf(database, sql).map((detail) => ({ sql, detail })));
	} finally {
		database.close();
	}
}

const planOf = (database: Database, sql: string): string[] =>
	(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail);

type Open = ReturnType<typeof prepare>;

/** One run of each kind. The planner has no statistics, so that more of them would not change its mind. */
function prepare(ledger: Ledger) {
	const host = readyHost(ledger, { profile: "p", leaseUntil: 100 });
	const [ended, running, queued] = [1, 2, 3].map(() => admitRun(ledger, admission()).run.id);
	if (!ended || !running || !queued) throw new Error("Not admitted.");
	endRun(ledger, { id: ended, fence: 0, outcome: success(), at: 1 });
	claimNext(ledger, { hostId: host, profile: "p", at: 0, leaseMs: 100 });
	return { host, ended, running, queued };
}

/** A scan of a table, or of an index that the past is in too. What is named in lower case and has no index is a CTE. */
function scansOfEverything(steps: Step[]): Step[] {
	return steps.filter(({ detail }) => {
		const scan = /^SCAN (\S+)(?: USING (?:COVERING )?INDEX (\S+))?/.exec(detail);
		// Of a subquery's own rows: those that it found were found by its own steps.
		if (!scan || detail.startsWith("SCAN CONSTANT ROW") || detail.startsWith("SCAN (subquery")) return false;
		return !OF_WHAT_IS_OPEN.includes(scan[2] ?? "");
	});
}

const claim = (ledger: Ledger, { host }: Open) =>
	claimNext(ledger, { hostId: host, profile: "p", at: 1, leaseMs: 1 }) ?? expect.fail("Nothing was claimed.");

describe("no work on the ledger reads through the past", () => {
	const jobs: Record<string, (ledger: Ledger, open: Open) => unknown> = {
		admitRun: (ledger) => admitRun(ledger, admission()),
		claimNext: claim,
		queuePositions: (ledger) => queuePositions(ledger),
		"sweep with nothing to do": (ledger) => sweep(ledger, { at: 0, outcomeOf }),
		"sweep with something to do": (ledger, { queued }) => {
			requestStop(ledger, queued, { at: 1, by: "the test" });
			const { requeued, ended } = sweep(ledger, { at: 1000, outcomeOf });
			expect([requeued.length, ended.length]).toEqual([1, 1]);
		},
		findOrReserveHost: (ledger) =>
			findOrReserveHost(ledger, { profile: { digest: "q" }, at: 1, startWithinMs: 1, socketOf: (id) => id }),
		findHost: (ledger, { host }) => findHost(ledger, host),
		listHosts: (ledger) => listHosts(ledger),
		renewLeases: (ledger, { host }) => renewLeases(ledger, host, 1000),
		leaveIfIdle: (ledger, { host }) => leaveIfIdle(ledger, host),
		hostGone: (ledger, { host }) => hostGone(ledger, host, 1),
		hostLeft: (ledger, { host }) => hostLeft(ledger, host, 1),
		beginAttempt: (ledger, { running }) => beginAttempt(ledger, running, { fence: 1, at: 2 }),
		recordHop: (ledger, { running }) =>
			recordHop(ledger, running, { fence: 1, at: 2, hop: { from: "test/a", to: "test/b", why: 429 } }),
		"stop hooks, of which none is owed": (ledger) => takeStopHooks(ledger, 4),
		attemptsOf: (ledger, { running }) => attemptsOf(ledger, running),
		heldRuns: (ledger, { host }) => heldRuns(ledger, host),
		recordTurn: (ledger, { running }) =>
			recordTurn(ledger, running, 1, { usage: success().usage, model: "test/model" }),
		endRun: (ledger, { running }) => endRun(ledger, { id: running, fence: 1, outcome: success(), at: 2 }),
		waitsForSession: (ledger, { queued }) => waitsForSession(ledger, queued),
		owedTo: (ledger) => owedTo(ledger, "parent", { at: 0 }),
		settleDelivery: (ledger, { ended }) => settleDelivery(ledger, ended, 3),
		adoptRun: (ledger, { queued }) => adoptRun(ledger, { id: queued, from: { digest: "p" }, to: "q", at: 1000 }),
		"archive with nothing to do": (ledger) => archiveDueSessions(ledger, 3),
		"archive with something to do": (ledger, { ended }) => {
			settleDelivery(ledger, ended, 3);
			ledger.run("UPDATE runs SET archive_at = 4 WHERE id = ?", ended);
			expect(archiveDueSessions(ledger, 5).archived).toHaveLength(1);
		},
		inbox: (ledger, { running }) => {
			sendToRun(ledger, running, { body: "hello", at: 1 });
			for (const { seq } of waitingMessages(ledger, running)) messageTaken(ledger, { seq, fence: 1, at: 2 });
		},
		questions: (ledger, { running }) => {
			const question = asItIs<ChildQuestion>({ question: "Which?" });
			const seq = askQuestion(ledger, running, { question, fence: 1, at: 1 }) ?? 0;
			expect(openQuestionsOf(ledger, "parent")).toEqual([seq]);
			openQuestionOf(ledger, running);
			untakenQuestion(ledger, running);
			takeQuestions(ledger, [seq], { name: "the test", at: 1, forMs: 1 });
			returnQuestions(ledger, "the test", "parent");
			const shower = findQuestion(ledger, seq)?.shower;
			declineUnseen(ledger, { seq, shower }, { end: { answered: false, declined: "time" }, fence: 1, at: 2 });
			questionTaken(ledger, seq, { fence: 1, at: 3 });
		},
		"trees and changes": (ledger, { running }) => {
			reserveTree(ledger, { runId: running, folder: "/t/a", otherwise: "/t/b", cwd: "/", at: 1 });
			treesLeft(ledger);
			findChanges(ledger, running);
			changeEvents(ledger, running);
			const holder = { name: "the test", isAlive: () => true };
			beginChange(ledger, running, { to: "applying", from: ["pending"], holder });
		},
		"what changed, for the live page": (ledger, { running }) => {
			dataVersion(ledger);
			runMarks(ledger, 500);
			runMarkOf(ledger, running);
			changesStateOf(ledger, running);
			openQuestionsOfRun(ledger, running);
		},
		"count of the runs at work": (ledger) => ledger.get("SELECT count(*) FROM runs WHERE state = 'running'"),
	};

	test.each(Object.entries(jobs))("%s", async (_name, job) => {
		const steps = await stepsOf(job);
		expect(steps).not.toEqual([]);
		expect(scansOfEverything(steps)).toEqual([]);
	});
});

describe("the busiest questions use the index made for them, not one that a long past makes slow", () => {
	const detailsOf = async (job: (ledger: Ledger, open: Open) => unknown) =>
		(await stepsOf(job)).map(({ detail }) => detail).join("\n");

	test("a claim looks at a session's and a parent's open runs only", async () => {
		const details = await detailsOf(claim);
		expect(details).toContain("SEARCH waiting USING INDEX runs_queued (profile=? AND own_run=?)");
		expect(details).toContain("SEARCH before USING INDEX runs_open (session_id=? AND seq<?)");
		expect(details).toContain("SCAN runs USING COVERING INDEX runs_at_work");
		expect(details).not.toMatch(/runs_of_parent|runs_of_session/);
	});

	test("a look for something to sweep reads only open rows", async () => {
		const details = await detailsOf((ledger) => sweep(ledger, { at: 0, outcomeOf }));
		expect(details).toContain("SCAN runs USING COVERING INDEX runs_running");
		expect(details).toContain("SCAN runs USING INDEX runs_over");
	});

	test("a session's debts are found without its history", async () => {
		expect(await detailsOf((ledger) => owedTo(ledger, "parent", { at: 0 }))).toContain("runs_owed (parent_session=?)");
	});

	test("a session that is opened and left again reads only open and owed runs, however many it had", async () => {
		const details = await detailsOf((ledger, { ended, running }) => {
			sweep(ledger, { at: 0, outcomeOf });
			openRunsOf(ledger, "parent", 0);
			owedTo(ledger, "parent", { at: 0 });
			takeDeliveries(ledger, [ended, running], { name: "the test", at: 1, forMs: 1 });
			archiveDueSessions(ledger, 1);
			returnDeliveries(ledger, "the test", "parent");
		});
		expect(details).toContain("runs_open_profiles (parent_session=?)");
		expect(details).not.toContain("runs_of_parent");
	});

	test("a host is found among the live ones", async () => {
		const details = await detailsOf((ledger) =>
			findOrReserveHost(ledger, { profile: { digest: "p" }, at: 1, startWithinMs: 1, socketOf: (id) => id }),
		);
		expect(details).toContain("SEARCH hosts USING INDEX hosts_live (profile=? AND own_run=? AND lease_until>?)");
	});
});
