import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { recordedAnswer } from "./recorded-answers.ts";

export interface LoopbackModel {
	fetch: typeof fetch;
	close(): void;
}

/**
 * Stands in for a model. Its `fetch` answers every request, whatever the address, with a recorded answer. It uses a loopback
 * connection, so that the code for a real request is loaded and compiled too, but no proxy, which would see the request.
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
	server.on("error", () => {}); // If a connection cannot be made, its request fails and reports that.
	const { port } = server.address() as AddressInfo;
	return {
		fetch: (_input, options) => fetch(`http://127.0.0.1:${port}/`, options),
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** pi also puts the proxy from its settings into the environment. */
const usesProxy = (): boolean =>
	Object.entries(process.env).some(([name, value]) => /^(http|https|all)_proxy$/i.test(name) && value);
