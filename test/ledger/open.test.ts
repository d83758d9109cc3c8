import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { LedgerUnusable, openLedger } from "../../src/ledger/ledger.ts";
import { APPLICATION_ID, MIGRATIONS } from "../../src/ledger/schema.ts";
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

describe("what is not ours to use is refused with a remedy, and not touched", () => {
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

	test.each([
		["a text", "This is not a database, it is a note to myself.\n".repeat(20)],
		["a few bytes", "oops"],
		["a database cut off in its first page", undefined],
	])("%s", async (_name, text) => {
		const file = join(scratch.folder(), "ledger.sqlite");
		if (text === undefined) {
			const whole = join(scratch.folder(), "whole.sqlite");
			(await openLedger(whole)).close();
			writeFileSync(file, readFileSync(whole).subarray(0, 3000));
		} else writeFileSync(file, text);
		const before = bytesOf(file);
		const message = await refusalOf(file);
		expect(message).toContain(file);
		expect(message).toContain("Move it away");
		expect(bytesOf(file)).toEqual(before);
	});
});

test("a folder in its place is named in the error", async () => {
	const file = join(scratch.folder(), "ledger.sqlite");
	mkdirSync(file);
	await expect(openLedger(file)).rejects.toThrow(file);
});
