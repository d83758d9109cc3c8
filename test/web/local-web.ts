import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import { isPublicAddress } from "../../src/net/addresses.ts";
import { createGuardedFetch, type GuardedFetch, type NetworkView } from "../../src/web/net/guarded-fetch.ts";

/** The one loopback address that counts as public in a test; every other is as private as ever. */
export const PUBLIC_HERE = "127.0.0.1";

/** A network of names that lead to loopback: `*.example` is a public site, `*.internal` is not. */
export const testNetwork: NetworkView = {
	resolve: async (hostname) => (hostname.endsWith(".example") ? [PUBLIC_HERE] : ["127.0.0.2"]),
	isPublic: (address) => address === PUBLIC_HERE || isPublicAddress(address),
};

export const testFetch: GuardedFetch = createGuardedFetch(testNetwork);

/** What most requests have in common. */
export const plainly = {
	maxRedirects: 5,
	maxBytes: 1_000_000,
	timeoutMs: 5_000,
	signal: undefined,
	allowPrivateNetwork: false,
};

export interface LocalSite {
	readonly port: number;
	/** Requests as "METHOD /path". */
	readonly requests: string[];
	/** An address of this site under a name. */
	url(path: string, hostname?: string): string;
}

/** Call it once in a file; what it returns starts a web server that ends with the test. */
export function useSites(): (handler: RequestListener) => Promise<LocalSite> {
	const servers: Server[] = [];
	afterEach(async () => {
		await Promise.all(
			servers.splice(0).map((server) => {
				server.closeAllConnections();
				return new Promise((resolve) => server.close(resolve));
			}),
		);
	});
	return async (handler) => {
		const requests: string[] = [];
		const server = createServer((request, response) => {
			requests.push(`${request.method} ${request.url}`);
			response.on("error", () => {}); // Clients leave early here.
			handler(request, response);
		});
		servers.push(server);
		// All of 127.0.0.0/8 is this machine on Linux; elsewhere a test that needs a second address finds none.
		await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
		const { port } = server.address() as AddressInfo;
		return { port, requests, url: (path, hostname = "site.example") => `http://${hostname}:${port}${path}` };
	};
}
