import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Wire } from "../../ports/wire.ts";
import { type PageApp, pageApp } from "./app.ts";
import type { PageSources } from "./sources.ts";

export interface RunningPage {
	port: number;
	token: string;
	url: string;
	close(): Promise<void>;
}

export interface ServeWish {
	/** Absent: any free port. */
	port?: number | undefined;
	/** The token of the server that this one replaces, so that open pages keep working. */
	token?: string | undefined;
	wire: Wire;
}

const newToken = (): string => randomBytes(32).toString("base64url");

/** How long to wait for the last messages to pages before the server exits. */
const GOODBYE_MS = 200;

/** Serves the page on this machine only. Fails with EADDRINUSE if the port is taken. */
export async function servePage(
	sources: PageSources,
	{ port: wanted = 0, token = newToken(), wire }: ServeWish,
): Promise<RunningPage> {
	let port = 0;
	const app: PageApp = pageApp(sources, { token, port: () => port, wire });
	const server = createAdaptorServer({ fetch: app.fetch }) as Server;
	try {
		port = await listen(server, wanted);
	} catch (error) {
		app.end();
		throw error;
	}
	return {
		port,
		token,
		url: `http://127.0.0.1:${port}/#${token}`,
		async close() {
			const { promise, resolve } = Promise.withResolvers<void>();
			app.end();
			server.close(() => resolve());
			const cut = setTimeout(() => server.closeAllConnections(), GOODBYE_MS);
			await promise;
			clearTimeout(cut);
		},
	};
}

function listen(server: Server, port: number): Promise<number> {
	const { promise, resolve, reject } = Promise.withResolvers<number>();
	server.once("error", reject);
	server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
		server.off("error", reject);
		resolve((server.address() as AddressInfo).port);
	});
	return promise;
}
