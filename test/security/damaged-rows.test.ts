import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { outcomeWithoutHost } from "../../src/collect/outcome.ts";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { announceOf } from "../../src/deliver/announce.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { archiveDueSessions } from "../../src/ledger/archive.ts";
import { childSessionsOf } from "../../src/ledger/child-sessions.ts";
import { claimRuns, queuePositions } from "../../src/ledger/claim.ts";
import { owedTo } from "../../src/ledger/deliveries.ts";
import { hostGone } from "../../src/ledger/hosts.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { openRunsOf } from "../../src/ledger/open-runs.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { requestStop, usageOfParent } from "../../src/ledger/progress.ts";
import type { EndedRecord } from "../../src/ledger/records.ts";
import { removeExpired } from "../../src/ledger/retention.ts";
import { type Sweep, sweep } from "../../src/ledger/sweep.ts";
import { unreadableRuns } from "../../src/ledger/unreadable.ts";
import { isDenial } from "../../src/operate/denial.ts";
import type { Finding } from "../../src/operate/doctor/check.ts";
import { examineLedger } from "../../src/operate/doctor/ledger.ts";
import type { DoctorSources } from "../../src/operate/doctor/sources.ts";
import { findRunNamed } from "../../src/operate/find-run.ts";
import { listSessions } from "../../src/operate/list.ts";
import { runListReport } from "../../src/operate/report/run-list.ts";
import { listRuns } from "../../src/operate/runs.ts";
import type { RunId } from "../../src/run/ids.ts";
import { piGeon } from "../cli/pi-geon.ts";
import { inLedger } from "../e2e/ledger-of.ts";
import { useHome } from "../helpers/use-home.ts";
import { pastRun } from "../ledger/past.ts";
import { admission } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch({ inMemory: true });
const openHome = useHome();
const redactor = createRedactor({ secrets: [], homeDir: "/home/ali" });
const YEARS = 4e11;

/** What a column may hold after a bit has flipped, a program has gone wrong, or somebody has tried his luck. */
const BAD: readonly SQLInputValue[] = [null, "", "{", "{}", -1, 10n ** 18n, new Uint8Array([0, 255])];

const VICTIMS = ["queued", "running", "owed", "told"] as const;

interface Shop {
	file: string;
	victims: Record<(typeof VICTIMS)[number], RunId>;
	/** Untouched, and in the same session as the others. */
	healthy: { queued: RunId; owed: RunId };
}

/** A ledger with runs in every state, of one parent session. */
async function shop(): Promise<Shop> {
	const folder = scratch.folder();
	const file = join(folder, "ledger.sqlite");
	const ledger = await openLedger(file);
	const host = readyHost(ledger, { profile: "p" });
	const past = (delivered: number | null) => pastRun(ledger, { folder, ended: 1, delivered }).run.id;
	const running = admitRun(ledger, admission()).run.id;
	claimRuns(ledger, { hostId: host, profile: { digest: "p" }, at: 1, leaseMs: 10, atMost: 1 });
	const made = {
		file,
		victims: { running, queued: admitRun(ledger, admission()).run.id, owed: past(null), told: past(2) },
		healthy: { owed: past(null), queued: admitRun(ledger, admission()).run.id },
	};
	hostGone(ledger, host, 2);
	ledger.close();
	return made;
}

/** Writes what the table does not allow. BLOB is the one type that changes no value. */
function damage(file: string, id: RunId, column: string, value: SQLInputValue): void {
	const open = () => new DatabaseSync(file, { enableForeignKeyConstraints: false, defensive: false });
	const alter = (sql: string) => {
		const database = open();
		database.exec("PRAGMA writable_schema = ON");
		database.prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'runs'").run(sql);
		database.close();
	};
	const reader = open();
	const { sql } = reader.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'runs'").get() as {
		sql: string;
	};
	reader.close();
	alter(
		sql
			.replaceAll("NOT NULL", "")
			.replace("STRICT", "")
			.replaceAll(/\b(TEXT|INTEGER)\b(?! PRIMARY)/g, "BLOB"),
	);
	const writer = open();
	writer.exec("PRAGMA ignore_check_constraints = ON");
	writer.prepare(`UPDATE runs SET ${column} = ? WHERE id = ?`).run(value, id);
	writer.close();
	alter(sql);
}

