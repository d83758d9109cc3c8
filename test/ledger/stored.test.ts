import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outcomeWithoutHost } from "../../src/collect/outcome.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { adoptRun } from "../../src/ledger/adopt.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { owedTo } from "../../src/ledger/deliveries.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import type { RawRow } from "../../src/ledger/row-check.ts";
import { sweep } from "../../src/ledger/sweep.ts";
import { unreadableRuns } from "../../src/ledger/unreadable.ts";
import { examineLedger } from "../../src/operate/doctor/ledger.ts";
import { findRunNamed } from "../../src/operate/find-run.ts";
import { listRuns } from "../../src/operate/runs.ts";
import type { RunId } from "../../src/run/ids.ts";
import { admission, success } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";
import { CAUSES, storedRuns, writeOldLedger } from "./stored/runs.ts";

const scratch = useScratch();

async function oldLedger(): Promise<Ledger> {
	const file = join(scratch.folder(), "ledger.sqlite");
	writeOldLedger(file);
	return scratch.ledger(file);
}

describe("rows without a version", () => {
	test.for(storedRuns)("$name: the whole plan and the whole outcome are read", async ({ name, row }) => {
		const record = findRun(await oldLedger(), row.id);
		expect(record?.plan).toEqual(JSON.parse(row.plan));
		expect(record?.run.state).toBe(row.state);
		if (record?.run.state !== "ended") return;
		expect(record.run.outcome).toEqual({ ...JSON.parse(row.outcome ?? ""), cause: CAUSES[name] });
	});

	test("are none that cannot be read, and a queued one is claimed", async () => {
		const ledger = await oldLedger();
		expect(unreadableRuns(ledger)).toEqual([]);
		const hostId = readyHost(ledger, { profile: "p" });
		const claimed = claimRuns(ledger, { hostId, profile: { digest: "p" }, at: 1, leaseMs: 10, atMost: 100 });
		const queued = storedRuns.find(({ name }) => name === "queued")?.row.id;
		expect(claimed.map(({ run }) => run.id)).toEqual([queued]);
	});
});

const rowOf = (ledger: Ledger, id: RunId): RawRow => ledger.get<RawRow>("SELECT * FROM runs WHERE id = ?", id) ?? {};

test("what is written has a version, which is not part of what is read", async () => {
	const ledger = await scratch.ledger();
	const { plan, ...wish } = admission();
	const { run } = admitRun(ledger, { plan, ...wish });
	endRun(ledger, { id: run.id, fence: 0, outcome: success(), at: 1 });
	const row = rowOf(ledger, run.id);
	expect(JSON.parse(String(row.plan))).toEqual({ version: 1, ...plan });
	expect(JSON.parse(String(row.outcome))).toEqual({ version: 1, ...success() });
	const record = findRun(ledger, run.id);
	expect(record?.plan).toEqual(plan);
	expect(record?.run).toMatchObject({ outcome: success() });
	expect(record?.plan).not.toHaveProperty("version");
});

describe("a row that a newer pi-geon wrote", () => {
	const redactor = createRedactor({ secrets: [], homeDir: "/home/ada" });

	/** Runs of every state, whose JSON has a version that is not known yet. */
	async function newerLedger(): Promise<{ ledger: Ledger; ids: RunId[] }> {
		const ledger = await scratch.ledger();
		const host = readyHost(ledger, { profile: "theirs" });
		const admit = (session?: Parameters<typeof admission>[0]) =>
			admitRun(ledger, admission({ profile: "theirs", ...session })).run.id;
		const running = admit();
		claimRuns(ledger, { hostId: host, profile: { digest: "theirs" }, at: 1, leaseMs: 10, atMost: 1 });
		const ended = admit();
		endRun(ledger, { id: ended, fence: 0, outcome: success(), at: 2 });
		const queued = admit();
		const stopped = admit();
		requestStop(ledger, stopped, { at: 3, by: "the user" });
		const newer = `json_set(plan, '$.version', 99, '$.task', json('{"later":1}'))`;
		for (const id of [running, queued, stopped]) ledger.run(`UPDATE runs SET plan = ${newer} WHERE id = ?`, id);
		ledger.run("UPDATE runs SET outcome = json_set(outcome, '$.version', 2) WHERE id = ?", ended);
		ledger.run("UPDATE hosts SET state = 'gone' WHERE id = ?", host);
		return { ledger, ids: [running, ended, queued, stopped] };
	}

	test("is reported as such", async () => {
		const { ledger, ids } = await newerLedger();
		const [running = "", ended = ""] = ids;
		const told: string[] = [];
		ledger.onUnreadable = ({ problem }) => told.push(problem);
		const { unreadable } = listRuns({ limit: 10 }, { ledger, redactor });
		expect(unreadable).toHaveLength(ids.length);
		expect(unreadable).toContainEqual({ runId: running, problem: "plan was written by a newer pi-geon" });
		expect(unreadable).toContainEqual({ runId: ended, problem: "outcome was written by a newer pi-geon" });
		expect(told).toHaveLength(ids.length);
		expect(findRunNamed(ledger, ended, {})).toEqual({
			status: "error",
			error: expect.stringMatching(/written by a newer pi-geon\. Nothing is lost: update pi-geon/),
		});
	});

	test("is left to that version as it is, whichever process finds it", async () => {
		const { ledger, ids } = await newerLedger();
		const [running, ended, queued] = ids as [RunId, RunId, RunId];
		const before = ids.map((id) => rowOf(ledger, id));
		const at = 1e6;
		sweep(ledger, { at, outcomeOf: (record, cause) => outcomeWithoutHost(record, cause, ledger.redact) });
		expect(owedTo(ledger, "parent", { at: 0 })).toEqual([]);
		for (const id of ids) expect(requestStop(ledger, id, { at, by: "the user" })).toBe(false);
		expect(endRun(ledger, { id: running, fence: 1, outcome: success(), at })).toBe(false);
		expect(adoptRun(ledger, { id: queued, from: { digest: "theirs" }, to: "ours", at })).toBe(false);
		const hostId = readyHost(ledger, { profile: "theirs" });
		expect(claimRuns(ledger, { hostId, profile: { digest: "theirs" }, at, leaseMs: 10, atMost: 9 })).toEqual([]);
		expect(ids.map((id) => rowOf(ledger, id))).toEqual(before);

		ledger.run("UPDATE runs SET outcome = json_set(outcome, '$.version', 1) WHERE id = ?", ended);
		expect(owedTo(ledger, "parent", { at: 0 }).map(({ run }) => run.id)).toEqual([ended]);
	});

	test("is not fixed by the doctor, which says what helps", async () => {
		const { ledger, ids } = await newerLedger();
		const before = ids.map((id) => rowOf(ledger, id));
		let opened: Ledger | undefined;
		const check = examineLedger((its) => {
			opened = its;
		});
		const examination = { sources: { places: { ledger: ledger.file, dir: "" } }, ledger: undefined, fix: true };
		const found = [];
		for await (const finding of check.run({ ...examination, signal: AbortSignal.timeout(60_000) } as never)) {
			found.push(finding);
		}
		opened?.close();
		const bad = found.filter(({ level }) => level === "fail");
		expect(bad).toHaveLength(ids.length);
		expect(bad[0]).toMatchObject({ remedy: expect.stringContaining("update pi-geon") });
		expect(bad[0]).not.toHaveProperty("fixable");
		expect(ids.map((id) => rowOf(ledger, id))).toEqual(before);
	});
});
