import type { lookup } from "node:dns";
import { closeSync, openSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { createServer, type Server as Listener, type Socket } from "node:net";
import { join } from "node:path";
import { AllowedHosts } from "./allowed-hosts.ts";
import { PROXY_SOCKET } from "./proxy-socket.ts";
import type { Ring } from "./ring.ts";

/** A proxy for the processes of a ring. */
export interface RingProxy {
	close(): Promise<void>;
}

/**
 * Listens for the processes of a ring and connects them to the hosts that they may reach. The proxy makes the connection
 * itself: it looks up a name once, and uses the address that it checked.
 */
export function startProxy(ring: Ring, list: readonly string[]): RingProxy {
	const hosts = new AllowedHosts(list, (host) => ring.refused.push(host));
	const sockets = new Set<Socket>();
	let proxy: Promise<Listener> | undefined;
	const listener = createServer((socket) => {
		sockets.add(socket);
		socket.once("close", () => sockets.delete(socket));
		socket.on("error", () => {}); // The process at the other end has finished.
		proxy ??= loadProxy(hosts);
		proxy.then(
			// The library refuses connections without an address, such as those of unix sockets.
			(server) => server.emit("connection", Object.defineProperty(socket, "remoteAddress", { value: "127.0.0.1" })),
			() => socket.destroy(),
		);
	});
	listener.unref();
	listenIn(ring.setup.scratch, listener);
	return {
		close: async () => {
			for (const socket of sockets) socket.destroy();
			await new Promise((closed) => listener.close(closed));
		},
	};
}

/** Uses a path through the folder's descriptor, because the path of a socket is limited to about a hundred bytes. */
function listenIn(folder: string, listener: Listener): void {
	rmSync(join(folder, PROXY_SOCKET), { force: true }); // Left by an earlier attempt.
	const descriptor = openSync(folder, "r");
	// If it fails, no host can be reached, and the commands report that.
	listener.on("error", () => {});
	try {
		listener.listen(`/proc/self/fd/${descriptor}/${PROXY_SOCKET}`);
	} finally {
		closeSync(descriptor);
	}
}

/** Loads the proxy at the first connection: most runs have no list of hosts. */
async function loadProxy(hosts: AllowedHosts): Promise<Listener> {
	const { RequestError, Server } = await import("proxy-chain");
	// With keep-alive, another request could use the connection without looking up its host again.
	const httpAgent = new Agent({ keepAlive: false });
	const dnsLookup = hosts.lookup as typeof lookup;
	const proxy = new Server({
		prepareRequestFunction: ({ hostname }) => {
			if (hosts.mayReach(hostname)) return { dnsLookup, httpAgent };
			throw new RequestError(`This subagent may not reach ${hostname}.\n`, 403);
		},
	});
	proxy.on("requestFailed", () => {}); // The client gets the error.
	return proxy.server;
}