const columnsOf = (file: string): string[] => {
	const database = new DatabaseSync(file);
	const rows = database.prepare("SELECT name FROM pragma_table_info('runs')").all() as { name: string }[];
	database.close();
	return rows.map(({ name }) => name).filter((name) => name !== "seq");
};

/** Everybody who looks at runs, or works on them. Nobody fails, and all of them serve the others. */
function everybodyWorks(ledger: Ledger, { healthy }: Shop, victim: RunId): void {
	const sources = { ledger, redactor };
	const list = listRuns({ limit: 100 }, sources);
	const seen = [...list.runs, ...(list.unreadable ?? [])].map(({ runId }) => runId);
	expect(new Set(seen).size).toBeGreaterThanOrEqual(5);
	expect(list.runs.length + (list.unreadable?.length ?? 0)).toBe(6);
	expect(seen).toEqual(expect.arrayContaining([healthy.queued, healthy.owed]));
	const report = runListReport(list, { width: 80, now: YEARS }).join(" ");
	expect(report.includes("cannot be read")).toBe(list.unreadable !== undefined);
	const named = findRunNamed(ledger, victim, {});
	if (isDenial(named) && list.unreadable?.some(({ runId }) => runId === victim)) {
		expect(named.error).toMatch(new RegExp(`run ${victim} in .*ledger.sqlite cannot be read: \\w+ is `));
	}
	expect(listSessions({ parentSession: "parent" }, sources).sessions.length).toBeGreaterThanOrEqual(4);
	usageOfParent(ledger, "parent");
	childSessionsOf(ledger, "parent");
	queuePositions(ledger);
	openRunsOf(ledger, "parent", 0);

	const told = owedTo(ledger, "parent", { at: 0 });
	expect(told.map(({ run }) => run.id)).toContain(healthy.owed);
	for (const { run, ...record } of told) {
		if (run.state === "ended") announceOf({ ...record, run } as EndedRecord, { redactor, transcript: "/t.jsonl" });
	}
	requestStop(ledger, victim, { at: 3, by: "the test" });
	const outcomeOf: Sweep["outcomeOf"] = (record, cause) => outcomeWithoutHost(record, cause, ledger.redact);
	sweep(ledger, { at: YEARS, outcomeOf });
	const hostId = readyHost(ledger, { profile: "p" });
	const claimed = claimRuns(ledger, { hostId, profile: { digest: "p" }, at: YEARS, leaseMs: 10, atMost: 100 });
	expect(claimed.map(({ run }) => run.id)).toContain(healthy.queued);
	hostGone(ledger, hostId, YEARS);
	for (let round = 0; round < 3; round++) {
		sweep(ledger, { at: 2 * YEARS, outcomeOf });
		const next = readyHost(ledger, { profile: "p" });
		claimRuns(ledger, { hostId: next, profile: { digest: "p" }, at: 2 * YEARS, leaseMs: 10, atMost: 100 });
		hostGone(ledger, next, 2 * YEARS);
	}
	sweep(ledger, { at: 3 * YEARS, outcomeOf });
	archiveDueSessions(ledger, 3 * YEARS);
	removeExpired(ledger, { at: 4 * YEARS, retentionDays: 30, places: placesIn(scratch.folder()) });
}

// An id that is not text can be given to nobody: such a row is left to `doctor --fix`, which goes by its number.
/** Nothing that the host could work on, or a parent wait for, is left open: neither the damaged run nor the others. */
function nothingIsStuck(ledger: Ledger, what: string): void {
	const open = ledger.all<{ id: string; state: string }>(
		"SELECT id, state FROM runs WHERE state <> 'ended' AND profile = 'p' AND own_run IS NULL AND parent_session = 'parent' AND typeof(id) = 'text'",
	);
	expect(open, what).toEqual([]);
}

async function examine(file: string, { fix }: { fix: boolean }): Promise<Finding[]> {
	const found: Finding[] = [];
	let opened: Ledger | undefined;
	const check = examineLedger((ledger) => {
		opened = ledger;
	});
	const agentDir = scratch.folder();
	const sources = { agentDir, places: { ...placesIn(agentDir), ledger: file } } as DoctorSources;
	const examination = { sources, ledger: undefined, fix, signal: new AbortController().signal };
	for await (const finding of check.run(examination)) found.push(finding);
	opened?.close();
	return found;
}

