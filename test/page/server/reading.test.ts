import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../../src/ledger/admit.ts";
import { claimRuns } from "../../../src/ledger/claim.ts";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import { endRun, recordHop, recordTurn } from "../../../src/ledger/progress.ts";
import type { ApiFailure, Hello } from "../../../src/page/api/routes.ts";
import type { Overview, PageRun, RunDetail, RunPage } from "../../../src/page/api/runs.ts";
import type { Costs } from "../../../src/page/api/views.ts";
import { newRunId } from "../../../src/run/ids.ts";
import { NO_USAGE } from "../../../src/run/usage.ts";
import { addRun, oldLedgerAt } from "../../ledger/old-ledger.ts";
import { keyOf } from "../../ledger/one-run.ts";
import { admission, outcomeOf, success, type Wish } from "../../ledger/samples.ts";
import { readyHost, useScratch } from "../../ledger/scratch.ts";
import { type APage, usePages } from "./a-page.ts";

const scratch = useScratch();
const openPage = usePages();

/** A page, and the ledger that it reads. */
async function withLedger(): Promise<APage & { ledger: Ledger }> {
	const page = await openPage(scratch.folder());
	mkdirSync(dirname(page.places.ledger), { recursive: true });
	return { ...page, ledger: await scratch.ledger(page.places.ledger) };
}

const profile = "of the page";

function admit(ledger: Ledger, wish: Wish = {}) {
	return admitRun(ledger, admission({ profile, mode: "background", at: Date.now(), ...wish }));
}

/** A host claims all there is. */
function claim(ledger: Ledger, at = Date.now()) {
	const hostId = readyHost(ledger, { profile });
	return claimRuns(ledger, { hostId, profile: keyOf(profile), at, leaseMs: 60_000, atMost: 10 });
}

const stopped = outcomeOf(undefined, { kind: "stopped", by: "a test" });

const costing = (cost: number) => ({ ...NO_USAGE, input: 100, output: 10, cost, turns: 1 });

