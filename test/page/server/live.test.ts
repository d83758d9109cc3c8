import { appendFileSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Watchers } from "../../../src/host/watchers.ts";
import { admitRun } from "../../../src/ledger/admit.ts";
import { claimRuns } from "../../../src/ledger/claim.ts";
import { findOrReserveHost, hostReady } from "../../../src/ledger/hosts.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { endRun } from "../../../src/ledger/progress.ts";
import { askQuestion, findQuestion } from "../../../src/ledger/questions.ts";
import type { AnswerDone } from "../../../src/page/api/actions.ts";
import type { RunDetail } from "../../../src/page/api/runs.ts";
import type { PageTurns, TranscriptPage } from "../../../src/page/api/transcript.ts";
import { systemClock } from "../../../src/ports/clock.ts";
import type { Progress, Question } from "../../../src/processes/protocol.ts";
import { socketWire } from "../../../src/processes/socket-wire.ts";
import type { ChildQuestion } from "../../../src/run/question.ts";
import { NO_USAGE } from "../../../src/run/usage.ts";
import { asItIs } from "../../helpers/as-it-is.ts";
import { longTest } from "../../helpers/long-test.ts";
import { keyOf } from "../../ledger/one-run.ts";
import { admission, success, type Wish } from "../../ledger/samples.ts";
import { useScratch } from "../../ledger/scratch.ts";
import { type APage, usePages } from "./a-page.ts";

const scratch = useScratch();
const openPage = usePages();

async function withLedger(): Promise<APage & { ledger: Ledger; folder: string }> {
	const folder = scratch.folder();
	const page = await openPage(folder);
	mkdirSync(dirname(page.places.ledger), { recursive: true });
	return { ...page, folder, ledger: await scratch.ledger(page.places.ledger) };
}

function admit(ledger: Ledger, wish: Wish = {}, file?: string) {
	const admitted = admission({ profile: "p", mode: "background", at: Date.now(), ...wish });
	if (file !== undefined) admitted.plan.session.file = file;
	return admitRun(ledger, admitted).run.id;
}

/** A host as the ledger and its socket know it, that has claimed all there is. */
async function aHost(ledger: Ledger, folder: string) {
	const socketOf = () => join(folder, "h.sock");
	const { host } = findOrReserveHost(ledger, { profile: keyOf("p"), at: Date.now(), startWithinMs: 1000, socketOf });
	const wakes: number[] = [];
	const watchers = await Watchers.listen({
		address: host.socket,
		wire: socketWire,
		clock: systemClock,
		onWake: () => wakes.push(Date.now()),
		onTrouble: () => {},
	});
	const leaseUntil = Date.now() + 60_000;
	hostReady(ledger, { id: host.id, pid: process.pid, pidStarted: "then", leaseUntil });
	const at = Date.now();
	const claimed = claimRuns(ledger, { hostId: host.id, profile: keyOf("p"), at, leaseMs: 60_000, atMost: 10 });
	return { watchers, wakes, fence: claimed[0]?.run.fence ?? 0 };
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
const header = line({ type: "session", version: 3, id: "s", timestamp: new Date(0).toISOString(), cwd: "/repo" });

function message(n: number, parent: number | null, of: object): string {
	const [id, parentId] = [`m${n}`, parent === null ? null : `m${parent}`];
	return line({ type: "message", id, parentId, timestamp: new Date(n).toISOString(), message: of });
}

const user = (text: string) => ({ role: "user", content: text });
const says = (text: string, ...parts: object[]) => ({
	role: "assistant",
	content: [{ type: "text", text }, ...parts],
	usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, cost: { total: 0.5 } },
	stopReason: "stop",
	provider: "p",
	model: "m",
});

/** More than the server keeps track of. */
const MANY_LINES = 400_000;

/** A run with a transcript. */
async function withTranscript(...lines: string[]) {
	const all = await withLedger();
	const file = join(all.folder, "transcript.jsonl");
	writeFileSync(file, [header, ...lines].join(""));
	const run = admit(all.ledger, {}, file);
	return { ...all, file, run, url: `/api/runs/${run}` };
}

