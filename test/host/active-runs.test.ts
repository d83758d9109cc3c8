import { expect, test } from "vitest";
import type { ClaimedRun, Work, WorkServices } from "../../src/child/work.ts";
import { ActiveRuns } from "../../src/host/active-runs.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { requestStop } from "../../src/ledger/progress.ts";
import { NO_LOG } from "../../src/log/log.ts";
import type { EndCause, Outcome } from "../../src/run/outcome.ts";
import { NO_REDACTOR } from "../helpers/as-it-is.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission, success } from "../ledger/samples.ts";
import { readyHost, useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

/** A run of this host whose child does what the test says. */
async function scene() {
	const ledger = await scratch.ledger();
	admitRun(ledger, admission());
	const record = claimNext(ledger, { hostId: readyHost(ledger), profile: "p", at: 1, leaseMs: 1000 });
	const claimed: ClaimedRun =
		record?.run.state === "running" ? { ...record, run: record.run } : expect.fail("no claim");
	const children: {
		stops: EndCause[];
		services: WorkServices;
		end: PromiseWithResolvers<Awaited<Work["done"]>>;
	}[] = [];
	const told: string[] = [];
	const outcomes: { attempt: number; outcome: Outcome }[] = [];
	const runs = new ActiveRuns(
		{
			ledger,
			log: NO_LOG,
			ports: { clock: { now: () => 5, elapsed: () => 5 } } as never,
			startWork: (_record, services) => {
				const child = { stops: [] as EndCause[], services, end: Promise.withResolvers<Awaited<Work["done"]>>() };
				children.push(child);
				return { stop: (cause) => child.stops.push(cause), done: child.end.promise };
			},
			childServices: () => ({ redactor: NO_REDACTOR }) as never,
		},
		{
			watchers: () => undefined,
			assertLeaseHeld: () => {},
			orLog: (_what, _id, write) => void write(),
			questionsOf: () => ({}) as never,
			onOutcome: ({ run }, outcome) => outcomes.push({ attempt: run.attempt, outcome }),
			onOver: () => told.push("over"),
			onStuck: (id) => told.push(`stuck ${id}`),
		},
	);
	const child = (nth = 0) => children[nth] ?? expect.fail("not started");
	return { ledger, claimed, id: claimed.run.id, runs, children, child, told, outcomes };
}

test("the outcome of a child is handed on, and its run is active until then", async () => {
	const { runs, claimed, id, child, outcomes, told } = await scene();
	const worked = runs.workOn(claimed);
	expect(runs.all).toEqual([{ id, fence: claimed.run.fence }]);
	child().end.resolve({ outcome: success(), settled: true });
	await worked;
	expect(outcomes).toEqual([{ attempt: 1, outcome: success() }]);
	expect([runs.size, told]).toEqual([0, ["over"]]);
});

test("of a run that was given to another host nothing is handed on", async () => {
	const { runs, claimed, id, child, outcomes, told } = await scene();
	const worked = runs.workOn(claimed);
	runs.letGo(id);
	expect(child().stops.map(({ kind }) => kind)).toEqual(["lost"]);
	child().end.resolve({ outcome: success(), settled: true });
	await worked;
	expect([outcomes, told]).toEqual([[], ["over"]]);
});

test("a run that comes back to its host waits until what is left of its last attempt is over", async () => {
	const { runs, claimed, id, children, child, outcomes } = await scene();
	const before = runs.workOn(claimed);
	runs.letGo(id);
	const again = runs.workOn({ ...claimed, run: { ...claimed.run, fence: claimed.run.fence + 2, attempt: 2 } });
	await Promise.resolve();
	expect(children).toHaveLength(1);
	child().end.resolve({ outcome: success("stale"), settled: true });
	await before;
	await expect.poll(() => children.length).toBe(2);
	child(1).end.resolve({ outcome: success("current"), settled: true });
	await again;
	expect(outcomes).toEqual([{ attempt: 2, outcome: success("current") }]);
});

test("a child that does not come to rest is reported as stuck, after its outcome", async () => {
	const { runs, claimed, id, child, outcomes, told } = await scene();
	const worked = runs.workOn(claimed);
	child().end.resolve({ outcome: success(), settled: false });
	await worked;
	expect([outcomes.length, told]).toEqual([1, [`stuck ${id}`, "over"]]);
});

test("work that fails ends its run as crashed", async () => {
	const { runs, claimed, child, outcomes, told } = await scene();
	const worked = runs.workOn(claimed);
	child().end.reject(new Error("a bug"));
	await worked;
	expect(outcomes.map(({ outcome }) => outcome.cause)).toEqual(["crashed"]);
	expect(told).toEqual(["over"]);
});

test("another attempt of the same host counts, as long as the run is its own", async () => {
	const { ledger, runs, claimed, child, outcomes } = await scene();
	const worked = runs.workOn(claimed);
	expect(child().services.beginAttempt()).toBe(true);
	ledger.run("UPDATE runs SET fence = fence + 1");
	expect(child().services.beginAttempt()).toBe(false);
	child().end.resolve({ outcome: success(), settled: true });
	await worked;
	expect(outcomes.map(({ attempt }) => attempt)).toEqual([2]);
});

test("a run with a stop request does not hop to another model, and its child is told why", async () => {
	const { ledger, runs, claimed, id, child } = await scene();
	void runs.workOn(claimed);
	const hop = { from: "test/a", to: "test/b", why: 429 } as never;
	expect(child().services.recordHop(hop)).toBe(true);
	requestStop(ledger, id, { at: 9, by: "the user" });
	expect(child().services.recordHop(hop)).toBe(false);
	expect(child().stops).toEqual([{ kind: "stopped", by: "the user" }]);
});

test("nothing is done about a run that is not here", async () => {
	const { runs, id, children } = await scene();
	runs.stop(id, "the user");
	runs.letGo(id);
	expect([children, runs.all]).toEqual([[], []]);
});
