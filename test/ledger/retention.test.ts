import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { archiveDueSessions } from "../../src/ledger/archive.ts";
import { findHost, hostGone } from "../../src/ledger/hosts.ts";
import { sendToRun } from "../../src/ledger/inbox.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { placesIn } from "../../src/ledger/places.ts";
import { findRun } from "../../src/ledger/records.ts";
import { removeExpired, takeDailyTurn } from "../../src/ledger/retention.ts";
import { findSession } from "../../src/ledger/sessions.ts";
import { removeAllExpired } from "../../src/operate/gc.ts";
import { newSessionId } from "../../src/run/ids.ts";
import { claimNext } from "./one-run.ts";
import { pastRun } from "./past.ts";
import { admission } from "./samples.ts";
import { readyHost, useScratch } from "./scratch.ts";

const scratch = useScratch();

const DAY = 24 * 60 * 60_000;

const open = async () => {
	const folder = scratch.folder();
	const places = placesIn(join(folder, "agent"));
	const ledger = await scratch.ledger(places.ledger);
	const sessions = join(folder, "sessions");
	mkdirSync(sessions);
	mkdirSync(places.hosts, { recursive: true });
	const tidy = (at: number, retentionDays = 30) => removeAllExpired(ledger, { at, retentionDays, places });
	return { ledger, folder: sessions, places, tidy };
};

const count = (ledger: Ledger, table: string): number =>
	ledger.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? 0;

const isWhole = (ledger: Ledger): boolean =>
	ledger.all("PRAGMA foreign_key_check").length === 0 &&
	ledger.get<{ integrity_check: string }>("PRAGMA integrity_check")?.integrity_check === "ok";

test("expired runs are removed with everything that belongs to them, and the rest stays", async () => {
	const { ledger, folder, tidy } = await open();
	const old = pastRun(ledger, { folder, ended: DAY, long: true });
	const archived = pastRun(ledger, { folder, ended: DAY, long: true });
	sendToRun(ledger, pastRun(ledger, { folder, delivered: null }).run.id, { body: "a word", at: 1 });
	const young = pastRun(ledger, { folder, ended: 2 * DAY });
	ledger.run("UPDATE runs SET archive_at = NULL WHERE id <> ?", archived.run.id);
	archiveDueSessions(ledger, DAY + 3_600_000);
	expect(readdirSync(folder)).toHaveLength(6);

	expect(await tidy(31 * DAY - 1)).toMatchObject({ runs: 0, sessions: 0, files: 0, bytes: 0 });
	// The archived one counts from when it was put away.
	expect(await tidy(31 * DAY)).toEqual({ runs: 1, sessions: 1, hosts: 0, trees: 0, files: 2, bytes: 25, failed: [] });
	expect([old.file, old.answer].some(existsSync)).toBe(false);
	expect(findRun(ledger, old.run.id)).toBeUndefined();
	expect(findSession(ledger, old.sessionId)).toBeUndefined();
	expect(await tidy(31 * DAY + 3_600_000)).toMatchObject({ runs: 1, sessions: 1, files: 2, bytes: 25 });
	expect(findRun(ledger, young.run.id)?.run.state).toBe("ended");
	expect(readdirSync(folder)).toHaveLength(2);
	expect(isWhole(ledger)).toBe(true);
});