describe("one damaged row of the ledger harms no others", async () => {
	const pattern = await openLedger(join(scratch.folder(), "ledger.sqlite"));
	pattern.close();
	test.each(columnsOf(pattern.file))("whatever is in the column %s", { timeout: 240_000 }, async (column) => {
		const before = await shop();
		const copy = join(scratch.folder(), "ledger.sqlite");
		for (const victim of VICTIMS) {
			for (const value of BAD) {
				const what = `${column} of the ${victim} run is ${value instanceof Uint8Array ? "bytes" : String(value)}`;
				const id = before.victims[victim];
				copyFileSync(before.file, copy);
				damage(copy, id, column, value);
				const ledger = await openLedger(copy);
				try {
					everybodyWorks(ledger, before, id);
					nothingIsStuck(ledger, what);
				} catch (error) {
					throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
				} finally {
					ledger.close();
				}
			}
		}
	});

	test("the doctor names it, what is wrong and where, and closes it with --fix", async () => {
		const { file, victims } = await shop();
		damage(file, victims.queued, "plan", "{");
		damage(file, victims.running, "host_id", null);
		damage(file, victims.told, "outcome", "{}");
		const problems = (await examine(file, { fix: false })).filter(({ level }) => level === "fail");
		expect(problems.map(({ what }) => what).sort()).toEqual(
			[victims.queued, victims.running, victims.told].map((id) => `The record of run ${id} cannot be read`).sort(),
		);
		expect(problems.map(({ detail }) => detail).join("\n")).toContain("plan is not the JSON of a plan");
		await examine(file, { fix: true });
		const ledger = await openLedger(file);
		expect(unreadableRuns(ledger)).toEqual([]);
		const told = owedTo(ledger, "parent", { at: 0 }).map(
			(record) => announceOf(record as EndedRecord, { redactor, transcript: "/t.jsonl" }).content,
		);
		expect(told.filter((content) => content.startsWith("Status: unknown"))).toHaveLength(2);
		expect(told.join("\n")).toContain("plan is not the JSON of a plan. How the run ended is unknown.");
		// What the row said is not lost.
		const kept = ledger.get<{ plan: string }>("SELECT plan FROM runs WHERE id = ?", victims.queued);
		expect(JSON.parse(kept?.plan ?? "")).toMatchObject({ damagedRow: { plan: "{", state: "queued" } });
		ledger.close();
	});
});

test("pi-geon list --all tells of the others and of the damaged one", async () => {
	const home = await openHome({});
	const file = placesIn(home.agentDir).ledger;
	const ledger = await openLedger(file);
	const [sound, broken] = [1, 2].map(() => pastRun(ledger, { folder: home.project, delivered: null }).run.id);
	ledger.close();
	inLedger(home, "UPDATE runs SET outcome = NULL WHERE id = ?", broken ?? "");
	const listed = await piGeon(home, ["list", "--all"]);
	expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(String(sound)) });
	expect(listed.stdout).toMatch(/1 record of the ledger cannot be read:\s+/);
	const info = await piGeon(home, ["info", broken ?? ""]);
	expect(info.stderr + info.stdout).toMatch(/cannot be read: outcome is missing, though the run is ended/);
});

test("the report of a damaged run keeps the route that an application gave it", async () => {
	const { file, victims } = await shop();
	const database = new DatabaseSync(file);
	const routed = "UPDATE runs SET plan = json_set(plan, '$.route', json('{\"chat\":7}')) WHERE id = ?";
	database.prepare(routed).run(victims.owed);
	database.close();
	damage(file, victims.owed, "outcome", "{}");
	const ledger = await openLedger(file);
	sweep(ledger, { at: YEARS, outcomeOf: (record, cause) => outcomeWithoutHost(record, cause, ledger.redact) });
	const report = owedTo(ledger, "parent", { at: YEARS }).find(({ run }) => run.id === victims.owed);
	const { details } = announceOf(report as EndedRecord, { redactor, transcript: "/t.jsonl" });
	expect(details).toMatchObject({ cause: "unreadable", route: { chat: 7 } });
	ledger.close();
});
