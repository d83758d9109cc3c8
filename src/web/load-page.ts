import type { RawDocument, ReadableDocument } from "./convert/convert.ts";
import { WebError } from "./error.ts";
import { atFragment } from "./fragment.ts";
import type { GuardedResponse } from "./net/guarded-fetch.ts";
import { retryAfterSeconds } from "./net/retry-after.ts";
import { parseWebUrl } from "./net/web-url.ts";
import { type Page, processState } from "./process-state.ts";
import type { WebCall } from "./services.ts";

const MOST_REDIRECTS = 5;
const ACCEPT = "text/html,application/xhtml+xml,text/plain,application/pdf,application/json;q=0.9,*/*;q=0.5";

interface PageWish {
	preferReader: boolean;
}

/**
 * A page of the web as text, beginning at the part that the address names. It comes from the cache if that is fresh, otherwise
 * it is fetched and converted.
 */
export async function loadPage(source: string, call: WebCall, wanted: PageWish): Promise<Page> {
	const { settings } = call;
	const { cache } = processState();
	const url = parseWebUrl(source);
	// A caller that may not reach the private network must not read it from the cache either.
	const key = `${settings.allowPrivateNetwork} ${wanted.preferReader} ${url.href}`;
	const known = cache.get(key);
	if (known && Date.now() - known.at < settings.cacheMinutes * 60_000) return atFragment({ ...known.page, source });
	const { finalUrl, document } = await fetchDocument(url, call, wanted);
	const page = { source, ...(finalUrl.href !== url.href && { finalUrl: finalUrl.href }), ...document };
	cache.set(key, { page, at: Date.now() }, document.text.length);
	return atFragment(page);
}

/** Follows pages that only redirect their readers, with the limit for redirects. Checks each like the first. */
async function fetchDocument(
	url: URL,
	call: WebCall,
	wanted: PageWish,
): Promise<{ finalUrl: URL; document: ReadableDocument }> {
	for (let hop = 0, at = url; ; hop++) {
		const response = await fetchOne(at, call);
		const document = await convertResponse(response, call, wanted);
		if (document.refresh === undefined || hop >= MOST_REDIRECTS) return { finalUrl: response.url, document };
		at = parseWebUrl(document.refresh, response.url);
	}
}

async function fetchOne(url: URL, { settings, signal, fetch }: WebCall): Promise<GuardedResponse> {
	const response = await processState().hosts.use(url.host, signal, () =>
		fetch({ ...settings, url, headers: { accept: ACCEPT }, maxRedirects: MOST_REDIRECTS, signal }),
	);
	requireSuccess(response);
	return response;
}

function convertResponse({ body, headers, url }: GuardedResponse, call: WebCall, { preferReader }: PageWish) {
	const { "content-type": contentType } = headers;
	const raw = { bytes: body, name: url.pathname, url: url.href, preferReader, ...(contentType && { contentType }) };
	return convertLimited(raw, call);
}

/** Runs a few conversions at a time: each takes a processor and up to half a gigabyte. */
export async function convertLimited(
	raw: RawDocument,
	{ worker, settings, signal }: WebCall,
): Promise<ReadableDocument> {
	const { convertDocument } = await import("./convert/convert.ts");
	return processState().workers.use("", signal, () => convertDocument(raw, worker, { ...settings, signal }));
}

function requireSuccess({ status, headers }: GuardedResponse): void {
	if (status >= 200 && status < 300) return;
	if (status === 404 || status === 410)
		throw new WebError("NOT_FOUND", `The server does not have this page (HTTP ${status}).`);
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
