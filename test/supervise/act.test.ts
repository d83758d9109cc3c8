import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { openRunsOf } from "../../src/ledger/open-runs.ts";
import { newRunId, type RunId } from "../../src/run/ids.ts";
import { type Acting, actOnRun } from "../../src/supervise/act.ts";
import { Calls, type WatchOptions } from "../../src/supervise/calls.ts";
import type { WatchListener } from "../../src/supervise/connection.ts";
import type { RunAction } from "../../src/supervise/decide.ts";
import { WatchedRuns } from "../../src/supervise/watched-runs.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

/** A queued run with a caller, and a host that can be reached or not. */
async function scene({
	isReachable = true,
	laneLimit = 1,
	...options
}: { isReachable?: boolean; laneLimit?: number } & WatchOptions = {}) {
	const ledger = await scratch.ledger();
	const { run, parentSession } = admitRun(ledger, admission({ laneLimit }));
	const [calls, listeners, done]: [Calls, WatchListener[], string[]] = [new Calls(), [], []];
	const answer = calls.add(run.id, options, () => {});
	const connection = {
		wake: () => done.push("wake"),
		watch: (id: RunId, listener: WatchListener) => {
			listeners.push(listener);
			done.push(`watch ${id === run.id}, follows ${listener.onProgress !== undefined}, user ${listener.hasUser}`);
			return () => done.push("unwatch");
		},
	};
	const watched = new WatchedRuns(calls, () => done.push("hint"));
	const hosts = { reach: () => (isReachable ? connection : undefined) };
	const acting = { ledger, calls, watched, hosts } as unknown as Acting;
	const [caller] = calls.callers;
	const open = new Map(openRunsOf(ledger, parentSession, 0).map((one) => [one.id, one]));
	return {
		ledger,
		id: run.id,
		caller: caller ?? expect.fail("no caller"),
		answer,
		done,
		watched,
		open,
		listeners,
		act: (action: RunAction, ended = new Map()) => actOnRun(acting, action, { open, ended }),
	};
}

test("a caller gets the record that this look found, or nothing if it leaves", async () => {
	const one = await scene();
	const record = { run: { state: "ended" } };
	one.act({ do: "answer", caller: one.caller }, new Map([[one.id, record]]));
	expect(await one.answer).toBe(record);
	const other = await scene();
	other.act({ do: "let leave", caller: other.caller });
	expect(await other.answer).toBeUndefined();
});

test("the caller of a run that is no longer in the ledger gets an error that says so", async () => {
	const { ledger, id, caller, answer, act } = await scene();
	ledger.run("DELETE FROM runs");
	act({ do: "fail", caller });
	await expect(answer).rejects.toThrow(`Run ${id} is not in the ledger any more, so its outcome is unknown.`);
});

test.each([
	[0, { position: 0, sessionBusy: false, starting: true }],
	[1, { position: 1, sessionBusy: false, starting: false }],
])("a caller whose run has %d before it in a lane of one hears why it waits", async (place, expected) => {
	const heard: unknown[] = [];
	const { caller, act } = await scene({ laneLimit: 1, onQueued: (why) => heard.push(why) });
	act({ do: "tell place", caller, place });
	expect(heard).toEqual([expected]);
});

test.each([
	["has a place", 0, 0],
	["waits for others", 3, 1],
])("a caller whose host has heard of the run is told its place only if it waits: it %s", async (_name, place, told) => {
	const heard: unknown[] = [];
	const { id, caller, act, watched, open } = await scene({ onQueued: (why) => heard.push(why) });
	watched.begin(undefined, [...open.values()]);
	act({ do: "reach", runId: id });
	act({ do: "tell place", caller, place });
	expect(heard).toHaveLength(told);
});

test("a caller that was told another place hears that its run starts, although the host has heard of it", async () => {
	const heard: unknown[] = [];
	const { id, caller, act, watched, open } = await scene({ onQueued: (why) => heard.push(why) });
	watched.begin(undefined, [...open.values()]);
	act({ do: "reach", runId: id });
	act({ do: "tell place", caller: { ...caller, knownPlace: 2 }, place: 0 });
	expect(heard).toEqual([{ position: 0, sessionBusy: false, starting: true }]);
});

test("a host that is reached is listened to once, and woken while the run waits", async () => {
	const { id, act, done, watched, open } = await scene({ onProgress: () => {} });
	watched.begin(undefined, [...open.values()]);
	act({ do: "reach", runId: id });
	expect([done, watched.isComplete, [...watched.ids]]).toEqual([["watch true, follows true, user false"], true, [id]]);
	act({ do: "reach", runId: id });
	watched.wakeHosts();
	watched.wakeHosts();
	expect(done.slice(1)).toEqual(["wake"]);
	act({ do: "unwatch", runId: id });
	expect([done.at(-1), watched.ids.size]).toEqual(["unwatch", 0]);
});

test("a look without a connection to each host is not complete, and one without the run does nothing", async () => {
	const { id, act, done, watched, open } = await scene({ isReachable: false });
	watched.begin(undefined, [...open.values()]);
	act({ do: "reach", runId: newRunId() });
	expect(watched.isComplete).toBe(true);
	act({ do: "reach", runId: id });
	expect([watched.isComplete, done]).toEqual([false, []]);
});

test("who follows a run, and whether a user is there, is said again when it changes", async () => {
	const { id, act, done, watched, open, listeners } = await scene();
	const all = [...open.values()];
	const heard: unknown[] = [];
	watched.begin(undefined, all);
	act({ do: "reach", runId: id });
	const session = {
		hasUser: true,
		followed: () => new Set([id]),
		heard: (_id: RunId, told: unknown) => heard.push(told),
	};
	watched.begin(session as never, all);
	act({ do: "reach", runId: id });
	expect(done).toEqual(["watch true, follows false, user false", "unwatch", "watch true, follows true, user true"]);
	listeners.at(-1)?.onProgress?.("progress" as never);
	expect(heard).toEqual(["progress"]);
});
