import { describe, expect, test } from "vitest";
import { DeliveryClaims } from "../../src/deliver/delivery-claims.ts";
import { admitRun } from "../../src/ledger/admit.ts";
import { settleDeliveries } from "../../src/ledger/deliveries.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { endRun } from "../../src/ledger/progress.ts";
import type { ProcessIdentity } from "../../src/ports/processes.ts";
import type { RunId } from "../../src/run/ids.ts";
import { admission, success } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

/** As long as a delivery is a process's own after it last said so. */
const OURS_MS = 15_000;

/** A machine with a clock, on which processes can die. */
class Machine {
	now = 10_000_000;
	/** How far the clock was set back. */
	setBackMs = 0;
	readonly asked: ProcessIdentity[] = [];
	readonly dead = new Set<number>();

	setBack(ms: number): void {
		this.now -= ms;
		this.setBackMs += ms;
	}

	claims(pid: number, started = "then"): DeliveryClaims {
		const beyond = () => expect.fail("Deliveries need nothing but the time and the processes.");
		return new DeliveryClaims({
			clock: { now: () => this.now, elapsed: () => this.now + this.setBackMs, after: beyond, sleep: beyond },
			processes: {
				self: { pid, started },
				isDead: (process) => {
					this.asked.push(process);
					return this.dead.has(process.pid ?? 0);
				},
				end: beyond,
				endLeftovers: beyond,
				exit: beyond,
			},
			wire: { connect: beyond, listen: beyond, remove: beyond },
		});
	}
}

const HOUR_MS = 3_600_000;

describe("after the clock was set back by an hour", () => {
	test("a claim that is not renewed is free after the usual time, where no process can tell which one is dead", async () => {
		const [ledger, machine] = [await scratch.ledger(), new Machine()];
		const id = admit(ledger);
		machine.claims(1, "").take(ledger, [id]);
		machine.setBack(HOUR_MS);
		const ours = machine.claims(2, "");
		expect(ours.take(ledger, [id]).size).toBe(0);
		machine.now += OURS_MS - 1;
		expect(ours.take(ledger, [id]).size).toBe(0);
		machine.now += 1;
		expect(ours.take(ledger, [id]).size).toBe(1);
	});

	test("who is there says again in time what is its own, and keeps it", async () => {
		const [ledger, machine] = [await scratch.ledger(), new Machine()];
		const id = admit(ledger);
		const [holds, looksOn] = [machine.claims(1, ""), machine.claims(2, "")];
		holds.take(ledger, [id]);
		machine.setBack(HOUR_MS);
		for (let look = 0; look < 10; look++) {
			holds.keep(ledger, [id]);
			expect(looksOn.take(ledger, [id]).size).toBe(0);
			machine.now += OURS_MS / 3;
		}
		expect(holder(ledger, id)?.pid).toBe("1");
	});
});

const admit = (ledger: Ledger, parentSession = "mine"): RunId => admitRun(ledger, admission({ parentSession })).run.id;
const holder = (ledger: Ledger, id: RunId) =>
	ledger.get<{ pid: string | null; until: number | null }>(
		"SELECT substr(deliverer, 1, instr(deliverer, ':') - 1) AS pid, deliverer_until AS until FROM runs WHERE id = ?",
		id,
	);

test("of two processes with the same session open, one delivers, until it has not said so for a while", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const [ours, theirs] = [machine.claims(1), machine.claims(2)];
	const id = admit(ledger);
	expect([...ours.take(ledger, [id])]).toEqual([id]);
	expect(holder(ledger, id)).toEqual({ pid: "1", until: machine.now + OURS_MS });
	machine.now += OURS_MS - 1;
	expect([...theirs.take(ledger, [id])]).toEqual([]);
	expect([ours.size, theirs.size]).toEqual([1, 0]);
	machine.now += 1;
	expect([...theirs.take(ledger, [id])]).toEqual([id]);
	expect([...ours.take(ledger, [id])]).toEqual([]);
});

test("two of the same process id and start time are two all the same", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const id = admit(ledger);
	expect(machine.claims(1).take(ledger, [id]).size).toBe(1);
	expect(machine.claims(1).take(ledger, [id]).size).toBe(0);
});