describe("the list of runs", () => {
	test("comes in pages, newest first, and is found by phase, status, agent, folder, session and text", async () => {
		const { get, ledger } = await withLedger();
		const tasks = Array.from({ length: 7 }, (_, index) => `task ${index} 100%_of it`);
		const runs = tasks.map((task) => admit(ledger, { task, parentSession: `s${task.length}` }).run);
		const [first, second] = claim(ledger);
		if (!first || !second) throw new Error("Nothing was claimed.");
		endRun(ledger, { id: first.run.id, fence: first.run.fence, outcome: success(), at: Date.now() });
		endRun(ledger, { id: second.run.id, fence: second.run.fence, outcome: stopped, at: Date.now() });

		const page = await get<RunPage>("/api/runs?limit=3");
		expect(page.total).toBe(7);
		expect(page.runs.map(({ runId }) => runId)).toEqual(
			runs
				.slice(4)
				.reverse()
				.map(({ id }) => id),
		);
		const rest = await get<RunPage>(`/api/runs?limit=200&before=${page.next}`);
		expect(rest.runs).toHaveLength(4);
		expect(rest.next).toBeUndefined();

		const found = async (query: string) => (await get<RunPage>(`/api/runs?${query}`)).total;
		expect(await found("phase=ended")).toBe(2);
		expect(await found("phase=running")).toBe(5);
		expect(await found("phase=queued,ended")).toBe(2);
		expect(await found("status=failed")).toBe(1);
		expect(await found("status=success")).toBe(1);
		expect(await found("agent=scout&cwd=%2Frepo")).toBe(7);
		expect(await found("agent=somebody")).toBe(0);
		expect(await found("cwd=%2Felsewhere")).toBe(0);
		expect(await found("session=s17")).toBe(7);
		expect(await found("text=TASK+3")).toBe(1);
		expect(await found("text=100%25_of")).toBe(7);
		expect(await found("text=100_%25of")).toBe(0);
		expect(await found(`text=${runs[2]?.id}`)).toBe(1);
		// What makes no sense is not an error, and neither is too much of it.
		expect(await found("limit=-1&before=x&phase=nothing&text=")).toBe(7);
		expect(await found("limit=1e9")).toBe(7);
		expect(await found(`agent=${encodeURIComponent("' OR 1=1 --")}`)).toBe(0);
	});

	test("says how each run lived: waits, attempts, hops, and what an older pi-geon did not record", async () => {
		const { get, ledger } = await withLedger();
		const run = admit(ledger, { at: 1000 }).run.id;
		const [claimed] = claim(ledger, 3000);
		const fence = claimed?.run.fence ?? 0;
		recordTurn(ledger, run, fence, { usage: costing(0.5), model: "p/first" });
		recordHop(ledger, run, { fence, at: 5000, hop: { from: "p/first", to: "p/second", why: 429 } });
		endRun(ledger, { id: run, fence, at: 9000, outcome: { ...success(), usage: costing(0.75) } });
		const row = (await get<RunPage>("/api/runs")).runs[0] as PageRun;
		expect(row.spans).toEqual([
			{ kind: "wait", from: 1000, to: 3000 },
			{ kind: "attempt", from: 3000, to: 5000, attempt: 1, model: "p/first", cause: "hopped" },
			{ kind: "attempt", from: 5000, to: 9000, attempt: 2, model: "p/second", cause: "finalized" },
		]);
		const detail = await get<RunDetail>(`/api/runs/${run}`);
		expect(detail).toMatchObject({ attemptsKnown: true, hops: [{ from: "p/first", to: "p/second" }] });
		expect(detail.can).toMatchObject({ stop: false, send: true, apply: false });

		ledger.run("DELETE FROM attempts");
		const old = await get<RunDetail>(`/api/runs/${run}`);
		expect(old.attemptsKnown).toBe(false);
		expect(old.spans).toEqual([
			{ kind: "wait", from: 1000, to: 3000 },
			{ kind: "unknown", from: 3000, to: 9000 },
		]);
	});

	test("has its numbers on top, and what was spent by day, agent, model and folder", async () => {
		const { get, ledger } = await withLedger();
		const now = Date.now();
		const [one, two] = [admit(ledger), admit(ledger, { at: now - 40 * 86_400_000 })];
		const claimed = claim(ledger);
		for (const { run } of claimed) recordTurn(ledger, run.id, run.fence, { usage: costing(0.25), model: "p/a" });
		admit(ledger, { task: "waits" });
		const [first] = claimed;
		endRun(ledger, { id: one.run.id, fence: first?.run.fence ?? 0, at: now, outcome: stopped });
		const overview = await get<Overview>("/api/overview");
		expect(overview).toMatchObject({ running: 1, queued: 1, total: 3, asking: 0 });
		expect(overview.today).toMatchObject({ ended: 1, failed: 1, cost: 0.5, tokens: 220 });
		expect(overview.open.map(({ phase }) => phase).sort()).toEqual(["queued", "running"]);
		expect([overview.agents, overview.folders]).toEqual([["scout"], ["/repo"]]);

		const costs = await get<Costs>("/api/costs?days=7");
		expect(costs.days).toHaveLength(7);
		expect(costs.total).toMatchObject({ runs: 2, failed: 1, cost: 0.25, input: 100, output: 10 });
		expect(costs.models).toMatchObject([{ key: "p/a", cost: 0.25 }]);
		expect(costs.folders).toMatchObject([{ key: "/repo", runs: 2 }]);
		const long = await get<Costs>("/api/costs?days=366");
		expect(long.total).toMatchObject({ runs: 3, cost: 0.5 });
		expect(two.run.id).toMatch(/^[0-9a-f]{8}$/);
	});
});

