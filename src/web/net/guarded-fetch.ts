import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isPublicAddress } from "../../net/addresses.ts";
import { abortable, withTimeout } from "../abortable.ts";
import { WebError } from "../error.ts";
import { ACCEPTED_ENCODINGS, readBody } from "./body.ts";
import { NotConnected, type PinnedRequest, sendPinned } from "./pinned-request.ts";
import { hostnameOf, parseWebUrl } from "./web-url.ts";

export interface GuardedRequest {
	url: URL;
	/** Default GET. Only a GET follows redirects, so only our own plain headers ever reach another host. */
	method?: "GET" | "POST";
	headers?: Readonly<Record<string, string>>;
	body?: string;
	maxRedirects: number;
	maxBytes: number;
	timeoutMs: number;
	signal: AbortSignal | undefined;
	allowPrivateNetwork: boolean;
}

export interface GuardedResponse {
	status: number;
	headers: IncomingMessage["headers"];
	/** The address after redirects. */
	url: URL;
	body: Buffer;
}

export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse>;

/** The two functions that use the network, so that tests can replace them. */
export interface NetworkView {
	resolve(hostname: string): Promise<string[]>;
	isPublic(address: string): boolean;
}

const REALITY: NetworkView = {
	resolve: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
	isPublic: isPublicAddress,
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const USER_AGENT = "Mozilla/5.0 (compatible; pi-geon; +https://www.npmjs.com/package/pi-geon)";

/** Fetches from the public internet only: each host and each hop is resolved once, checked, and then connected to. */
export function createGuardedFetch(network: NetworkView = REALITY): GuardedFetch {
	return async (request) => {
		const { timeout, signal } = withTimeout(request.timeoutMs, request.signal);
		try {
			// A lookup cannot be cancelled, and not every runtime reports a cancelled request.
			return await abortable(fetchOnce(network, request, signal), signal);
		} catch (error) {
			request.signal?.throwIfAborted();
			if (timeout.aborted) {
				throw new WebError("CONTENT_FETCH_TIMEOUT", `No complete response within ${request.timeoutMs} ms.`);
			}
			throw asWebError(error);
		}
	};
}

async function fetchOnce(network: NetworkView, request: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
	const { url, response } = await followRedirects(network, request, signal);
	const body = await readBody(response, request.maxBytes);
	return { status: response.statusCode ?? 0, headers: response.headers, url, body };
}

async function followRedirects(network: NetworkView, request: GuardedRequest, signal: AbortSignal) {
	let { url } = request;
	for (let hop = 0; ; hop++) {
		const response = await sendRequest(network, { ...request, url }, signal);
		const { location } = response.headers;
		if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return { url, response };
		response.destroy();
		if (hop >= request.maxRedirects || request.method === "POST") {
			throw new WebError("CONTENT_FETCH_FAILED", `More than ${request.maxRedirects} redirects.`);
		}
		// Servers write UTF-8 here, and Node reads headers as Latin-1.
		url = parseWebUrl(Buffer.from(location, "latin1").toString(), url);
	}
}

async function sendRequest(
	network: NetworkView,
	request: GuardedRequest,
	signal: AbortSignal,
): Promise<IncomingMessage> {
	const { url, method = "GET", body } = request;
	const headers = { "user-agent": USER_AGENT, "accept-encoding": ACCEPTED_ENCODINGS, ...request.headers };
	const addresses = await checkedAddresses(network, request);
	const attempt = (address: string): PinnedRequest => ({ url, address, method, headers, body, signal });
	let failure: unknown;
	for (const address of addresses) {
		try {
			return await sendPinned(attempt(address));
		} catch (error) {
			if (!(error instanceof NotConnected)) throw error;
			failure = error.cause;
		}
	}
	throw failure;
}

/** Also checks IP addresses, for which Node does not call lookup. */
async function checkedAddresses(network: NetworkView, request: GuardedRequest): Promise<string[]> {
	const hostname = hostnameOf(request.url);
	const addresses = isIP(hostname) === 0 ? await network.resolve(hostname) : [hostname];
	if (addresses.length === 0) throw new WebError("NETWORK_ERROR", `${hostname} has no address.`);
	if (!request.allowPrivateNetwork && !addresses.every((address) => network.isPublic(address))) {
		throw new WebError(
			"PRIVATE_NETWORK_BLOCKED",
			`${hostname} is not on the public internet. The user can set web.allowPrivateNetwork in pi-geon.json.`,
		);
	}
	return addresses;
}

/** Reports only the code of a system error, because TLS messages quote the other side's certificate. */
function asWebError(error: unknown): WebError {
	if (error instanceof WebError) return error;
	const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
	if (/^(Z_|ERR_BROTLI|ERR__ERROR|ZSTD_|ERR_ZSTD)/.test(code)) {
		return new WebError("CONTENT_FETCH_FAILED", "The response cannot be unpacked.");
	}
	return new WebError("NETWORK_ERROR", `The connection failed (${code}).`);
}
