import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { admitRun, SessionArchived } from "../../src/ledger/admit.ts";
import { archiveDueSessions, transcriptToAnnounce } from "../../src/ledger/archive.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import { findRun } from "../../src/ledger/records.ts";
import { archivedFile } from "../../src/ledger/session-files.ts";
import { findSession } from "../../src/ledger/sessions.ts";
import type { RunId } from "../../src/run/ids.ts";
import { settleDelivery } from "./one-run.ts";
import { pastRun } from "./past.ts";
import { admission, success } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const HOUR = 60 * 60_000;

const archivedAt = (ledger: Ledger, id: RunId): number | undefined => {
	const run = findRun(ledger, id)?.run;
	return run?.state === "ended" ? run.archivedAt : undefined;
};

test("an hour after it was delivered, a session is put away, not its long answer, and cannot be continued", async () => {
	const ledger = await scratch.ledger();
	const folder = scratch.folder();
	const { run, sessionId, file, answer } = pastRun(ledger, { folder, ended: 5, delivered: 10, long: true });
	expect(archiveDueSessions(ledger, HOUR + 9).archived).toEqual([]);
	expect(readdirSync(folder)).toHaveLength(2);

	expect(archiveDueSessions(ledger, HOUR + 10)).toEqual({ archived: [sessionId], failed: [] });
	const names = [`${basename(file)}.deleted.1970-01-01T01-00-00.010Z`, basename(answer)];
	expect(readdirSync(folder).sort()).toEqual(names.sort());
	expect(archivedAt(ledger, run.id)).toBe(HOUR + 10);
	expect(findSession(ledger, sessionId)?.archivedAt).toBe(HOUR + 10);
	expect(archiveDueSessions(ledger, 2 * HOUR).archived).toEqual([]);
	expect(() => admitRun(ledger, admission({ session: sessionId }))).toThrow(SessionArchived);
});

describe("when it is due", () => {
	test("cleanup: delete is due at once, 0 minutes never", async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const now = pastRun(ledger, { folder, delivered: 7, afterwards: { cleanup: "delete", archiveAfterMinutes: 0 } });
		pastRun(ledger, { folder, delivered: 7, afterwards: { archiveAfterMinutes: 0 } });
		pastRun(ledger, { folder, delivered: 7, mode: "foreground" });
		expect(archiveDueSessions(ledger, 6).archived).toEqual([]);
		expect(archiveDueSessions(ledger, 7).archived).toEqual([now.sessionId]);
		expect(archiveDueSessions(ledger, Number.MAX_SAFE_INTEGER).archived).toEqual([]);
	});

	test("never before the outcome is delivered", async () => {
		const ledger = await scratch.ledger();
		const { run, sessionId } = pastRun(ledger, { folder: scratch.folder(), delivered: null });
		expect(archiveDueSessions(ledger, Number.MAX_SAFE_INTEGER).archived).toEqual([]);
		settleDelivery(ledger, run.id, 10 * HOUR);
		expect(archiveDueSessions(ledger, 11 * HOUR - 1).archived).toEqual([]);
		expect(archiveDueSessions(ledger, 11 * HOUR).archived).toEqual([sessionId]);
	});

	test("the time of a continued session starts again, and its last run decides", async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const first = pastRun(ledger, { folder });
		const session = first.sessionId;
		const open = admitRun(ledger, admission({ session, mode: "background" }));
		expect(archiveDueSessions(ledger, 5 * HOUR).archived).toEqual([]);
		endRun(ledger, { id: open.run.id, fence: 0, outcome: success(), at: 5 * HOUR });
		expect(archiveDueSessions(ledger, 6 * HOUR).archived).toEqual([]);
		settleDelivery(ledger, open.run.id, 6 * HOUR);
		expect(archiveDueSessions(ledger, 7 * HOUR - 1).archived).toEqual([]);
		expect(archiveDueSessions(ledger, 7 * HOUR).archived).toEqual([session]);
		expect([first, open].map(({ run }) => archivedAt(ledger, run.id))).toEqual([7 * HOUR, 7 * HOUR]);
	});

	test("a session that is continued in the foreground is kept", async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const { sessionId: session } = pastRun(ledger, { folder });
		pastRun(ledger, { folder, session, mode: "foreground" });
		expect(archiveDueSessions(ledger, Number.MAX_SAFE_INTEGER).archived).toEqual([]);
	});

	test("two runs of a session that were admitted together: the later one decides, whichever is announced first", async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const first = pastRun(ledger, { folder, delivered: null });
		const session = first.sessionId;
		const second = pastRun(ledger, { folder, session, delivered: 0 });
		expect(archiveDueSessions(ledger, 9 * HOUR).archived).toEqual([]);
		settleDelivery(ledger, first.run.id, 9 * HOUR);
		expect(archiveDueSessions(ledger, 9 * HOUR).archived).toEqual([session]);
		expect(archivedAt(ledger, second.run.id)).toBe(9 * HOUR);
	});
});