describe("a transcript", () => {
	test("comes in pages from its end, redacted, with tools, turns and the final answer", async () => {
		const { get, run } = await withTranscript(
			message(0, null, user("Do it with a-known-secret")),
			message(
				1,
				0,
				says("I look.", { type: "toolCall", id: "c1", name: "bash", arguments: { command: "echo a-known-secret" } }),
			),
			message(2, 1, {
				role: "toolResult",
				toolCallId: "c1",
				toolName: "bash",
				content: [{ type: "text", text: "a-known-secret" }],
				isError: true,
			}),
			message(3, 1, says("Written by a host that was lost.")),
			message(
				4,
				2,
				says("", {
					type: "toolCall",
					id: "c2",
					name: "subagent_finalize",
					arguments: { status: "SUCCESS", result: "It is done." },
				}),
			),
		);
		const whole = await get<TranscriptPage>(`/api/runs/${run}/transcript`);
		expect(whole).toMatchObject({ from: 0, total: 4 });
		expect(JSON.stringify(whole)).not.toContain("a-known-secret");
		expect(whole.items).toMatchObject([
			{ n: 0, role: "user", at: 0 },
			{ n: 1, role: "assistant", text: "I look.", calls: [{ id: "c1", name: "bash" }], model: "p/m" },
			{ n: 2, role: "tool", tool: "bash", callId: "c1", failed: true },
			{ n: 3, role: "assistant", text: "It is done.", final: true },
		]);
		const end = await get<TranscriptPage>(`/api/runs/${run}/transcript?limit=1`);
		expect(end).toMatchObject({ from: 3, total: 4, items: [{ n: 3 }], version: whole.version });
		const before = await get<TranscriptPage>(`/api/runs/${run}/transcript?limit=2&before=3`);
		expect(before.items.map(({ n }) => n)).toEqual([1, 2]);
		const after = await get<TranscriptPage>(`/api/runs/${run}/transcript?after=2`);
		expect(after.items.map(({ n }) => n)).toEqual([2, 3]);
		expect((await get<PageTurns>(`/api/runs/${run}/turns`)).turns).toMatchObject([{ at: 1, cost: 0.5 }, { at: 4 }]);
		expect(await get<RunDetail>(`/api/runs/${run}`)).toMatchObject({ hasTranscript: true });
	});

	test("that is hostile or huge is read in bounds, and says what is not shown", async () => {
		const half = `a-known-secret${"x".repeat(40_000)}`;
		const { get, run, file } = await withTranscript(
			message(0, null, user(`<img src=x onerror=alert(1)>\u202e</script>${half}`)),
			"{ half a line\n",
			line({ type: "message", id: 7, message: "none" }),
			line({ type: "message", id: "m1", parentId: "m0", message: user(`${"x".repeat(19_990)}a-known-secret`) }),
		);
		// Five megabytes on one line, and then a line that has it for its parent.
		appendFileSync(file, message(2, 1, user("y".repeat(5 * 2 ** 20))));
		appendFileSync(file, message(3, 2, says("After it.")));
		const { items, total, note } = await get<TranscriptPage>(`/api/runs/${run}/transcript`);
		expect(total).toBe(4);
		expect(note).toBe("2 lines of the transcript could not be read.");
		expect(items[0]?.text).toContain("<img src=x onerror=alert(1)>");
		expect(items[0]?.moreChars).toBeGreaterThan(20_000);
		// Half of a secret is not shown where a text is cut.
		expect(items.map(({ text }) => text).join()).not.toMatch(/a-kn/);
		expect(items[2]).toMatchObject({ role: "note", text: expect.stringMatching(/^A line of 52\d{5} bytes/) });
		expect(items[3]?.text).toBe("After it.");

		// All of it for who asks for one, still without the secret.
		const whole = async (n: number) =>
			(await get<TranscriptPage>(`/api/runs/${run}/transcript?after=${n}&whole=1`)).items;
		const [first, ...others] = await whole(0);
		expect(others).toEqual([]);
		expect(first).toMatchObject({ n: 0, whole: true, text: expect.stringMatching(/x{40000}$/) });
		expect(first?.moreChars).toBeUndefined();
		expect(first?.text).not.toContain("a-known-secret");
		expect((await whole(2))[0]).toMatchObject({ role: "user", text: "y".repeat(5 * 2 ** 20) });
		expect(await whole(99)).toEqual([]);

		const many = Array.from({ length: 20_000 }, (_, index) =>
			message(index, index ? index - 1 : null, user(`${index}`)),
		);
		writeFileSync(file, header + many.join(""));
		const page = await get<TranscriptPage>(`/api/runs/${run}/transcript?limit=1000000`);
		expect([page.total, page.items.length, page.items.at(-1)?.text]).toEqual([20_000, 200, "19999"]);
		rmSync(file);
		expect(await get<TranscriptPage>(`/api/runs/${run}/transcript`)).toMatchObject({
			total: 0,
			note: "There is no transcript.",
		});
	});

	longTest("of more lines than anybody reads is read up to a bound, and says that its end is missing", async () => {
		const { get, run, file } = await withTranscript();
		const out = openSync(file, "a");
		for (let n = 0; n < MANY_LINES; n += 10_000) {
			const lines = Array.from({ length: 10_000 }, (_, at) =>
				message(n + at, n + at === 0 ? null : n + at - 1, user("x")),
			);
			writeSync(out, lines.join(""));
		}
		closeSync(out);
		const { total, items, note } = await get<TranscriptPage>(`/api/runs/${run}/transcript`);
		expect(total).toBeGreaterThan(100_000);
		expect(total).toBeLessThan(MANY_LINES);
		expect(items).toHaveLength(100);
		expect(note).toBe("The transcript is too long to be shown whole: its end is missing here.");
	});

	test("grows on pages that show it, and is sent again if it was replaced", async () => {
		const { run, file, events: open } = await withTranscript(message(0, null, user("Do it.")));
		const [one, two] = [open(`?run=${run}&after=0`), open(`?run=${run}`)];
		expect((await one.next("transcript")).items).toMatchObject([{ n: 0, text: "Do it." }]);
		await two.next("run");
		appendFileSync(file, message(1, 0, says("First.")));
		appendFileSync(file, message(2, 1, says("Second.")).slice(0, 20));
		expect(await one.next("transcript")).toMatchObject({ runId: run, from: 1, items: [{ text: "First." }] });
		expect(await two.next("transcript")).toMatchObject({ runId: run, from: 1, items: [{ text: "First." }] });
		appendFileSync(file, message(2, 1, says("Second.")).slice(20));
		expect(await one.next("transcript")).toMatchObject({ from: 2, items: [{ text: "Second." }] });
		const { version } = await two.next("transcript");
		writeFileSync(file, header + message(0, null, user("Another.")));
		const again = await one.next("transcript");
		expect(again).toMatchObject({ from: 0, total: 1, items: [{ text: "Another." }] });
		expect(again.version).not.toBe(version);
	});
});

