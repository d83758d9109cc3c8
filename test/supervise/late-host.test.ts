import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { admitRun } from "../../src/ledger/admit.ts";
import { hostGone } from "../../src/ledger/hosts.ts";
import { systemPorts } from "../../src/processes/system-ports.ts";
import { HostProfiles } from "../../src/supervise/host-profiles.ts";
import { Hosts, type HostsSetup } from "../../src/supervise/hosts.ts";
import { admission } from "../ledger/samples.ts";
import { useScratch } from "../ledger/scratch.ts";

const scratch = useScratch();

test("a host that came up after others gave up on it, and is killed, leaves no socket", async () => {
	const ledger = await scratch.ledger();
	const folder = scratch.folder();
	const socketOf = (id: string) => join(folder, "hosts", `${id}.sock`);
	let end = () => {};
	let socket = "";
	const start: HostsSetup["start"] = (host, { onExit }) => {
		socket = host.socket;
		hostGone(ledger, host.id, 0);
		mkdirSync(dirname(socket), { recursive: true });
		writeFileSync(socket, "");
		end = () => onExit("it ended with SIGKILL");
	};
	const places = { socket: socketOf } as unknown as HostsSetup["places"];
	const hosts = new Hosts({
		ledger,
		places,
		profiles: new HostProfiles({ digest: "p" } as never),
		ports: systemPorts,
		start,
	});
	hosts.prepare({});
	expect(existsSync(socket)).toBe(true);
	end();
	expect(existsSync(socket)).toBe(false);
});

test("hosts that were replaced before they were ready do not count as failures to start one", async () => {
	const ledger = await scratch.ledger();
	const folder = scratch.folder();
	const ends: (() => void)[] = [];
	const start: HostsSetup["start"] = ({ id }, { onExit }) => {
		ends.push(() => {
			ledger.run("UPDATE hosts SET state = 'closing' WHERE id = ?", id);
			onExit("it ended with exit code 0", { wasLate: false });
		});
	};
	const places = { socket: (id: string) => join(folder, `${id}.sock`) } as unknown as HostsSetup["places"];
	const hosts = new Hosts({
		ledger,
		places,
		profiles: new HostProfiles({ digest: "p" } as never),
		ports: systemPorts,
		start,
	});
	const { run } = admitRun(ledger, admission());
	for (const _ of [1, 2, 3]) {
		hosts.reach({ id: run.id, state: "queued", profile: { digest: "p" } });
		ends.at(-1)?.();
	}
	expect(ends).toHaveLength(3);
	expect(ledger.get("SELECT state FROM runs")).toEqual({ state: "queued" });
});
