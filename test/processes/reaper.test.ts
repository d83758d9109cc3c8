import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { findHost, findOrReserveHost, type HostRecord, hostReady, renewLeases } from "../../src/ledger/hosts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { type Reaper, sweep } from "../../src/ledger/sweep.ts";
import { endProcess, isDead } from "../../src/processes/host-process.ts";
import { PATIENCE_MS } from "../../src/processes/lease.ts";
import { processStart } from "../../src/processes/process-start.ts";
import { createReaper, reapDead } from "../../src/processes/reaper.ts";
import { systemPorts } from "../../src/processes/system-ports.ts";
import { claimNext } from "../ledger/one-run.ts";
import { admission, outcomeOf } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();
const started: ChildProcess[] = [];
afterEach(() => {
	for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A process that does nothing, forever. */
async function idle(): Promise<{ pid: number; pidStarted: string }> {
	const child = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)"]);
	started.push(child);
	await once(child.stdout, "data");
	const pid = child.pid ?? 0;
	return { pid, pidStarted: processStart(pid) ?? "" };
}

/** A host with a run, whose lease runs out at 100. */
function hostAtWork(ledger: Ledger, process: { pid: number; pidStarted: string }): HostRecord {
	const socket = join(scratch.folder(), "host.sock");
	writeFileSync(socket, "");
	const want = { profile: { digest: "p" }, at: 0, startWithinMs: 1, socketOf: () => socket };
	const { host } = findOrReserveHost(ledger, want);
	hostReady(ledger, { id: host.id, ...process, leaseUntil: 100 });
	admitRun(ledger, admission());
	claimNext(ledger, { hostId: host.id, profile: "p", at: 0, leaseMs: 100 });
	return findHost(ledger, host.id) ?? expect.fail("There is no host.");
}

/** The folder of the sockets may be forbidden, and time passes only when told so. */
function inTrouble() {
	const now = { elapsed: 0, isForbidden: true };
	const remove = (address: string) => !now.isForbidden && systemPorts.wire.remove(address);
	const clock = { ...systemPorts.clock, now: () => 100, elapsed: () => now.elapsed };
	const ports = { ...systemPorts, clock, wire: { ...systemPorts.wire, remove } };
	return { now, ports };
}

/** As patient as it needs to be. */
const impatient = (): Reaper => ({ ...createReaper(systemPorts), mayReap: () => true });

describe.skipIf(process.platform !== "linux")("the process of a host", () => {
	test("is ended only if it is the one that the ledger means", async () => {
		const { pid, pidStarted } = await idle();
		endProcess({ pid, pidStarted: "another time" });
		endProcess({ pid, pidStarted: "" });
		expect(processStart(pid)).toBe(pidStarted);
		endProcess({ pid, pidStarted });
		expect(isDead({ pid, pidStarted })).toBe(true);
	});

	test("is ended while it is suspended", async () => {
		const host = await idle();
		process.kill(host.pid, "SIGSTOP");
		endProcess(host);
		expect(isDead(host)).toBe(true);
	});

	test("is never our own", () => {
		const ours = { pid: process.pid, pidStarted: processStart(process.pid) ?? "" };
		endProcess(ours);
		expect(isDead(ours)).toBe(false);
	});

	test("is dead once it has exited, collected by its parent or not", async () => {
		// A shell that has become another program, which never collects the child, by the time that the child ends.
		const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 60"]);
		started.push(parent);
		const [line] = (await once(parent.stdout, "data")) as [Buffer];
		const pid = Number(line.toString());
		await expect.poll(() => processStart(pid)).toBeUndefined();
		expect(existsSync(`/proc/${pid}`)).toBe(true);
	});
});

describe.skipIf(process.platform !== "linux")("a host whose lease has run out", () => {
	test("is ended before its runs are free, and its socket goes too", async () => {
		const ledger = await scratch.ledger();
		const host = hostAtWork(ledger, await idle());
		const { requeued } = sweep(ledger, { at: 100, outcomeOf, reaper: impatient() });
		expect(requeued).toHaveLength(1);
		expect(isDead(host)).toBe(true);
		expect(existsSync(host.socket)).toBe(false);
		expect(findHost(ledger, host.id)?.state).toBe("gone");
	});

	test("is given time if its process lives: host and watcher may both have been away", async () => {
		const ledger = await scratch.ledger();
		const host = hostAtWork(ledger, await idle());
		const patient = createReaper(systemPorts);
		const look = (at: number) => sweep(ledger, { at, outcomeOf, reaper: patient }).requeued.length;
		expect([look(100), look(101)]).toEqual([0, 0]);
		expect(findHost(ledger, host.id)?.state).toBe("ready");
		// It was merely late.
		expect(renewLeases(ledger, host.id, 500)).toBe(true);
		expect(look(400)).toBe(0);
		expect(isDead(host)).toBe(false);
	});

	test("is given all of that time once it can be written again: no lease is renewed on a full disk", async () => {
		const ledger = await scratch.ledger();
		const host = hostAtWork(ledger, await idle());
		const { now, ports } = inTrouble();
		const patient = createReaper(ports);
		const look = (elapsed: number) => {
			now.elapsed = elapsed;
			sweep(ledger, { at: 100, outcomeOf, reaper: patient });
			return findHost(ledger, host.id)?.state;
		};
		ledger.run("PRAGMA query_only = ON");
		expect(() => look(0)).toThrow();
		expect(() => look(PATIENCE_MS - 1)).toThrow();
		ledger.run("PRAGMA query_only = OFF");
		now.isForbidden = false;
		expect([look(PATIENCE_MS), look(2 * PATIENCE_MS - 1), look(2 * PATIENCE_MS)]).toEqual(["ready", "ready", "gone"]);
	});

	test("is not waited for if its process is dead", async () => {
		const ledger = await scratch.ledger();
		const host = hostAtWork(ledger, await idle());
		endProcess(host);
		expect(sweep(ledger, { at: 100, outcomeOf, reaper: createReaper(systemPorts) }).requeued).toHaveLength(1);
	});

	test("does not give up on itself", async () => {
		const ledger = await scratch.ledger();
		const host = hostAtWork(ledger, await idle());
		endProcess(host);
		expect(sweep(ledger, { at: 100, outcomeOf, reaper: createReaper(systemPorts, host.id) }).requeued).toEqual([]);
	});

	test("is ended by the next process, if the one that gave up on it died first", async () => {
		const ledger = await scratch.ledger();
		const host = hostAtWork(ledger, await idle());
		ledger.run("UPDATE hosts SET state = 'gone'");
		expect(sweep(ledger, { at: 100, outcomeOf, reaper: createReaper(systemPorts) }).requeued).toHaveLength(1);
		expect(isDead(host)).toBe(true);
	});
});

test("a host that was killed while idle is reaped by the next process that looks, and one whose lease holds is not", async () => {
	const ledger = await scratch.ledger();
	const [idleHost, other] = ["a", "b"].map((profile) => {
		const socketOf = (id: string) => join(scratch.folder(), `${id}.sock`);
		const { host } = findOrReserveHost(ledger, { profile: { digest: profile }, at: 0, startWithinMs: 1, socketOf });
		writeFileSync(host.socket, "");
		hostReady(ledger, { id: host.id, pid: 1, pidStarted: "then", leaseUntil: 100 });
		return host;
	});
	if (!idleHost || !other) throw new Error("There are no hosts.");
	renewLeases(ledger, other.id, 200);
	const look = (at: number) => {
		sweep(ledger, { at, outcomeOf, reaper: createReaper(systemPorts) });
		return [idleHost, other].map(({ id, socket }) => [findHost(ledger, id)?.state, existsSync(socket)]);
	};
	expect(look(99)).toEqual([
		["ready", true],
		["ready", true],
	]);
	expect(look(100)).toEqual([
		["gone", false],
		["ready", true],
	]);
});

test("a host's socket is removed before it is marked: no process looks for sockets of hosts that are gone", async () => {
	const ledger = await scratch.ledger();
	const { host } = findOrReserveHost(ledger, {
		profile: { digest: "a" },
		at: 0,
		startWithinMs: 1,
		socketOf: () => "/nowhere",
	});
	hostReady(ledger, { id: host.id, pid: 1, pidStarted: "then", leaseUntil: 100 });
	const states: unknown[] = [];
	const watched: Reaper = {
		mayReap: () => true,
		elapsed: () => 0,
		restartGracePeriod: () => undefined,
		clear: ({ id }) => states.push(findHost(ledger, id)?.state) > 0,
		reap: ({ id }) => void states.push(findHost(ledger, id)?.state),
	};
	sweep(ledger, { at: 100, outcomeOf, reaper: watched });
	expect(states).toEqual(["ready", "gone"]);
});

test("a host that a lock kept from renewing its lease, as it kept us, is checked again", async () => {
	const ledger = await scratch.ledger();
	const { host } = findOrReserveHost(ledger, {
		profile: { digest: "a" },
		at: 0,
		startWithinMs: 1,
		socketOf: () => "/nowhere",
	});
	hostReady(ledger, { id: host.id, pid: 1, pidStarted: "then", leaseUntil: 100 });
	const again: unknown[] = [];
	const look = () => {
		const watched = {
			...impatient(),
			restartGracePeriod: ({ id }: HostRecord) => void again.push(id),
			reap: () => undefined,
		};
		sweep(ledger, { at: 100, outcomeOf, reaper: watched });
		return findHost(ledger, host.id)?.state;
	};
	const peer = await scratch.peer();
	const locked = peer.says("locked");
	const until = join(scratch.folder(), "until");
	const held = peer.call("holdWriteLock", { file: ledger.file, until });
	await locked;
	writeFileSync(until, "");
	expect([look(), again]).toEqual(["ready", [host.id]]);
	await held;
	expect([look(), again]).toEqual(["gone", [host.id]]);
});

describe("a host whose socket may not be removed for now", () => {
	const socketOf = (id: string) => join(scratch.folder(), `${id}.sock`);
	function deadHost(ledger: Ledger): HostRecord {
		const { host } = findOrReserveHost(ledger, { profile: { digest: "p" }, at: 0, startWithinMs: 1, socketOf });
		writeFileSync(host.socket, "");
		hostReady(ledger, { id: host.id, pid: 1, pidStarted: "then", leaseUntil: 100 });
		return findHost(ledger, host.id) ?? expect.fail("There is no host.");
	}

	test("is marked as gone only once it can be", async () => {
		const ledger = await scratch.ledger();
		const { id, socket } = deadHost(ledger);
		const { now, ports } = inTrouble();
		const reaper = createReaper(ports);
		const look = () => {
			sweep(ledger, { at: 100, outcomeOf, reaper });
			return [findHost(ledger, id)?.state, existsSync(socket)];
		};
		expect(look()).toEqual(["ready", true]);
		now.elapsed = 1_000_000;
		expect(look()).toEqual(["ready", true]);
		now.isForbidden = false;
		expect(look()).toEqual(["gone", false]);
	});

	test("is left to the next sweep by the process that found it dead, and is not waited for", async () => {
		const ledger = await scratch.ledger();
		const host = deadHost(ledger);
		renewLeases(ledger, host.id, 500);
		const { now, ports } = inTrouble();
		reapDead(ledger, host, ports);
		expect(findHost(ledger, host.id)).toMatchObject({ state: "closing", leaseUntil: 100 });
		now.isForbidden = false;
		sweep(ledger, { at: 100, outcomeOf, reaper: createReaper(ports) });
		expect([findHost(ledger, host.id)?.state, existsSync(host.socket)]).toEqual(["gone", false]);
	});

	test("does not keep its runs forever", async () => {
		const ledger = await scratch.ledger();
		const { id } = deadHost(ledger);
		admitRun(ledger, admission());
		claimNext(ledger, { hostId: id, profile: "p", at: 0, leaseMs: 100 });
		const { now, ports } = inTrouble();
		const reaper = createReaper(ports);
		const look = () => sweep(ledger, { at: 100, outcomeOf, reaper }).requeued.length;
		expect(look()).toBe(0);
		now.elapsed = 20_000;
		expect(look()).toBe(1);
		expect(findHost(ledger, id)?.state).toBe("gone");
	});
});
