import { expect, test } from "vitest";
import { findOrReserveHost, hostReady, listHosts } from "../../src/ledger/hosts.ts";
import type { Link } from "../../src/ports/wire.ts";
import { wakeHosts } from "../../src/supervise/wake-hosts.ts";
import { quietWorld } from "../simulation/quiet-world.ts";

/** Two hosts, one of which may be dead, and a process without connections. */
async function scene() {
	const world = quietWorld();
	const ours = world.start("p0");
	const ledger = world.database.ledgerOf(ours);
	const heard: unknown[] = [];
	const hosts = ["one", "other"].map((digest) => {
		const process = world.start("host");
		const { pid, started: pidStarted } = process.ports.processes.self;
		const reservation = { profile: { digest }, at: 0, startWithinMs: 1000, socketOf: () => `/hosts/${digest}` };
		const { host } = findOrReserveHost(ledger, reservation);
		hostReady(ledger, { id: host.id, pid, pidStarted, leaseUntil: world.scheduler.now + 60_000 });
		const onLink = (link: Link) =>
			link.onMessage((message) => {
				heard.push([digest, message]);
				if ((message as { type: string }).type === "ping") link.send({ type: "pong" });
			});
		return { process, listening: process.ports.wire.listen(host.socket, onLink, () => {}) };
	});
	for (const { listening } of hosts) await listening;
	const wake = async () => {
		let isOver = false;
		const woken = wakeHosts(ledger, ours.ports).then(() => {
			isOver = true;
		});
		await world.scheduler.run(() => isOver);
		return woken;
	};
	const states = () => listHosts(ledger).map(({ state }) => state);
	return { world, hosts, heard, wake, states };
}

test("every host is woken, and has heard of it when that is over", async () => {
	const { heard, wake } = await scene();
	await wake();
	expect(heard).toHaveLength(4);
	for (const digest of ["one", "other"]) {
		expect(heard).toContainEqual([digest, { type: "wake" }]);
		expect(heard).toContainEqual([digest, { type: "ping" }]);
	}
});

test("a dead host is reaped, and its socket removed; the other is woken all the same", async () => {
	const { world, hosts, heard, wake, states } = await scene();
	world.kill(hosts[0]?.process.pid ?? 0, "killed");
	expect(states()).toEqual(["ready", "ready"]);
	await wake();
	expect(states()).toEqual(["ready"]);
	expect([heard.length, world.wire.addresses]).toEqual([2, ["/hosts/other"]]);
});

test("one that does not listen but lives is left alone", async () => {
	const { world, hosts, wake, states } = await scene();
	for (const address of world.wire.addresses) hosts[0]?.process.ports.wire.remove(address);
	await wake();
	expect(states()).toEqual(["ready", "ready"]);
});