describe("a ledger that", () => {
	test("is not there yet is not an error, and is found when it comes", async () => {
		const page = await openPage(scratch.folder());
		expect(await page.get<Hello>("/api/hello")).toMatchObject({ version: "1.2.3", ledger: { state: "absent" } });
		expect((await page.ask("/api/runs")).status).toBe(503);
		const events = page.events();
		expect(await events.next("ledger")).toEqual({ state: "absent" });
		mkdirSync(dirname(page.places.ledger), { recursive: true });
		const ledger = await scratch.ledger(page.places.ledger);
		expect(await events.next("ledger")).toEqual({ state: "ok" });
		const { run } = admit(ledger);
		expect((await events.next("runs")).runs.map(({ runId }) => runId)).toEqual([run.id]);
		expect((await page.get<RunPage>("/api/runs")).total).toBe(1);
	});

	test("is locked says so, blocks nothing, and is read once it is free", async () => {
		const { get, ask, places, events: open } = await openPage(scratch.folder());
		const ledger = await openLedger(places.ledger);
		admit(ledger);
		ledger.close();
		// Readers are kept out too, which no pi-geon does.
		const other = new DatabaseSync(places.ledger);
		other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
		const failed = await ask("/api/runs");
		expect([failed.status, (JSON.parse(failed.body) as ApiFailure).ledger?.state]).toEqual([503, "locked"]);
		const events = open();
		expect(await events.next("ledger")).toMatchObject({
			state: "locked",
			message: expect.stringContaining("Another process keeps the ledger locked"),
		});
		expect(await get<Hello>("/api/hello")).toMatchObject({ ledger: { state: "locked" } });
		other.exec("COMMIT");
		other.close();
		expect((await events.next("ledger")).state).toBe("ok");
		expect((await events.next("overview")).queued).toBe(1);
		const writer = new DatabaseSync(places.ledger);
		writer.exec("BEGIN IMMEDIATE");
		expect((await get<RunPage>("/api/runs")).total).toBe(1);
		writer.exec("ROLLBACK");
		writer.close();
	});

	test("is damaged, foreign or of a newer pi-geon is told apart, and left as it is", async () => {
		const { get, ask, places } = await openPage(scratch.folder());
		const ledger = await openLedger(places.ledger);
		admit(ledger);
		expect((await get<RunPage>("/api/runs")).total).toBe(1);
		ledger.run("PRAGMA user_version = 999");
		ledger.close();
		const state = async () => (await get<Hello>("/api/hello")).ledger;
		expect(await state()).toMatchObject({ state: "newer", message: expect.stringContaining("Update pi-geon") });
		const refused = await ask("/api/runs/0badcafe/stop", { method: "POST", body: "{}" });
		expect([refused.status, JSON.parse(refused.body).ledger.state]).toEqual([503, "newer"]);

		const replace = (make: (file: string) => void) => {
			const fresh = join(dirname(places.ledger), "fresh");
			make(fresh);
			for (const end of ["-wal", "-shm", ".damaged"]) rmSync(`${places.ledger}${end}`, { force: true });
			renameSync(fresh, places.ledger);
		};
		replace((file) => writeFileSync(file, "This is not a database. ".repeat(100)));
		expect(await state()).toMatchObject({ state: "damaged" });
		replace((file) => {
			const foreign = new DatabaseSync(file);
			foreign.exec("CREATE TABLE other (x)");
			foreign.close();
		});
		expect(await state()).toMatchObject({ state: "unusable", message: expect.stringContaining("another program") });
		rmSync(places.ledger);
		expect(await state()).toEqual({ state: "absent" });
		admit(await scratch.ledger(places.ledger));
		expect((await get<RunPage>("/api/runs")).total).toBe(1);
	});

	test("is of the first version is brought up to date, and says what it did not record", async () => {
		const { get, places } = await openPage(scratch.folder());
		mkdirSync(dirname(places.ledger), { recursive: true });
		const { database } = oldLedgerAt(places.ledger, 1);
		const run = newRunId();
		addRun(database, run, profile);
		database
			.prepare(
				"UPDATE runs SET state = 'ended', delivery = 'owed', attempt = 2, started_at = 1000, ended_at = 9000, outcome = ? WHERE id = ?",
			)
			.run(JSON.stringify(success()), run);
		database.close();
		expect((await get<RunPage>("/api/runs")).runs).toMatchObject([
			{
				runId: run,
				phase: "ended",
				spans: [
					{ kind: "wait", from: 0, to: 1000 },
					{ kind: "unknown", from: 1000, to: 9000 },
				],
			},
		]);
		expect(await get<RunDetail>(`/api/runs/${run}`)).toMatchObject({ attemptsKnown: false, hops: [] });
		expect((await get<Costs>("/api/costs?days=7")).total.runs).toBe(0);
	});

	test("has a row that cannot be read shows the others", async () => {
		const { get, ask, ledger } = await withLedger();
		const [good, bad] = [admit(ledger).run.id, admit(ledger).run.id];
		ledger.run("UPDATE runs SET plan = 'not JSON' WHERE id = ?", bad);
		expect((await get<RunPage>("/api/runs?text=look")).runs.map(({ runId }) => runId)).toEqual([good]);
		expect((await get<RunPage>("/api/runs?status=failed")).total).toBe(0);
		expect(await get<Overview>("/api/overview")).toMatchObject({ unreadable: [{ runId: bad }] });
		expect((await ask(`/api/runs/${bad}`)).status).toBe(404);
		expect((await get<Costs>("/api/costs")).total.runs).toBe(2);
	});
});
