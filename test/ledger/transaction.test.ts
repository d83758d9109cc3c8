import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { selectRuns } from "../../src/ledger/records.ts";
import { admission } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

const session = ["s", "scout", "/repo", "/s.jsonl", "d", 0];
const insertSession = "INSERT INTO sessions (id, agent, cwd, file, definition, created_at) VALUES (?, ?, ?, ?, ?, ?)";

test("what throws has changed nothing, and the next one works", async () => {
	const ledger = await scratch.ledger();
	const failing = () =>
		ledger.transaction("full", () => {
			ledger.run(insertSession, ...session);
			throw new Error("no");
		});
	expect(failing).toThrow("no");
	expect(ledger.get("SELECT count(*) AS n FROM sessions")).toEqual({ n: 0 });
	expect(ledger.transaction("normal", () => ledger.run(insertSession, ...session))).toBe(1);
	expect(failing).toThrow("UNIQUE");
	expect(ledger.get("SELECT count(*) AS n FROM sessions")).toEqual({ n: 1 });
});

test("one inside another is refused in plain words, whatever the durability, and undoes the outer one", async () => {
	const ledger = await scratch.ledger();
	for (const inner of ["full", "normal"] as const) {
		const nested = () =>
			ledger.transaction("full", () => {
				ledger.run(insertSession, ...session);
				return ledger.transaction(inner, () => undefined);
			});
		expect(nested).toThrow("A transaction of the ledger is open already.");
		expect(ledger.get("SELECT count(*) AS n FROM sessions")).toEqual({ n: 0 });
	}
	expect(admitRun(ledger, admission()).run.state).toBe("queued");
});

test("the first error is told when SQLite has rolled back by itself", async () => {
	const ledger = await scratch.ledger();
	const failing = () =>
		ledger.transaction("full", () => {
			ledger.run("ROLLBACK");
			throw new Error("the disk is full");
		});
	expect(failing).toThrow("the disk is full");
	expect(admitRun(ledger, admission()).run.state).toBe("queued");
});

test("a writer waits for another process that is writing", async () => {
	const ledger = await scratch.ledger();
	const peer = await scratch.peer();
	const locked = peer.says("locked");
	const until = join(scratch.folder(), "until");
	const held = peer.call("holdWriteLock", { file: ledger.file, until });
	await locked;
	const hasWritten = () => ledger.get("SELECT 1 FROM sqlite_schema WHERE name = 'held'") !== undefined;
	// Readers do not wait: the lock is not let go of before the next line.
	expect([selectRuns(ledger, "TRUE"), hasWritten()]).toEqual([[], false]);
	writeFileSync(until, "");
	expect(admitRun(ledger, admission()).run.state).toBe("queued");
	expect(hasWritten()).toBe(true);
	await held;
});

test("durability is what was asked for", async () => {
	const ledger = await scratch.ledger();
	const synchronous = () => ledger.get<{ synchronous: number }>("PRAGMA synchronous")?.synchronous;
	const seen = (["normal", "full", "normal"] as const).map((durability) => ledger.transaction(durability, synchronous));
	expect(seen).toEqual([1, 2, 1]);
});
