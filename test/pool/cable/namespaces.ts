import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "pipe", "pipe"] });

/** A machine with a cable of its own to the one that has the database and the model. */
export interface CabledMachine {
	/** What a command begins with to run on it. */
	readonly prefix: readonly string[];
	/** Where the database and the model are, seen from it. */
	readonly address: string;
	cut(): void;
	plugIn(): void;
}

export interface Cables {
	machine(): Promise<CabledMachine>;
	close(): Promise<void>;
}

let made = 0;

/**
 * Machines as network namespaces, each joined by a veth pair to one more, the hub. All addresses are inside these namespaces.
 * The hub passes what comes to the given ports on to sockets of the file system.
 */
export async function layCables(ports: Readonly<Record<number, string>>): Promise<Cables> {
	const name = (what: string) => `pgt-${process.pid}-${what}`;
	const hub = name(`hub${made++}`);
	const spaces: string[] = [];
	const forwarders: ChildProcess[] = [];
	const addSpace = (space: string) => {
		ip("netns", "add", space);
		spaces.push(space);
		ip("-n", space, "link", "set", "lo", "up");
	};
	addSpace(hub);
	return {
		async machine() {
			const number = spaces.length;
			const space = name(`m${made++}`);
			addSpace(space);
			const [hubEnd, ownEnd] = [`10.77.${number}.1`, `10.77.${number}.2`];
			const link = `cable${number}`;
			ip("link", "add", link, "netns", hub, "type", "veth", "peer", "name", "eth0", "netns", space);
			ip("-n", hub, "address", "add", `${hubEnd}/24`, "dev", link);
			ip("-n", space, "address", "add", `${ownEnd}/24`, "dev", "eth0");
			ip("-n", hub, "link", "set", link, "up");
			ip("-n", space, "link", "set", "eth0", "up");
			forwarders.push(await forwardIn(hub, hubEnd, ports));
			return {
				prefix: ["ip", "netns", "exec", space],
				address: hubEnd,
				// As when the plug is pulled: neither end is told, what was sent is gone.
				cut: () => void ip("-n", hub, "link", "set", link, "down"),
				plugIn: () => void ip("-n", hub, "link", "set", link, "up"),
			};
		},
		async close() {
			for (const forwarder of forwarders) {
				const exited = once(forwarder, "exit");
				forwarder.kill("SIGKILL");
				await exited;
			}
			for (const space of spaces) ip("netns", "delete", space);
		},
	};
}

async function forwardIn(hub: string, host: string, ports: Readonly<Record<number, string>>): Promise<ChildProcess> {
	const program = fileURLToPath(new URL("forward.ts", import.meta.url));
	const pairs = Object.entries(ports).map(([port, path]) => `${port}=${path}`);
	const args = ["netns", "exec", hub, process.execPath, program, host, ...pairs];
	const child = spawn("ip", args, { stdio: ["ignore", "pipe", "inherit"] });
	let said = "";
	await new Promise<void>((resolve, reject) => {
		child.stdout.on("data", (bytes: Buffer) => {
			said += bytes.toString();
			if (said.split("listening").length > pairs.length) resolve();
		});
		child.once("exit", () => reject(new Error(`The forwarder ended: ${said}`)));
	});
	return child;
}

/** A socket of the file system that leads to a port of this machine. */
export async function socketTo(port: number, folder: string): Promise<{ path: string; server: Server }> {
	const path = join(folder, `to-${port}.sock`);
	const server = createServer((near) => {
		const far = connect(port, "127.0.0.1");
		const over = () => {
			near.destroy();
			far.destroy();
		};
		for (const socket of [near, far]) socket.on("error", over).on("close", over);
		near.pipe(far).pipe(near);
	});
	await new Promise<void>((resolve) => server.listen(path, resolve));
	return { path, server };
}