describe("the next process that looks completes what a crash left half done", () => {
	const due = async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const past = pastRun(ledger, { folder });
		const mark = () => ledger.run("UPDATE sessions SET archived_at = ? WHERE id = ?", HOUR, past.sessionId);
		return { ledger, folder, past, mark };
	};

	test.each(["nothing", "the transcript"])("marked, and %s renamed", async (renamed) => {
		const { ledger, folder, past, mark } = await due();
		mark();
		if (renamed !== "nothing") renameSync(past.file, archivedFile(past.file, HOUR));
		expect(archiveDueSessions(ledger, 2 * HOUR).archived).toEqual([past.sessionId]);
		expect(readdirSync(folder)).toEqual([basename(archivedFile(past.file, HOUR))]);
		expect(archivedAt(ledger, past.run.id)).toBe(HOUR);
	});

	test("a transcript that the user removed does not stand in the way", async () => {
		const { ledger, past } = await due();
		rmSync(past.file);
		expect(archiveDueSessions(ledger, HOUR).archived).toEqual([past.sessionId]);
	});

	test("a file that cannot be renamed is tried again later, and not at every look", async () => {
		const { ledger, past } = await due();
		const inTheWay = archivedFile(past.file, HOUR);
		mkdirSync(inTheWay);
		expect(archiveDueSessions(ledger, HOUR)).toMatchObject({ archived: [], failed: [{ sessionId: past.sessionId }] });
		expect(archiveDueSessions(ledger, HOUR + 60_000)).toEqual({ archived: [], failed: [] });
		rmSync(inTheWay, { recursive: true });
		expect(archiveDueSessions(ledger, HOUR + 11 * 60_000).archived).toEqual([past.sessionId]);
	});
});

test("three processes at once put each session away once", async () => {
	const ledger = await scratch.ledger();
	const folder = scratch.folder();
	const runs = Array.from({ length: 60 }, () => pastRun(ledger, { folder }));
	const peers = await Promise.all([1, 2, 3].map(() => scratch.peer()));
	const startAt = Date.now() + 200;
	await Promise.all(peers.map((peer, index) => peer.call("archive", { file: ledger.file, startAt, at: HOUR + index })));
	const names = readdirSync(folder);
	expect(names).toHaveLength(60);
	expect(names.every((name) => name.includes(".deleted."))).toBe(true);
	expect(runs.every(({ run }) => archivedAt(ledger, run.id) !== undefined)).toBe(true);
});

test("one look puts away no more than some, and the next ones do the rest", async () => {
	const ledger = await scratch.ledger();
	const folder = scratch.folder();
	for (let n = 0; n < 45; n++) pastRun(ledger, { folder });
	const looks = [1, 2, 3, 4].map(() => archiveDueSessions(ledger, HOUR).archived.length);
	expect(looks).toEqual([20, 20, 5, 0]);
});

describe("the transcript that an announce names", () => {
	const recordOf = (ledger: Ledger, id: RunId) => {
		const record = findRun(ledger, id);
		if (!record) throw new Error(`There is no run ${id}.`);
		return record;
	};
	const deleted = { cleanup: "delete", archiveAfterMinutes: 60 } as const;

	test("is the archived file, by a name that is decided then and never changes", async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const { run, sessionId, file } = pastRun(ledger, { folder, delivered: null, afterwards: deleted });
		const told = transcriptToAnnounce(ledger, recordOf(ledger, run.id), 50);
		expect(told).toBe(archivedFile(file, 50));
		// Made again after a crash, it is the same; from the first time on nobody can continue the session.
		expect(transcriptToAnnounce(ledger, recordOf(ledger, run.id), 60)).toBe(told);
		expect(() => admitRun(ledger, admission({ session: sessionId }))).toThrow(SessionArchived);
		expect(archiveDueSessions(ledger, 70).archived).toEqual([]);
		settleDelivery(ledger, run.id, 80);
		expect(archiveDueSessions(ledger, 90).archived).toEqual([sessionId]);
		expect(readdirSync(folder)).toEqual([basename(told)]);
	});

	test("is the file as it is, if it stays, or if another run continues the session", async () => {
		const ledger = await scratch.ledger();
		const folder = scratch.folder();
		const kept = pastRun(ledger, { folder, delivered: null });
		expect(transcriptToAnnounce(ledger, recordOf(ledger, kept.run.id), 50)).toBe(kept.file);
		const first = pastRun(ledger, { folder, delivered: null, afterwards: deleted });
		admitRun(ledger, admission({ session: first.sessionId, mode: "background" }));
		expect(transcriptToAnnounce(ledger, recordOf(ledger, first.run.id), 50)).toBe(first.file);
		expect(findSession(ledger, first.sessionId)?.archivedAt).toBeUndefined();
	});
});
