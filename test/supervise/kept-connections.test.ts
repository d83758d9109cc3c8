import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { hostReady } from "../../src/ledger/hosts.ts";
import type { HostId } from "../../src/run/ids.ts";
import { NO_USER } from "../../src/supervise/ask.ts";
import type { WatchListener } from "../../src/supervise/connection.ts";
import { HostProfiles } from "../../src/supervise/host-profiles.ts";
import { Hosts } from "../../src/supervise/hosts.ts";
import { admission } from "../ledger/samples.ts";
import { PLACES } from "../simulation/places.ts";
import { quietWorld } from "../simulation/quiet-world.ts";

const MINUTE = 60_000;

/** The hosts of a parent in virtual time. The process of a host that is started does what the test says. */
function scene() {
	const world = quietWorld();
	const [parent, host] = [world.start("p0"), world.start("host")];
	const ledger = world.database.ledgerOf(parent);
	const heard: object[] = [];
	let connections = 0;
	const started: { id: HostId; socket: string }[] = [];
	const hosts = new Hosts({
		ledger,
		places: PLACES,
		profiles: new HostProfiles({ digest: "p" } as never),
		ports: parent.ports,
		start: (record) => void started.push(record),
	});
	const pass = (ms = 100): Promise<void> => {
		const until = world.scheduler.elapsed + ms;
		world.after(ms, () => {});
		return world.scheduler.run(() => world.scheduler.elapsed >= until);
	};
	const comesUp = async () => {
		const [{ id, socket } = { id: "" as HostId, socket: "" }] = started;
		await host.ports.wire.listen(
			socket,
			(link) => {
				connections++;
				link.onMessage((message) => heard.push(message as object));
			},
			() => {},
		);
		hostReady(ledger, { id, pid: 7, pidStarted: "", leaseUntil: Number.MAX_SAFE_INTEGER });
		await pass(1000);
	};
	const reach = () => {
		const { run } = admitRun(ledger, admission({ at: world.scheduler.now }));
		return { id: run.id, connection: hosts.reach({ id: run.id, state: "queued", profile: { digest: "p" } }) };
	};
	return { hosts, pass, comesUp, reach, heard, connections: () => connections };
}

const listener: WatchListener = { hasUser: false, onHint: () => {}, onAsk: async () => NO_USER };

test("a host that was prepared is connected to as soon as it is ready, so that a run does not wait for that", async () => {
	const { hosts, pass, comesUp, reach, heard, connections } = scene();
	hosts.prepare({});
	await pass(1000);
	expect(connections()).toBe(0);
	await comesUp();
	const { id, connection } = reach();
	connection?.watch(id, listener);
	await pass();
	expect([connections(), heard]).toEqual([1, [{ type: "watch", runId: id, quiet: true, user: false }]]);
});

test("the next run finds the connection of the last one, which is closed after a minute without any", async () => {
	const { hosts, pass, comesUp, reach, connections } = scene();
	hosts.prepare({});
	await comesUp();
	const first = reach();
	const end = first.connection?.watch(first.id, listener);
	await pass(2 * MINUTE);
	hosts.closeUnused();
	end?.();
	await pass(MINUTE / 2);
	hosts.closeUnused();
	expect([reach().connection?.isOpen, connections()]).toEqual([true, 1]);
	await pass(MINUTE);
	hosts.closeUnused();
	expect([first.connection?.isOpen, reach().connection]).toEqual([false, undefined]);
});

test("a parent that ends does not connect to a host that it prepared", async () => {
	const { hosts, comesUp, connections } = scene();
	hosts.prepare({});
	hosts.dispose();
	await comesUp();
	expect(connections()).toBe(0);
});