describe("never", () => {
	test("a run that is open or owed, however old", async () => {
		const { ledger, folder, tidy } = await open();
		const owed = pastRun(ledger, { folder, delivered: null });
		admitRun(ledger, admission({ profile: "p" }));
		const running = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 0, leaseMs: 1 });
		admitRun(ledger, admission({ profile: "q" }));
		expect(running?.run.state).toBe("running");
		expect(await tidy(1000 * DAY)).toMatchObject({ runs: 0, sessions: 0, files: 0 });
		expect(count(ledger, "runs")).toBe(3);
		expect(existsSync(owed.file)).toBe(true);
	});

	test("one that was told a short while ago, though it ended long before", async () => {
		const { ledger, folder, tidy } = await open();
		const { file } = pastRun(ledger, { folder, ended: 0, delivered: 100 * DAY });
		expect(await tidy(101 * DAY)).toMatchObject({ runs: 0 });
		expect(existsSync(file)).toBe(true);
		expect(await tidy(130 * DAY)).toMatchObject({ runs: 1, sessions: 1 });
	});

	test("the transcript of a session that still has a run: only what was of the old one alone", async () => {
		const { ledger, folder, tidy } = await open();
		const old = pastRun(ledger, { folder, mode: "foreground", long: true });
		const { file, sessionId } = old;
		const young = pastRun(ledger, { folder, session: sessionId, mode: "foreground", ended: 40 * DAY, long: true });
		sendToRun(ledger, young.run.id, { body: "a word", at: 1 });
		expect(await tidy(41 * DAY)).toMatchObject({ runs: 1, sessions: 0, files: 1 });
		expect([file, old.answer, young.answer].map(existsSync)).toEqual([true, false, true]);
		expect(findSession(ledger, sessionId)?.archivedAt).toBeUndefined();
		expect(admitRun(ledger, admission({ session: sessionId })).run.state).toBe("queued");
		expect(isWhole(ledger)).toBe(true);
	});

	test("what a file that cannot be removed belongs to", async () => {
		const { ledger, folder, tidy } = await open();
		const stuck = pastRun(ledger, { folder });
		const free = pastRun(ledger, { folder });
		rmSync(stuck.file);
		mkdirSync(stuck.file);
		expect(await tidy(40 * DAY)).toMatchObject({ runs: 1, sessions: 1, failed: [stuck.file] });
		expect(findRun(ledger, stuck.run.id)).toBeDefined();
		expect(findRun(ledger, free.run.id)).toBeUndefined();
	});
});

test("a hundred that cannot be removed do not stand in the way of the others", async () => {
	const { ledger, folder, tidy } = await open();
	for (let n = 0; n < 120; n++) {
		const { file } = pastRun(ledger, { folder, ended: n });
		rmSync(file);
		mkdirSync(file);
	}
	const free = pastRun(ledger, { folder, ended: 200 });
	const removed = await tidy(40 * DAY);
	expect(removed).toMatchObject({ runs: 1, sessions: 1 });
	expect(removed.failed).toHaveLength(120);
	expect(findRun(ledger, free.run.id)).toBeUndefined();
});

test("what is owed to a session that was never saved expires: no one can open that session again", async () => {
	const { ledger, folder, tidy } = await open();
	const unheard = pastRun(ledger, { folder, delivered: null, afterwards: { parentKept: false } });
	pastRun(ledger, { folder, delivered: null });
	expect(await tidy(30 * DAY - 1)).toMatchObject({ runs: 0 });
	expect(await tidy(30 * DAY)).toMatchObject({ runs: 1, sessions: 1, files: 1 });
	expect(findRun(ledger, unheard.run.id)).toBeUndefined();
	expect(count(ledger, "runs")).toBe(1);
	expect(isWhole(ledger)).toBe(true);
});

test("messages go with their run", async () => {
	const { ledger, folder, tidy } = await open();
	const { run } = pastRun(ledger, { folder });
	ledger.run("INSERT INTO inbox (run_id, body, created_at) VALUES (?, 'a word', 1)", run.id);
	expect(await tidy(40 * DAY)).toMatchObject({ runs: 1 });
	expect([count(ledger, "inbox"), count(ledger, "runs"), count(ledger, "sessions")]).toEqual([0, 0, 0]);
});

test("a crash between the files and the rows is completed by the next", async () => {
	const { ledger, folder, tidy } = await open();
	const { file, sessionId } = pastRun(ledger, { folder });
	ledger.run("UPDATE sessions SET archived_at = ? WHERE id = ?", 40 * DAY, sessionId);
	rmSync(file);
	expect(await tidy(41 * DAY)).toMatchObject({ runs: 1, sessions: 1, files: 0 });
});

test("what Node compiled for hosts goes a month after it was written", async () => {
	const { places, tidy } = await open();
	const folder = join(places.compiled, "v24-x64");
	mkdirSync(folder, { recursive: true });
	for (const [name, at] of [
		["old", 0],
		["young", 1],
	] as const) {
		writeFileSync(join(folder, name), "code");
		utimesSync(join(folder, name), at, at);
	}
	expect(await tidy(30 * DAY)).toMatchObject({ files: 1, bytes: 4, failed: [] });
	expect(readdirSync(folder)).toEqual(["young"]);
});

