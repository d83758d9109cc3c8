import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { recordedAnswer } from "./recorded-answers.ts";

export interface LoopbackModel {
	fetch: typeof fetch;
	close(): void;
}

/**
 * Stands in for a model: whatever is requested through its `fetch`, wherever it was to go, is answered with what is
 * written down. Over a connection of this machine to itself, so that what a real request needs is loaded and compiled
 * too; but not through a proxy, which would be told of it.
 */
export async function loopbackModel(api: string): Promise<LoopbackModel> {
	if (usesProxy()) return { fetch: async () => recordedAnswer(api), close: () => {} };
	const server = createServer(async (_request, response) => {
		const answer = recordedAnswer(api);
		response.writeHead(answer.status, Object.fromEntries(answer.headers));
		response.end(await answer.text());
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	server.on("error", () => {}); // A connection that could not be made: then its request fails.
	const { port } = server.address() as AddressInfo;
	return {
		fetch: (_input, options) => fetch(`http://127.0.0.1:${port}/`, options),
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** pi puts the one from its settings into the environment too. */
const usesProxy = (): boolean =>
	Object.entries(process.env).some(([name, value]) => /^(http|https|all)_proxy$/i.test(name) && value);
