import { legible } from "../../run/legible.ts";
import { messageOf } from "../../run/message-of.ts";
import { decodeDeclared } from "../convert/charset.ts";
import { decodeEntities } from "../entities.ts";
import { WebError, type WebErrorCode } from "../error.ts";
import { rateLimited } from "../load-page.ts";
import type { GuardedResponse } from "../net/guarded-fetch.ts";
import { retryAfterSeconds } from "../net/retry-after.ts";
import { parseWebUrl } from "../net/web-url.ts";
import type { WebCall } from "../services.ts";
import type { Account } from "./accounts.ts";
import type { SearchHit, SearchQuestion } from "./provider.ts";

const LONGEST_SNIPPET = 500;
const LARGEST_ANSWER = 2 * 1024 * 1024;

type ProviderCall = Pick<WebCall, "fetch" | "settings" | "signal">;

/** Asks one provider one question. */
export async function ask(account: Account, question: SearchQuestion, call: ProviderCall): Promise<SearchHit[]> {
	const response = await sendQuestion(account, question, call);
	requireAnswer(account, response);
	return hitsIn(account, response).flatMap(tidy).slice(0, question.count);
}

async function sendQuestion(
	{ name, provider, ...account }: Account,
	question: SearchQuestion,
	call: ProviderCall,
): Promise<GuardedResponse> {
	const { url, headers, body } = provider.request(question, account);
	try {
		return await call.fetch({
			...call.settings,
			url: parseWebUrl(url),
			...(headers && { headers }),
			...(body !== undefined && { method: "POST", body }),
			maxBytes: Math.min(call.settings.maxBytes, LARGEST_ANSWER),
			// A key must not be sent to the target of a redirect.
			maxRedirects: 0,
			signal: call.signal,
			allowPrivateNetwork: call.settings.allowPrivateNetwork || account.isUsersAddress,
		});
	} catch (error) {
		if (!(error instanceof WebError)) throw error;
		throw new WebError(SEARCH_CODES[error.code] ?? error.code, `${name}: ${error.message}`);
	}
}

/** Some errors mean something else for a service than for a page. */
const SEARCH_CODES: Partial<Record<WebErrorCode, WebErrorCode>> = {
	CONTENT_FETCH_TIMEOUT: "WEB_SEARCH_TIMEOUT",
	CONTENT_FETCH_FAILED: "PROVIDER_UNAVAILABLE",
	CONTENT_FETCH_INVALID_URL: "PROVIDER_UNAVAILABLE",
	FILE_TOO_LARGE: "WEB_SEARCH_FAILED",
};

/** Tavily has two of its own for an exhausted plan; DuckDuckGo sends a captcha with 202. */
const SLOW_DOWN = new Set([429, 432, 433]);

function requireAnswer({ name }: Account, { status, headers }: GuardedResponse): void {
	if (status === 200) return;
	const answered = `${name} answered with HTTP ${status}`;
	if (SLOW_DOWN.has(status) || (name === "duckduckgo" && status < 500)) {
		throw rateLimited(name, retryAfterSeconds(headers["retry-after"]));
	}
	if (status === 403 && name === "searxng") {
		throw new WebError("PROVIDER_AUTH_FAILED", `${answered}: add json to search.formats in its settings.yml.`);
	}
	if (status === 401 || status === 403) throw new WebError("PROVIDER_AUTH_FAILED", `${answered}: check its key.`);
	throw new WebError(status >= 500 ? "PROVIDER_UNAVAILABLE" : "WEB_SEARCH_FAILED", `${answered}.`);
}

function hitsIn({ name, provider }: Account, { body, headers }: GuardedResponse): SearchHit[] {
	try {
		return provider.hits(decodeDeclared(body, headers["content-type"]) ?? body.toString("latin1"));
	} catch (error) {
		// A parser's message quotes its input, which we may not repeat outside the marks.
		const reason = error instanceof SyntaxError ? "it is not JSON." : messageOf(error);
		throw new WebError("PROVIDER_UNAVAILABLE", `${name} answered in an unknown form: ${reason}`);
	}
}

/** The results that can be opened, as plain lines. */
function tidy({ url, title, snippet, published }: SearchHit): SearchHit[] {
	const parsed = URL.parse(url);
	if (!parsed || !/^https?:$/.test(parsed.protocol)) return [];
	return [
		{
			url: parsed.href,
			title: textOfHtml(title),
			snippet: textOfHtml(snippet).slice(0, LONGEST_SNIPPET),
			...(published !== undefined && { published: textOfHtml(published) }),
		},
	];
}

const textOfHtml = (html: string): string =>
	legible(decodeEntities(html.replace(/<\/?[a-z][^<>]{0,500}>/gi, "")))
		.replace(/\s+/g, " ")
		.trim();
