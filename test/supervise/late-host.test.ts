import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { hostGone } from "../../src/ledger/hosts.ts";
import { systemPorts } from "../../src/processes/system-ports.ts";
import { Hosts, type HostsSetup } from "../../src/supervise/hosts.ts";
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
	const hosts = new Hosts({ ledger, places, profile: { digest: "p" } as never, ports: systemPorts, start });
	hosts.prepare();
	expect(existsSync(socket)).toBe(true);
	end();
	expect(existsSync(socket)).toBe(false);
});
