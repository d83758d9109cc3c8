import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { selectRuns } from "../../src/ledger/records.ts";
import { mostAtOnce, readAudit } from "./audit.ts";
import { admission } from "./samples.ts";
import { useScratch } from "./scratch.ts";

const scratch = useScratch();

test("four processes work off 400 runs, one of them is killed, and every run ends exactly once", async () => {
	const TOTAL = 400;
	const LANE = 4;
	const ledger = await scratch.ledger();
	const folder = scratch.folder();
	// A process that is late on a busy machine loses what it has: no run may fail for that.
	const maxAttempts = 100;
	for (let n = 0; n < TOTAL; n++) {
		const parentSession = `parent ${n % 7}`;
		admitRun(ledger, admission({ parentSession, laneLimit: LANE, maxAttempts, at: Date.now() }));
	}

	const peers = await Promise.all([scratch.peer(), scratch.peer(), scratch.peer(), scratch.peer()]);
	const [victim, ...others] = peers;
	if (!victim) throw new Error("There is no victim.");
	const job = { file: ledger.file, leaseMs: 600, total: TOTAL };
	const auditOf = ({ pid }: { pid: number }) => join(folder, `${pid}.jsonl`);
	const holding = victim.says("holding");
	const fate = victim.call("workOff", { ...job, audit: auditOf(victim), endsBeforeDeath: 5 }).catch(String);
	await holding;
	const working = Promise.all(others.map((peer) => peer.call("workOff", { ...job, audit: auditOf(peer) })));
	const ended = () => ledger.get<{ n: number }>("SELECT count(*) AS n FROM runs WHERE state = 'ended'")?.n ?? 0;
	while (ended() < TOTAL / 4) await sleep(5);
	await victim.kill();
	expect(await fate).toContain("gone");
	await working;

	const audit = peers.flatMap((peer) => readAudit(auditOf(peer)));
	const endings = new Map<string, number>();
	for (const { what, run } of audit) if (what === "ended") endings.set(run, (endings.get(run) ?? 0) + 1);
	for (const { run } of selectRuns(ledger, "TRUE")) {
		if (run.state !== "ended") throw new Error(`Run ${run.id} is ${run.state}.`);
		expect(run.outcome.status).toBe("success");
		// The victim may have died between ending a run and saying so.
		const byVictim = run.outcome.output === String(victim.pid);
		expect(endings.get(run.id) ?? (byVictim ? 1 : 0)).toBe(1);
	}
	expect(ended()).toBe(TOTAL);
	expect(mostAtOnce(audit)).toBeLessThanOrEqual(LANE);
	expect(mostAtOnce(audit)).toBeGreaterThan(1);
	expect(audit.filter(({ what }) => what === "taken back").length).toBeGreaterThan(0);
	expect(ledger.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
	expect(ledger.all("PRAGMA foreign_key_check")).toEqual([]);
});