test("the claims of a dead process are free at once, even for a process that renews its own", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const [first, second] = [admit(ledger), admit(ledger)];
	machine.claims(1, "then").take(ledger, [first, second]);
	const ours = machine.claims(2);
	expect(ours.take(ledger, [first]).size).toBe(0);
	expect(machine.asked).toEqual([{ pid: 1, pidStarted: "then" }]);
	machine.dead.add(1);
	expect(ours.take(ledger, [first]).size).toBe(1);
	ours.keep(ledger, [first, second]);
	expect([holder(ledger, first)?.pid, holder(ledger, second)?.pid, ours.size]).toEqual(["2", "2", 2]);
});

test("where the system does not tell when a process started, its time has to run out", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const id = admit(ledger);
	machine.claims(1, "").take(ledger, [id]);
	machine.dead.add(1);
	const ours = machine.claims(2);
	expect(ours.take(ledger, [id]).size).toBe(0);
	expect(machine.asked).toEqual([]);
	machine.now += OURS_MS;
	expect(ours.take(ledger, [id]).size).toBe(1);
});

test("what is kept is renewed at half its time, and not at every look", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const claims = machine.claims(1);
	const id = admit(ledger);
	claims.keep(ledger, [id]);
	const taken = machine.now;
	machine.now += OURS_MS / 2;
	claims.keep(ledger, [id]);
	expect(holder(ledger, id)?.until).toBe(taken + OURS_MS);
	machine.now += 1;
	claims.keep(ledger, [id]);
	expect(holder(ledger, id)?.until).toBe(machine.now + OURS_MS);
	const renewed = machine.now;
	machine.now += OURS_MS / 2;
	claims.keep(ledger, [id]);
	expect(holder(ledger, id)?.until).toBe(renewed + OURS_MS);
});

test("what another process holds does not become ours by keeping it, and does as soon as it is free", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const [ours, theirs] = [machine.claims(1), machine.claims(2)];
	const [held, free] = [admit(ledger), admit(ledger)];
	theirs.take(ledger, [held]);
	ours.keep(ledger, [held, free]);
	expect([holder(ledger, held)?.pid, holder(ledger, free)?.pid, ours.size]).toEqual(["2", "1", 1]);
	machine.now += OURS_MS;
	ours.keep(ledger, [held, free]);
	expect([holder(ledger, held), ours.size]).toEqual([{ pid: "1", until: machine.now + OURS_MS }, 2]);
});

test("what was lost to another process while this one was suspended is not counted as ours", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const [ours, theirs] = [machine.claims(1), machine.claims(2)];
	const id = admit(ledger);
	ours.keep(ledger, [id]);
	machine.now += OURS_MS;
	theirs.take(ledger, [id]);
	ours.keep(ledger, [id]);
	expect([holder(ledger, id)?.pid, ours.size]).toEqual(["2", 0]);
});

test("what is not kept, or was delivered, is not ours any more", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const claims = machine.claims(1);
	const [kept, dropped, told] = [admit(ledger), admit(ledger), admit(ledger)];
	endRun(ledger, { id: told, fence: 0, outcome: success(), at: 1 });
	claims.take(ledger, [kept, dropped, told]);
	expect(claims.size).toBe(3);
	claims.keep(ledger, [kept, told]);
	expect(claims.size).toBe(2);
	settleDeliveries(ledger, [told], 2);
	machine.now += OURS_MS;
	claims.keep(ledger, [kept, told]);
	expect(claims.size).toBe(1);
});

test("a released claim can be taken at once, and is taken again if it is to be kept", async () => {
	const [ledger, machine] = [await scratch.ledger(), new Machine()];
	const [ours, theirs] = [machine.claims(1), machine.claims(2)];
	const [id, elsewhere] = [admit(ledger), admit(ledger, "another")];
	ours.take(ledger, [id, elsewhere]);
	ours.giveBack(ledger, "mine");
	expect([holder(ledger, id), holder(ledger, elsewhere)?.pid, ours.size]).toEqual([{ pid: null, until: null }, "1", 0]);
	ours.keep(ledger, [id]);
	expect(holder(ledger, id)?.pid).toBe("1");
	ours.giveBack(ledger, "mine");
	expect(theirs.take(ledger, [id]).size).toBe(1);
});
