import { expect, test } from "vitest";
import type { OpenRun } from "../../src/ledger/open-runs.ts";
import type { RunId } from "../../src/run/ids.ts";
import { NO_USAGE } from "../../src/run/usage.ts";
import { LiveRuns } from "../../src/supervise/live-runs.ts";

const run = (id: string, state: OpenRun["state"] = "running"): OpenRun => ({
	id: id as RunId,
	state,
	profile: { digest: "p" },
});
const progress = (turnCount: number) => ({ displayItems: [], usage: NO_USAGE, turnCount });

function viewed(live: LiveRuns, ...ids: string[]) {
	const viewer = { changes: 0, shows: (id: RunId) => ids.includes(id), changed: () => void viewer.changes++ };
	return { viewer, detach: live.attach(viewer) };
}

test("tells viewers when other runs are open than before, and not at every look", () => {
	const live = new LiveRuns();
	const { viewer } = viewed(live);
	live.observe([run("a", "queued")]);
	live.observe([run("a", "queued")]);
	expect(viewer.changes).toBe(1);
	live.observe([run("a")]);
	live.observe([]);
	expect(viewer.changes).toBe(3);
});

test("tells a viewer of the runs that it shows, and no other", () => {
	const live = new LiveRuns();
	const { viewer, detach } = viewed(live, "a");
	live.heard("b" as RunId, progress(1));
	expect(viewer.changes).toBe(0);
	live.heard("a" as RunId, progress(1));
	expect(viewer.changes).toBe(1);
	detach();
	live.heard("a" as RunId, progress(2));
	expect(viewer.changes).toBe(1);
});

test("keeps the latest of some runs that are not shown yet, of all that are shown, and of none that are over", () => {
	const live = new LiveRuns();
	const ids = Array.from({ length: 1000 }, (_, n) => `run-${n}`);
	live.observe(ids.map((id) => run(id)));
	viewed(live, "run-999");
	for (const id of ids) live.heard(id as RunId, progress(1));
	const kept = () => ids.filter((id) => live.progressOf(id as RunId));
	expect(kept().length).toBeLessThan(60);
	expect(kept()).toContain("run-999");
	live.observe([run("run-0")]);
	expect(kept()).toEqual(["run-0", "run-999"]);
});

test("a run that a call waits for is among the open ones until the call has its answer", () => {
	const live = new LiveRuns();
	const { viewer } = viewed(live);
	live.observe([run("b")]);
	live.await("a" as RunId);
	expect(live.open).toMatchObject([{ id: "a", state: "queued" }, { id: "b" }]);
	live.heard("a" as RunId, { ...progress(1), startedAt: 1 });
	expect(live.open).toMatchObject([{ id: "a", state: "running" }, { id: "b" }]);
	live.observe([]);
	expect(live.progressOf("a" as RunId)).toBeDefined();
	live.endAwait("a" as RunId);
	expect(live.open).toEqual([]);
	expect(live.progressOf("a" as RunId)).toBeUndefined();
	expect(viewer.changes).toBe(4);
});