describe("the stream of events", () => {
	test("tells every page what changed, and nothing else", async () => {
		const { ledger, events: open, ask } = await withLedger();
		const old = admit(ledger);
		const [one, two] = [open(), open()];
		for (const page of [one, two]) expect((await page.next("overview")).open.map(({ runId }) => runId)).toEqual([old]);
		const added = admit(ledger, { task: "new" });
		for (const page of [one, two]) {
			expect((await page.next("overview")).queued).toBe(2);
			expect((await page.next("runs")).runs.map(({ runId, task }) => [runId, task])).toEqual([[added, "new"]]);
		}
		two.close();
		// A lease that is renewed is not worth a word.
		ledger.run("UPDATE runs SET lease_until = 5 WHERE id = ?", added);
		endRun(ledger, { id: added, fence: 0, outcome: success(), at: Date.now() });
		expect(await one.next("overview")).toMatchObject({ queued: 1, today: { ended: 1 } });
		const { runs } = await one.next("runs");
		expect(runs).toMatchObject([{ runId: added, phase: "ended", status: "success" }]);
		ledger.run("DELETE FROM runs WHERE id = ?", added);
		expect(await one.next("removed")).toEqual({ runIds: [added] });
		expect(one.seen.filter(({ event }) => event === "runs")).toHaveLength(2);
		expect((await ask("/api/events?run=../../x")).status).toBe(404);
	});

	test("says goodbye when the server leaves", async () => {
		const { page, events: open } = await withLedger();
		const events = open();
		await events.next("overview");
		const closed = page.close();
		expect(await events.next("bye")).toEqual({});
		await closed;
	});
});

