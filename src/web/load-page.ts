import { convertDocument } from "./convert/convert.ts";
import { WebError } from "./error.ts";
import type { GuardedResponse } from "./net/guarded-fetch.ts";
import { retryAfterSeconds } from "./net/retry-after.ts";
import { parseWebUrl } from "./net/web-url.ts";
import { type Page, processState } from "./process-state.ts";
import type { WebCall } from "./services.ts";

const MOST_REDIRECTS = 5;
const ACCEPT = "text/html,application/xhtml+xml,text/plain,application/pdf,application/json;q=0.9,*/*;q=0.5";

/** A page of the web as text: from the cache if it is fresh, else fetched and converted. */
export async function loadPage(
	source: string,
	call: WebCall,
	{ preferReader }: { preferReader: boolean },
): Promise<Page> {
	const { settings, signal } = call;
	const { hosts, cache } = processState();
	const url = parseWebUrl(source);
	// Whoever may not reach the private network must not read it from the cache either.
	const key = `${settings.allowPrivateNetwork} ${preferReader} ${url.href}`;
	const known = cache.get(key);
	if (known && Date.now() - known.at < settings.cacheMinutes * 60_000) return { ...known.page, source };
	const response = await hosts.use(url.host, signal, () =>
		call.fetch({ ...settings, url, headers: { accept: ACCEPT }, maxRedirects: MOST_REDIRECTS, signal }),
	);
	requireSuccess(response);
	const page = { source, ...(response.url.href !== url.href && { finalUrl: response.url.href }) };
	const document = await convertResponse(response, call, { preferReader });
	cache.set(key, { page: { ...page, ...document }, at: Date.now() }, document.text.length);
	return { ...page, ...document };
}

function convertResponse(
	{ body, headers, url }: GuardedResponse,
	call: WebCall,
	{ preferReader }: { preferReader: boolean },
) {
	const { "content-type": contentType } = headers;
	const raw = { bytes: body, name: url.pathname, url: url.href, preferReader, ...(contentType && { contentType }) };
	return convertLimited(raw, call);
}

/** A few conversions at a time: each takes a processor and up to half a gigabyte. */
export function convertLimited(raw: Parameters<typeof convertDocument>[0], { worker, settings, signal }: WebCall) {
	return processState().workers.use("", signal, () => convertDocument(raw, worker, { ...settings, signal }));
}

function requireSuccess({ status, headers }: GuardedResponse): void {
	if (status >= 200 && status < 300) return;
	if (status === 404 || status === 410)
		throw new WebError("NOT_FOUND", `The server knows no such page (HTTP ${status}).`);
	const wait = retryAfterSeconds(headers["retry-after"]);
	if (status === 429 || (status === 503 && wait !== undefined)) throw rateLimited("The server", wait);
	throw new WebError("CONTENT_FETCH_FAILED", `The server answered with HTTP ${status}.`);
}

export function rateLimited(who: string, wait: number | undefined): WebError {
	if (wait === undefined) return new WebError("PROVIDER_RATE_LIMITED", `${who} asks to slow down. Try again later.`);
	return new WebError("PROVIDER_RATE_LIMITED", `${who} asks to wait ${wait} s before the next request.`, {
		retryAfterSeconds: wait,
	});
}