test("hosts and their logs go some days after they were last heard of", async () => {
	const { ledger, places, tidy } = await open();
	const now = 100 * DAY;
	const touch = (file: string, at: number) => {
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, "a log");
		utimesSync(file, at / 1000, at / 1000);
	};
	const [gone, killed, fresh, live] = [1, 2, 3, 4].map(() => readyHost(ledger, { leaseUntil: 90 * DAY }));
	if (!gone || !killed || !fresh || !live) throw new Error("No hosts.");
	hostGone(ledger, gone, 90 * DAY);
	ledger.run("UPDATE hosts SET lease_until = ? WHERE id = ?", now - DAY, fresh);
	admitRun(ledger, admission({ profile: "p" }));
	claimNext(ledger, { hostId: live, profile: "p", at: 0, leaseMs: 1 });
	for (const id of [gone, killed, fresh, live]) touch(places.log(id), 90 * DAY);
	touch(places.log("00000000" as typeof gone), 90 * DAY);
	touch(`${places.log("00000000" as typeof gone)}.1`, 90 * DAY);
	touch(places.log("11111111" as typeof gone), now - DAY);
	touch(join(places.hosts, "notes.txt"), 0);
	expect(await tidy(now)).toMatchObject({ hosts: 2, files: 4 });
	expect([gone, killed, fresh, live].map((id) => findHost(ledger, id) !== undefined)).toEqual([
		false,
		false,
		true,
		true,
	]);
	expect(readdirSync(places.hosts).sort()).toEqual([`${fresh}.log`, `${live}.log`, "11111111.log", "notes.txt"].sort());
});

test("one call does no more than some, all of them do everything", async () => {
	const { ledger, folder, places, tidy } = await open();
	for (let n = 0; n < 250; n++) pastRun(ledger, { folder, ended: n });
	const retention = { at: 40 * DAY, retentionDays: 30, places };
	expect(removeExpired(ledger, retention)).toMatchObject({
		runs: 100,
		sessions: 100,
		next: { endedAt: 99 },
	});
	expect(await tidy(40 * DAY)).toMatchObject({ runs: 150, sessions: 150, files: 150 });
	expect(readdirSync(folder)).toEqual([]);
});

const lastTidied = (ledger: Ledger) =>
	ledger.get<{ done_at: number }>("SELECT done_at FROM chores WHERE name = 'gc'")?.done_at;

test("the turn to tidy up comes once a day, whichever process asks", async () => {
	const { ledger, tidy } = await open();
	expect(lastTidied(ledger)).toBeUndefined();
	expect([takeDailyTurn(ledger, DAY), takeDailyTurn(ledger, DAY), takeDailyTurn(ledger, 2 * DAY - 1)]).toEqual([
		true,
		false,
		false,
	]);
	await tidy(2 * DAY - 1);
	expect(takeDailyTurn(ledger, 2 * DAY)).toBe(false);
	expect(takeDailyTurn(ledger, 3 * DAY)).toBe(true);
	expect(lastTidied(ledger)).toBe(3 * DAY);
});

test("a copy of a conversation goes if its run was never admitted, and with the session that it was made for", async () => {
	const { ledger, folder, places, tidy } = await open();
	const kept = pastRun(ledger, { folder, ended: DAY });
	mkdirSync(places.forks, { recursive: true });
	const file = (name: string) => join(places.forks, name);
	for (const id of [newSessionId(), kept.sessionId]) writeFileSync(file(`${id}.jsonl`), "{}\n");
	writeFileSync(file("README"), "Not ours.");
	for (const name of readdirSync(places.forks)) utimesSync(file(name), DAY / 1000, DAY / 1000);
	// It may be just about to be admitted.
	expect(await tidy(DAY + 3_599_999)).toMatchObject({ files: 0 });
	expect(await tidy(DAY + 3_600_000)).toMatchObject({ files: 1, sessions: 0 });
	expect(readdirSync(places.forks).sort()).toEqual([`${kept.sessionId}.jsonl`, "README"].sort());
	expect(await tidy(32 * DAY)).toMatchObject({ sessions: 1 });
	expect(readdirSync(places.forks)).toEqual(["README"]);
});