describe("who looks at a run", () => {
	test("sees what its host says, and is not there for that host", async () => {
		const { ledger, folder, events: open } = await withLedger();
		const run = admit(ledger);
		const { watchers, wakes } = await aHost(ledger, folder);
		try {
			const [one, two] = [open(`?run=${run}`), open(`?run=${run}`)];
			const progress = asItIs<Progress>({ displayItems: [], usage: NO_USAGE, turnCount: 3 });
			watchers.progress(run, () => progress);
			for (const page of [one, two]) expect((await page.next("progress")).progress.turnCount).toBe(3);
			expect([watchers.watchAny(() => true), watchers.presence(run), wakes]).toEqual([false, "unknown", []]);
		} finally {
			watchers.close();
		}
	});

	test("may answer a dialog of an extension, and a question of the child; the first answer counts", async () => {
		const { ledger, folder, events: open, post, get } = await withLedger();
		const run = admit(ledger);
		const { watchers, fence } = await aHost(ledger, folder);
		try {
			const events = open(`?run=${run}`);
			await events.next("run");
			// Somebody with a user watches too: for an observer alone no dialog waits.
			const parent = await socketWire.connect(join(folder, "h.sock"));
			const { promise: isHeard, resolve } = Promise.withResolvers<void>();
			parent.onMessage(() => resolve());
			parent.send({ type: "watch", runId: run, user: true });
			parent.send({ type: "ping" });
			await isHeard;
			const dialog = asItIs<Question>({ kind: "select", title: "Which?", options: ["a", "b"] });
			const answered = watchers.ask(run, dialog, { patienceMs: 0, signal: new AbortController().signal });
			const { questions } = await events.next("questions", (news) => news.questions.length > 0);
			expect(questions).toMatchObject([{ kind: "select", title: "Which?", options: ["a", "b"] }]);
			const questionId = questions[0]?.questionId;
			expect(await post<AnswerDone>(`/api/runs/${run}/answer`, { questionId, answer: 1 })).toEqual({ status: "taken" });
			expect(await answered).toBe(1);
			expect(await post<AnswerDone>(`/api/runs/${run}/answer`, { questionId, answer: 0 })).toEqual({ status: "late" });
			expect((await events.next("questions")).questions).toEqual([]);
			parent.close();

			const question = asItIs<ChildQuestion>({ question: "Which database?", options: ["SQLite", "Postgres"] });
			const seq = askQuestion(ledger, run, { question, fence, at: Date.now() }) ?? 0;
			const asked = (await events.next("questions", (news) => news.questions.length > 0)).questions[0];
			expect(asked).toMatchObject({ kind: "select", title: "Which database?" });
			expect((await get<RunDetail>(`/api/runs/${run}`)).can.answer).toBe(true);
			const body = { questionId: asked?.questionId, answer: 1 };
			// Not as another run's.
			const other = admit(ledger);
			expect(await post<AnswerDone>(`/api/runs/${other}/answer`, body)).toEqual({ status: "late" });
			const both = await Promise.all([0, 1].map(() => post<AnswerDone>(`/api/runs/${run}/answer`, body)));
			expect(both.map(({ status }) => status).sort()).toEqual(["late", "taken"]);
			expect(findQuestion(ledger, seq)?.end).toEqual({ answered: true, answer: "Postgres", option: 1 });
			expect((await events.next("questions")).questions).toEqual([]);
		} finally {
			watchers.close();
		}
	});
});
