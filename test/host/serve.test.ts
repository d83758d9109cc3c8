import { expect, test } from "vitest";
import { Host } from "../../src/host/serve.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { findOrReserveHost } from "../../src/ledger/hosts.ts";
import { endRun, requestStop } from "../../src/ledger/progress.ts";
import { NO_LOG } from "../../src/log/log.ts";
import { HEARTBEAT_MS, LEASE_MS } from "../../src/processes/lease.ts";
import type { EndCause, Outcome } from "../../src/run/outcome.ts";
import { NO_USER } from "../../src/supervise/ask.ts";
import { HostConnection, type WatchListener } from "../../src/supervise/connection.ts";
import { admission, outcomeOf, success } from "../ledger/samples.ts";
import { PLACES } from "../simulation/places.ts";
import { quietWorld } from "../simulation/quiet-world.ts";

const IDLE_MS = 5000;

/** A host in virtual time, whose children end when the test says so, or when they are stopped. */
function scene() {
	const world = quietWorld();
	const { scheduler } = world;
	const process = world.start("host");
	const ledger = world.database.ledgerOf(process);
	const profile = { digest: "p" };
	const reservation = { profile, at: scheduler.now, startWithinMs: 1000, socketOf: () => "/hosts/1.sock" };
	const { host: record } = findOrReserveHost(ledger, reservation);
	const children: ((outcome: Outcome) => void)[] = [];
	const host = new Host({
		id: record.id,
		profile,
		runsHooks: true,
		forOneRun: false,
		socket: record.socket,
		idleMs: IDLE_MS,
		ledger,
		log: NO_LOG,
		places: PLACES,
		ports: process.ports,
		retentionDays: () => undefined,
		warmUp: async () => {},
		startWork: () => {
			const { promise, resolve } = Promise.withResolvers<{ outcome: Outcome; settled: boolean }>();
			children.push((outcome) => resolve({ outcome, settled: true }));
			const stop = (cause: EndCause) => resolve({ outcome: outcomeOf(undefined, cause), settled: true });
			return { stop, done: promise };
		},
		childServices: () => ({}) as never,
	});
	let hasLeft = false;
	const served = host.serve().then(() => {
		hasLeft = true;
	});
	const pass = (ms: number): Promise<void> => {
		const until = scheduler.elapsed + ms;
		world.after(ms, () => {});
		return scheduler.run(() => scheduler.elapsed >= until);
	};
	const admit = () => admitRun(ledger, admission({ at: scheduler.now })).run.id;
	const runs = () => ledger.all("SELECT state, outcome ->> '$.cause' AS cause FROM runs ORDER BY seq");
	const hostRow = () => ledger.get<{ state: string; until: number }>("SELECT state, lease_until AS until FROM hosts");
	return { world, ledger, host, children, served, pass, admit, runs, hostRow, hasLeft: () => hasLeft };
}

test("a host claims queued runs, records how they ended, and leaves after a while without work", async () => {
	const { admit, children, pass, runs, hostRow, served } = scene();
	admit();
	await pass(1000);
	expect([runs(), hostRow()?.state]).toEqual([[{ state: "running", cause: null }], "ready"]);
	children[0]?.(success());
	await pass(100);
	expect(runs()).toEqual([{ state: "ended", cause: "finalized" }]);
	await pass(IDLE_MS + HEARTBEAT_MS);
	await served;
	expect(hostRow()?.state).toBe("gone");
});

test("without a hint it finds a queued run and a stop request by itself", async () => {
	const { ledger, world, admit, pass, runs } = scene();
	await pass(100);
	const id = admit();
	await pass(HEARTBEAT_MS);
	expect(runs()).toEqual([{ state: "running", cause: null }]);
	requestStop(ledger, id, { at: world.scheduler.now, by: "the user" });
	await pass(HEARTBEAT_MS);
	expect(runs()).toEqual([{ state: "ended", cause: "stopped" }]);
});

test("as long as it has a run it stays, and renews its lease", async () => {
	const { world, admit, pass, hostRow, hasLeft } = scene();
	admit();
	await pass(3 * LEASE_MS);
	expect(hasLeft()).toBe(false);
	expect(hostRow()?.until).toBeGreaterThan(world.scheduler.now);
});

test("a parent that stays connected keeps it only while a run that it watches has not finished", async () => {
	const { world, admit, children, pass, served, hasLeft } = scene();
	const parent = world.start("p0");
	await pass(100);
	const connecting = HostConnection.open("/hosts/1.sock", parent.ports);
	await pass(100);
	const connection = await connecting;
	const listener: WatchListener = { hasUser: false, onHint: () => {}, onAsk: async () => NO_USER };
	connection.watch(admit(), listener);
	// Of another host.
	const elsewhere = world.database.ledgerOf(parent);
	const other = admitRun(elsewhere, admission({ at: world.scheduler.now, profile: "other" })).run.id;
	connection.watch(other, listener);
	await pass(1000);
	children[0]?.(success());
	await pass(2 * (IDLE_MS + HEARTBEAT_MS));
	expect([hasLeft(), connection.isOpen]).toEqual([false, true]);
	endRun(elsewhere, { id: other, fence: 0, outcome: success(), at: world.scheduler.now });
	await pass(2 * (IDLE_MS + HEARTBEAT_MS));
	await served;
	expect(connection.isOpen).toBe(false);
});

test("what ended while the ledger could not be written to is recorded afterwards", async () => {
	const { world, admit, children, pass, runs } = scene();
	admit();
	await pass(1000);
	const { elapsed } = world.scheduler;
	world.history.troubles.push({ what: "ledger", kind: "full", from: elapsed, to: elapsed + 8000 });
	children[0]?.(success());
	await pass(7000);
	expect(runs()).toEqual([{ state: "running", cause: null }]);
	await pass(1000 + HEARTBEAT_MS);
	expect(runs()).toEqual([{ state: "ended", cause: "finalized" }]);
});

test("a host that is ended from outside gives its unfinished runs to the next host at once", async () => {
	const { host, admit, children, pass, runs, ledger, world } = scene();
	admit();
	admit();
	await pass(1000);
	children[0]?.(success());
	await Promise.resolve();
	host.abandon();
	expect(runs()).toEqual([
		{ state: "ended", cause: "finalized" },
		{ state: "running", cause: null },
	]);
	const left = ledger.get<{ until: number }>("SELECT lease_until AS until FROM runs WHERE state = 'running'");
	expect(left?.until).toBeLessThanOrEqual(world.scheduler.now);
});
