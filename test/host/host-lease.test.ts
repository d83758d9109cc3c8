import { beforeEach, expect, test } from "vitest";
import { HostLease } from "../../src/host/host-lease.ts";
import { findOrReserveHost } from "../../src/ledger/hosts.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { HEARTBEAT_MS, LEASE_MS } from "../../src/processes/lease.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

let now: number;
let ledger: Ledger;
let host: ReturnType<typeof findOrReserveHost>["host"];

class Lost extends Error {}

function leaseOf(): HostLease {
	const ports = { clock: { now: () => now }, processes: { self: { pid: 7, started: "then" } } };
	return new HostLease({ id: host.id, ledger, ports: ports as never }, () => {
		throw new Lost();
	});
}

const leaseUntil = () => ledger.get<{ until: number }>("SELECT lease_until AS until FROM hosts")?.until;
const giveUpOnIt = () => ledger.run("UPDATE hosts SET state = 'gone'");

beforeEach(async () => {
	now = 1_000_000;
	ledger = await scratch.ledger();
	const reservation = { profile: { digest: "p" }, at: now, startWithinMs: 1000, socketOf: () => "/socket" };
	({ host } = findOrReserveHost(ledger, reservation));
});

test("a host takes its lease for the usual time, and says which process it is", () => {
	expect(leaseOf().take()).toBe(true);
	expect(ledger.get("SELECT state, pid, pid_started AS started, lease_until AS until FROM hosts")).toEqual({
		state: "ready",
		pid: 7,
		started: "then",
		until: now + LEASE_MS,
	});
});

test("one that others gave up on while it started is not expected", () => {
	giveUpOnIt();
	const lease = leaseOf();
	expect([lease.take(), lease.hasRunOut]).toEqual([false, true]);
});

test("until its lease has run out a host may write without asking, and then no longer", () => {
	const lease = leaseOf();
	lease.take();
	giveUpOnIt();
	now += LEASE_MS - 1;
	expect(lease.hasRunOut).toBe(false);
	lease.assertLeaseHeld();
	now += 1;
	expect(lease.hasRunOut).toBe(true);
	expect(() => lease.assertLeaseHeld()).toThrow(Lost);
});

test("one that was suspended and was not replaced continues, with a new lease", () => {
	const lease = leaseOf();
	lease.take();
	now += LEASE_MS + 5000;
	lease.assertLeaseHeld();
	expect([lease.hasRunOut, leaseUntil()]).toEqual([false, now + LEASE_MS]);
});

test("while the ledger cannot be written to, it is asked once a heartbeat", () => {
	const lease = leaseOf();
	lease.take();
	ledger.run("CREATE TRIGGER locked BEFORE UPDATE ON hosts BEGIN SELECT RAISE(ABORT, 'locked'); END");
	now += LEASE_MS;
	expect(() => lease.assertLeaseHeld()).toThrow("locked");
	lease.assertLeaseHeld();
	now += HEARTBEAT_MS - 1;
	lease.assertLeaseHeld();
	now += 1;
	expect(() => lease.assertLeaseHeld()).toThrow("locked");
});

test("a host that gives up its lease may write nothing more", () => {
	const lease = leaseOf();
	lease.take();
	lease.giveUp();
	expect(lease.hasRunOut).toBe(true);
	expect(() => lease.assertLeaseHeld()).toThrow(Lost);
});
