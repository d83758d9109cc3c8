import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { LedgerUnusable } from "../../src/ledger/identify.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { usageOfParent } from "../../src/ledger/progress.ts";
import { APPLICATION_ID, MIGRATIONS } from "../../src/ledger/schema.ts";
import { LedgerTrouble } from "../../src/ledger/trouble.ts";
import { admission } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const bytesOf = (file: string): Record<string, string | undefined> =>
	Object.fromEntries(
		["", "-wal"].map((end) => {
			const bytes = existsSync(file + end) ? readFileSync(file + end) : Buffer.alloc(0);
			// To read a database in WAL mode SQLite makes an empty -wal. That is as good as none.
			return [end, bytes.length === 0 && end !== "" ? undefined : bytes.toString("base64")];
		}),
	);

async function refusalOf(file: string): Promise<string> {
	const error = await openLedger(file).then(
		(ledger) => ledger.close(),
		(reason: unknown) => reason,
	);
	expect(error).toBeInstanceOf(LedgerUnusable);
	return error instanceof Error ? error.message : "";
}

/** Leaves the database as a killed process does: what it wrote last is in the -wal file only. */
function writeAndDie(file: string, sql: string): void {
	const script = `const { DatabaseSync } = require("node:sqlite");
		new DatabaseSync(process.argv[1]).exec(process.argv[2]);
		process.kill(process.pid, "SIGKILL");`;
	expect(() => execFileSync(process.execPath, ["-e", script, file, sql], { stdio: "ignore" })).toThrow();
}

