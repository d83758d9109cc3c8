import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { hostnameOf } from "./web-url.ts";

export interface PinnedRequest {
	url: URL;
	/** The address to connect to. The host's name may resolve to another one by now. */
	address: string;
	method: "GET" | "POST";
	headers: Readonly<Record<string, string>>;
	body: string | undefined;
	signal: AbortSignal;
}

/** No connection was made, so another address of the same host may be tried. */
export class NotConnected extends Error {
	override name = "NotConnected";
}

/** The limit of one attempt, so that a host with one dead address is still reached. */
const CONNECT_MS = 5_000;

/**
 * Sends one request to one address. Does not look up the name again: only `Host`, SNI and the certificate check use it. Each
 * request has its own connection, and no proxy of the environment applies.
 */
export function sendPinned({ url, address, method, headers, body, signal }: PinnedRequest): Promise<IncomingMessage> {
	const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
	const hostname = hostnameOf(url);
	const request = (url.protocol === "https:" ? https : http).request({
		host: address,
		port: url.port === "" ? undefined : Number(url.port),
		...(isIP(hostname) === 0 && { servername: hostname }),
		path: `${url.pathname}${url.search}`,
		method,
		headers: { host: url.host, ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) },
		agent: false,
		signal,
	});
	let connected = false;
	const deadline = setTimeout(() => request.destroy(new Error("connecting took too long")), CONNECT_MS);
	request.once("socket", (socket) =>
		socket.once("connect", () => {
			connected = true;
			clearTimeout(deadline);
		}),
	);
	request.once("response", resolve);
	// This listener stays for errors after the response, which the response's reader also gets.
	request.on("error", (error) => {
		clearTimeout(deadline);
		reject(connected || signal.aborted ? error : new NotConnected(error.message, { cause: error }));
	});
	request.end(body);
	return promise;
}
