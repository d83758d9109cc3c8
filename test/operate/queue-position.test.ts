import { expect, test, vi } from "vitest";
import { createRedactor } from "../../src/collect/redact/redactor.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { claimRuns } from "../../src/ledger/claim.ts";
import { infoOf } from "../../src/operate/info.ts";
import { listSessions } from "../../src/operate/list.ts";
import { runListReport } from "../../src/operate/report/run-list.ts";
import { listRuns } from "../../src/operate/runs.ts";
import { admission } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const redactor = createRedactor({ secrets: [], homeDir: "/home/ali" });
const parentSession = "parent";

async function setUp({ running, queued }: { running: number; queued: number }) {
	const ledger = await scratch.ledger();
	const hostId = readyHost(ledger, { profile: "p" });
	const records = Array.from({ length: running + queued }, (_, at) =>
		admitRun(ledger, admission({ mode: "background", label: `run ${at}`, laneLimit: running, at })),
	);
	claimRuns(ledger, { hostId, profile: { digest: "p" }, at: 1, leaseMs: 1000, atMost: running });
	const sources = { ledger, redactor };
	const reads = vi.spyOn(ledger, "all");
	const looksAtQueue = () => reads.mock.calls.filter(([sql]) => sql.includes("INDEXED BY runs_queued")).length;
	return { records, sources, looksAtQueue };
}

test("lists and facts of queued runs say how many are ahead of each, after one look at the queue", async () => {
	const { records, sources, looksAtQueue } = await setUp({ running: 1, queued: 3 });
	const { runs } = listRuns({ parentSession, limit: 10 }, sources);
	expect(runs.map(({ label, queuePosition }) => [label, queuePosition])).toEqual([
		["run 3", 2],
		["run 2", 1],
		["run 1", 0],
		["run 0", undefined],
	]);
	expect(looksAtQueue()).toBe(1);
	const { sessions } = listSessions({ parentSession }, sources);
	expect(sessions.map(({ queuePosition }) => queuePosition)).toEqual([2, 1, 0, undefined]);
	expect(looksAtQueue()).toBe(2);
	expect(infoOf(records[2] ?? expect.fail("not admitted"), sources).queuePosition).toBe(1);
	const list = { runs, count: { total: 4, queued: 3, running: 1 } };
	const report = runListReport(list, { width: 100, now: 12_000 }).join("\n");
	expect(report).toMatch(/"run 1" +queued · next · 1[0-9]s/);
	expect(report).toMatch(/"run 3" +queued · 2 ahead · 1[0-9]s/);
});

test("a list without queued runs does not look at the queue", async () => {
	const { sources, looksAtQueue } = await setUp({ running: 2, queued: 0 });
	expect(listRuns({ parentSession, limit: 10 }, sources).runs).toHaveLength(2);
	expect(listSessions({ parentSession }, sources).sessions).toHaveLength(2);
	expect(looksAtQueue()).toBe(0);
});