describe("a ledger that is not there yet", () => {
	test.skipIf(process.platform === "win32")("is made for the user alone, its folder and side files too", async () => {
		const folder = join(scratch.folder(), "deep", "pi-geon");
		const file = join(folder, "ledger.sqlite");
		admitRun(await scratch.ledger(file), admission());
		const modeOf = (path: string) => statSync(path).mode & 0o777;
		expect(modeOf(folder)).toBe(0o700);
		expect(["", "-wal", "-shm"].map((end) => modeOf(file + end))).toEqual([0o600, 0o600, 0o600]);
	});

	test.skipIf(process.platform === "win32")("is taken back from others if it was open to them", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		writeFileSync(file, "", { mode: 0o644 });
		admitRun(await scratch.ledger(file), admission());
		expect(["", "-wal", "-shm"].map((end) => statSync(file + end).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
	});

	test("may be there as an empty file", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		writeFileSync(file, "");
		expect(admitRun(await scratch.ledger(file), admission()).run.state).toBe("queued");
	});

	test("can be made by several processes at the same instant", async () => {
		const folder = scratch.folder();
		const peers = await Promise.all([scratch.peer(), scratch.peer(), scratch.peer()]);
		for (let round = 0; round < 30; round++) {
			const file = join(folder, `${round}`, "ledger.sqlite");
			const at = Date.now() + 10;
			const opened = await Promise.all(peers.map((peer) => peer.call("open", { file, at })));
			expect(opened).toEqual(["opened", "opened", "opened"]);
		}
	});

	test("is marked as ours, and its version is that of the last migration", async () => {
		const ledger = await scratch.ledger();
		expect(ledger.get("PRAGMA application_id")).toEqual({ application_id: APPLICATION_ID });
		expect(ledger.get("PRAGMA user_version")).toEqual({ user_version: MIGRATIONS.length });
		expect(ledger.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
		expect(ledger.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
	});
});

test("a creation that was cut short is finished by the next one", async () => {
	const file = join(scratch.folder(), "ledger.sqlite");
	writeAndDie(file, "PRAGMA journal_mode = WAL; BEGIN; CREATE TABLE hosts (id TEXT)");
	expect(admitRun(await scratch.ledger(file), admission()).run.state).toBe("queued");
});

test("a half-done write from before the ledger was in WAL mode is undone", async () => {
	const file = join(scratch.folder(), "ledger.sqlite");
	// A small cache makes SQLite write into the main file before the commit, with the way back in the -journal file.
	const fill =
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO hosts SELECT hex(zeroblob(500)) FROM n";
	writeAndDie(file, `PRAGMA user_version = 0; PRAGMA cache_size = 1; BEGIN; CREATE TABLE hosts (id TEXT); ${fill};`);
	expect(statSync(`${file}-journal`).size).toBeGreaterThan(0);
	expect(admitRun(await scratch.ledger(file), admission()).run.state).toBe("queued");
});

describe("a file that is not ours is refused with a remedy, and not touched", () => {
	const newer = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 99; CREATE TABLE runs (new TEXT)`;

	test("a ledger of a newer version", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		const database = new DatabaseSync(file);
		database.exec(`PRAGMA journal_mode = WAL; ${newer}`);
		database.close();
		const before = bytesOf(file);
		const message = await refusalOf(file);
		expect(message).toContain(file);
		expect(message).toContain("version 99");
		expect(message).toContain(`up to ${MIGRATIONS.length}`);
		expect(message).toContain("Update pi-geon");
		expect(bytesOf(file)).toEqual(before);
	});

	test("a ledger of a newer version whose last writer was killed", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		writeAndDie(file, `PRAGMA journal_mode = WAL; ${newer}`);
		const before = bytesOf(file);
		expect(before["-wal"]).toBeDefined();
		expect(await refusalOf(file)).toContain("version 99");
		expect(bytesOf(file)).toEqual(before);
	});

	test("a ledger of a newer version while that one has it open", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		const database = new DatabaseSync(file);
		database.exec(`PRAGMA journal_mode = WAL; ${newer}`);
		expect(await refusalOf(file)).toContain("version 99");
		database.exec("INSERT INTO runs VALUES ('still writable')");
		database.close();
	});

	test("a database of another program", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		const database = new DatabaseSync(file);
		database.exec("CREATE TABLE moz_places (url TEXT)");
		database.close();
		const { mode } = statSync(file);
		const before = bytesOf(file);
		const message = await refusalOf(file);
		expect(message).toContain(file);
		expect(message).toContain("another program");
		expect(bytesOf(file)).toEqual(before);
		expect(statSync(file).mode).toBe(mode);
	});
});

/** A ledger with many pages, of which one in the middle is garbage: found only by who reads that page. */
async function damagedInside(file: string): Promise<void> {
	const ledger = await openLedger(file);
	for (let n = 0; n < 200; n++) admitRun(ledger, admission({ parentSession: `parent ${n}` }));
	const [{ rootpage } = { rootpage: 0 }] = ledger.all<{ rootpage: number }>(
		"SELECT rootpage FROM sqlite_schema WHERE name = 'runs_of_parent'",
	);
	ledger.close();
	const bytes = readFileSync(file);
	bytes.fill(0xa5, (rootpage - 1) * 4096, rootpage * 4096);
	writeFileSync(file, bytes);
}

const whatIsThere = (folder: string): string[] =>
	readdirSync(folder)
		.filter((name) => !/-(wal|shm)$|\.lock$/.test(name))
		.map((name) => name.replace(/\d{4}-.*Z/, "<when>"))
		.sort();

describe("a damaged ledger", () => {
	const kinds: [string, (file: string) => Promise<void> | void][] = [
		["a text", (file) => writeFileSync(file, "This is not a database, it is a note to myself.\n".repeat(20))],
		["a few bytes", (file) => writeFileSync(file, "oops")],
		[
			"a database cut off in its first page",
			async (file) => {
				(await openLedger(file)).close();
				writeFileSync(file, readFileSync(file).subarray(0, 3000));
			},
		],
	];

	test.each(kinds)("%s is refused and not touched by processes that cannot tell the user", async (_name, make) => {
		const file = join(scratch.folder(), "ledger.sqlite");
		await make(file);
		const before = bytesOf(file);
		const message = await refusalOf(file);
		expect(message).toContain(file);
		expect(message).toContain("Start pi again");
		expect(bytesOf(file)).toEqual(before);
	});

	test.each(kinds)(
		"%s is kept under another name and replaced by processes that can tell the user",
		async (_name, make) => {
			const folder = scratch.folder();
			const file = join(folder, "ledger.sqlite");
			await make(file);
			const before = readFileSync(file);
			const ledger = await scratch.ledger(file, { setAsideIfDamaged: true });
			expect(ledger.setAside).toMatch(/ledger\.sqlite\.damaged\.\d{4}-/);
			expect(readFileSync(ledger.setAside ?? "")).toEqual(before);
			expect(admitRun(ledger, admission()).run.state).toBe("queued");
			expect(whatIsThere(folder)).toEqual(["ledger.sqlite", "ledger.sqlite.damaged.<when>"]);
			expect((await scratch.ledger(file, { setAsideIfDamaged: true })).setAside).toBeUndefined();
		},
	);

	test("is noticed by the process that reads the page, which says so, and set aside by the next one that opens it", async () => {
		const folder = scratch.folder();
		const file = join(folder, "ledger.sqlite");
		await damagedInside(file);
		const ledger = await scratch.ledger(file, { setAsideIfDamaged: true });
		expect(ledger.setAside).toBeUndefined();
		expect(() => usageOfParent(ledger, "parent 7")).toThrow(/The ledger is damaged. Start pi again/);
		expect(() => usageOfParent(ledger, "parent 7")).toThrow(LedgerTrouble);
		expect(await refusalOf(file)).toContain("Start pi again");
		const next = await scratch.ledger(file, { setAsideIfDamaged: true });
		expect(next.setAside).toBeDefined();
		expect(next.all("SELECT * FROM runs")).toEqual([]);
		expect(whatIsThere(folder)).toEqual(["ledger.sqlite", "ledger.sqlite.damaged.<when>"]);
	});

	test("that was repaired in the meantime is used as it is", async () => {
		const folder = scratch.folder();
		const file = join(folder, "ledger.sqlite");
		admitRun(await scratch.ledger(file), admission());
		writeFileSync(`${file}.damaged`, "");
		const ledger = await scratch.ledger(file, { setAsideIfDamaged: true });
		expect([ledger.setAside, ledger.all("SELECT id FROM runs").length]).toEqual([undefined, 1]);
		expect(whatIsThere(folder)).toEqual(["ledger.sqlite"]);
	});

	test("includes the content of its -wal file", async () => {
		const file = join(scratch.folder(), "ledger.sqlite");
		writeFileSync(file, "garbage ".repeat(1000));
		writeFileSync(`${file}-wal`, "more garbage");
		const ledger = await scratch.ledger(file, { setAsideIfDamaged: true });
		expect(readFileSync(`${ledger.setAside}-wal`, "utf8")).toBe("more garbage");
		expect(ledger.all("SELECT * FROM runs")).toEqual([]);
	});

	test("is set aside once by three processes that find it at the same instant, and all continue in one new ledger", async () => {
		const peers = await Promise.all([scratch.peer(), scratch.peer(), scratch.peer()]);
		for (let round = 0; round < 10; round++) {
			const folder = scratch.folder();
			const file = join(folder, "ledger.sqlite");
			writeFileSync(file, "garbage ".repeat(1000));
			const at = Date.now() + 20;
			const opened = await Promise.all(peers.map((peer) => peer.call("open", { file, at, setAsideIfDamaged: true })));
			expect(opened.sort()).toEqual(["opened", "opened", "set aside"]);
			expect(whatIsThere(folder)).toEqual(["ledger.sqlite", "ledger.sqlite.damaged.<when>"]);
		}
	});
});

test("a folder in its place is named in the error", async () => {
	const file = join(scratch.folder(), "ledger.sqlite");
	mkdirSync(file);
	await expect(openLedger(file)).rejects.toThrow(file);
});
