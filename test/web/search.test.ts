import type { IncomingHttpHeaders } from "node:http";
import { text as readText } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Config, SearchProviderName } from "../../src/config/config.ts";
import type { SearchDetails } from "../../src/web/details.ts";
import { webSearch } from "../../src/web/tools/web-search.ts";
import { callTool, servicesWith, settingsWith } from "./call-tool.ts";
import { ARTICLE } from "./documents.ts";
import { type LocalSite, useSites } from "./local-web.ts";

const openSite = useSites();

/** All providers at addresses of their own on one local site: /brave, /tavily, … */
function providersAt(site: LocalSite): Config["web"]["providers"] {
	const { providers } = settingsWith();
	const at = (name: string) => ({ baseUrl: site.url(`/${name}`, "127.0.0.1") });
	return {
		brave: { ...providers.brave, ...at("brave") },
		tavily: { ...providers.tavily, ...at("tavily") },
		serper: { ...providers.serper, ...at("serper") },
		exa: { ...providers.exa, ...at("exa") },
		searxng: { baseUrl: null },
		duckduckgo: at("duckduckgo"),
	};
}

const KEYS = {
	BRAVE_API_KEY: "brave-key",
	TAVILY_API_KEY: "tavily-key",
	SERPER_API_KEY: "serper-key",
	EXA_API_KEY: "exa-key",
};

const hits = (title: string, url: string, snippet: string, more = {}) => [
	{
		[title]: "Pigeon <b>navigation</b> &amp; more",
		[url]: "https://a.example/one",
		[snippet]: "How they\n find  home",
		...more,
	},
	{ [title]: "No address", [url]: "javascript:alert(1)", [snippet]: "x" },
	{ [title]: "Second", [url]: "https://b.example/two", [snippet]: "y".repeat(900) },
];

const DUCKDUCKGO_PAGE = `<div class="results">
<div class="result result--ad"><h2><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x&amp;u=1">Ad</a></h2></div>
<div class="result"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fone&amp;rut=5">Pigeon <b>navigation</b> &amp; more</a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">How they find <b>home</b></a></div>
<div class="result"><a class="result__a" href="https://b.example/two">Second</a><div class="result__snippet">${"y".repeat(900)}</div></div></div>`;

interface Api {
	name: SearchProviderName;
	env: Record<string, string>;
	answer: string;
	request: string;
	headers?: IncomingHttpHeaders;
	body?: object;
	published?: string;
}

const APIS: Api[] = [
	{
		name: "brave",
		env: { BRAVE_API_KEY: "brave-key" },
		answer: JSON.stringify({ web: { results: hits("title", "url", "description", { page_age: "2026-01-02" }) } }),
		request: "GET /brave/res/v1/web/search?q=homing+pigeons%3F&count=7",
		headers: { "x-subscription-token": "brave-key" },
		published: "2026-01-02",
	},
	{
		name: "tavily",
		env: { TAVILY_API_KEY: "tavily-key" },
		answer: JSON.stringify({ results: hits("title", "url", "content") }),
		request: "POST /tavily/search",
		headers: { authorization: "Bearer tavily-key" },
		body: { query: "homing pigeons?", max_results: 7 },
	},
	{
		name: "serper",
		env: { SERPER_API_KEY: "serper-key" },
		answer: JSON.stringify({ organic: hits("title", "link", "snippet", { date: "2 days ago" }) }),
		request: "POST /serper/search",
		headers: { "x-api-key": "serper-key" },
		body: { q: "homing pigeons?", num: 7 },
		published: "2 days ago",
	},
	{
		name: "exa",
		env: { EXA_API_KEY: " exa-key " },
		answer: JSON.stringify({ results: hits("title", "url", "text", { publishedDate: "2025-05-05" }) }),
		request: "POST /exa/search",
		headers: { "x-api-key": "exa-key" },
		body: { query: "homing pigeons?", numResults: 7, contents: { text: { maxCharacters: 400 } } },
		published: "2025-05-05",
	},
	{
		name: "searxng",
		env: { SEARXNG_URL: "SITE/searxng/" },
		answer: JSON.stringify({ results: hits("title", "url", "content") }),
		request: "GET /searxng/search?q=homing+pigeons%3F&format=json",
	},
	{ name: "duckduckgo", env: {}, answer: DUCKDUCKGO_PAGE, request: "GET /duckduckgo/html/?q=homing+pigeons%3F" },
];

describe("a provider", () => {
	test.each(APIS)("$name is chosen by its key, asked in its own way and understood", async (api) => {
		let headers: IncomingHttpHeaders = {};
		let body = "";
		const site = await openSite(async (request, response) => {
			headers = request.headers;
			body = await readText(request);
			response.setHeader("content-type", api.name === "duckduckgo" ? "text/html" : "application/json").end(api.answer);
		});
		const env = JSON.parse(JSON.stringify(api.env).replace("SITE", site.url("", "127.0.0.1"))) as NodeJS.ProcessEnv;
		const tool = webSearch(servicesWith({ providers: providersAt(site) }, env));
		const { text, details } = await callTool<SearchDetails>(tool, { query: " homing pigeons? ", numResults: 7 });
		expect(details.errors).toEqual([]);
		expect(site.requests).toEqual([api.request]);
		expect(headers).toMatchObject({ ...api.headers });
		expect(body === "" ? undefined : JSON.parse(body)).toEqual(api.body);
		const common = { query: " homing pigeons? ", provider: api.name };
		expect(details.results).toEqual([
			{
				...common,
				index: 1,
				title: "Pigeon navigation & more",
				url: "https://a.example/one",
				snippet: "How they find home",
				...(api.published !== undefined && { published: api.published }),
			},
			{ ...common, index: 2, title: "Second", url: "https://b.example/two", snippet: "y".repeat(500) },
		]);
		expect(text).toContain("[1] Pigeon navigation & more\n    https://a.example/one");
	});

	test("gives no more than was asked for", async () => {
		const site = await openSite((_request, response) => response.end(DUCKDUCKGO_PAGE));
		const tool = webSearch(servicesWith({ providers: providersAt(site) }));
		expect((await callTool<SearchDetails>(tool, { query: "x", numResults: 1 })).details.results).toHaveLength(1);
	});

	test("at the user's own address may be on their network; one of its own may not be led there", async () => {
		const site = await openSite((_request, response) => response.end('{"results":[]}'));
		const own = { ...settingsWith().providers, searxng: { baseUrl: site.url("", "127.0.0.2") } };
		const search = (providers: Config["web"]["providers"]) =>
			callTool<SearchDetails>(webSearch(servicesWith({ providers, fallback: false })), { query: "x" });
		expect((await search(own)).details).toMatchObject({ ok: true, results: [], errors: [] });
		// Its name leads to 127.0.0.2 in the network of these tests.
		expect((await search(settingsWith().providers)).details.errors).toMatchObject([
			{ code: "PRIVATE_NETWORK_BLOCKED" },
		]);
	});

	test("cannot send the key on by a redirect", async () => {
		const thief = await openSite((_request, response) => response.end("{}"));
		const site = await openSite((_request, response) => response.writeHead(302, { location: thief.url("/") }).end());
		const tool = webSearch(servicesWith({ providers: providersAt(site), fallback: false }, KEYS));
		expect((await callTool<SearchDetails>(tool, { query: "x" })).details.errors).toMatchObject([
			{ code: "PROVIDER_UNAVAILABLE" },
		]);
		expect(thief.requests).toEqual([]);
	});
});

describe("a provider that fails", () => {
	const FAILURES: [string, number, string, Record<string, string>, string][] = [
		["asks to wait", 429, "{}", { "retry-after": "37" }, "PROVIDER_RATE_LIMITED"],
		["is used up", 432, "{}", {}, "PROVIDER_RATE_LIMITED"],
		["does not know the key", 401, "{}", {}, "PROVIDER_AUTH_FAILED"],
		["forbids", 403, "{}", {}, "PROVIDER_AUTH_FAILED"],
		["is down", 503, "{}", {}, "PROVIDER_UNAVAILABLE"],
		["does not understand", 422, "{}", {}, "WEB_SEARCH_FAILED"],
		["answers with a page", 200, "<html>Hello</html>", {}, "PROVIDER_UNAVAILABLE"],
		["answers with a list", 200, "[]", {}, "PROVIDER_UNAVAILABLE"],
	];

	test.each(FAILURES)(
		"because it %s is replaced by the next, and why is told",
		async (_, status, body, headers, code) => {
			const site = await openSite((request, response) => {
				if (request.url?.startsWith("/brave")) response.writeHead(status, headers).end(body);
				else response.end(JSON.stringify({ results: hits("title", "url", "content") }));
			});
			const env = { BRAVE_API_KEY: KEYS.BRAVE_API_KEY, TAVILY_API_KEY: KEYS.TAVILY_API_KEY };
			const tool = webSearch(servicesWith({ providers: providersAt(site) }, env));
			const { text, details } = await callTool<SearchDetails>(tool, { queries: ["one", "two"] });
			expect(details).toMatchObject({ ok: true, errors: [] });
			expect(details.results.map(({ provider, query }) => [provider, query])).toEqual([
				["tavily", "one"],
				["tavily", "one"],
				["tavily", "two"],
				["tavily", "two"],
			]);
			expect(details.notes).toEqual([expect.stringMatching(`^${code}: brave `)]);
			expect(text).toContain(`Not used: ${code}: brave`);
			if (status === 429) expect(details.notes[0]).toContain("wait 37 s");
			// It was asked once, not again for the second query.
			expect(site.requests.filter((request) => request.includes("/brave"))).toHaveLength(1);
		},
	);

	test("too slowly runs out of time", async () => {
		const site = await openSite(() => {});
		const settings = { providers: providersAt(site), timeoutMs: 100, fallback: false };
		const { details } = await callTool<SearchDetails>(webSearch(servicesWith(settings, KEYS)), { query: "x" });
		expect(details.errors).toMatchObject([{ query: "x", code: "WEB_SEARCH_TIMEOUT" }]);
	});

	test("last of all: the code of the first, all reasons, and the wait", async () => {
		const site = await openSite((request, response) =>
			response.writeHead(request.url?.startsWith("/brave") ? 429 : 500, { "retry-after": "12" }).end(),
		);
		const { text, details } = await callTool<SearchDetails>(
			webSearch(servicesWith({ providers: providersAt(site) }, KEYS)),
			{
				query: "x",
			},
		);
		expect(details).toMatchObject({ ok: false, results: [], notes: [] });
		expect(details.errors).toMatchObject([{ code: "PROVIDER_RATE_LIMITED", retryAfterSeconds: 12 }]);
		for (const name of ["brave", "tavily", "serper", "exa", "duckduckgo"]) expect(text).toContain(name);
		expect(text).not.toContain("key\n");
		for (const key of Object.values(KEYS)) expect(text).not.toContain(key);
	});

	test("with none configured: what to configure", async () => {
		const site = await openSite((_request, response) => response.writeHead(202).end("anomaly-modal"));
		const { text, details } = await callTool<SearchDetails>(webSearch(servicesWith({ providers: providersAt(site) })), {
			query: "x",
		});
		expect(details).toMatchObject({ ok: false, errors: [{ code: "PROVIDER_RATE_LIMITED" }] });
		for (const variable of ["BRAVE_API_KEY", "SEARXNG_URL", "pi-geon.json"]) expect(text).toContain(variable);
	});

	test("chosen but without a key, and no fallback: what to configure", async () => {
		const { text, details } = await callTool<SearchDetails>(
			webSearch(servicesWith({ provider: "exa", fallback: false })),
			{
				query: "x",
			},
		);
		expect(details.errors).toMatchObject([{ code: "PROVIDER_UNAVAILABLE" }]);
		expect(text).toContain("EXA_API_KEY");
	});

	test("SearXNG without JSON says which setting of it to change", async () => {
		const site = await openSite((_request, response) => response.writeHead(403).end());
		const tool = webSearch(servicesWith({ fallback: false }, { SEARXNG_URL: site.url("", "127.0.0.1") }));
		expect((await callTool<SearchDetails>(tool, { query: "x" })).text).toContain("search.formats");
	});
});

describe("a choice", () => {
	const search = async (settings: Partial<Config["web"]>, env: NodeJS.ProcessEnv) => {
		const site = await openSite((_request, response) => response.end('{"results":[],"web":{},"organic":[]}'));
		const providers = { ...providersAt(site), ...settings.providers };
		await callTool<SearchDetails>(webSearch(servicesWith({ ...settings, providers }, env)), { query: "x" });
		return site.requests[0]?.split(/[ /?]/)[2];
	};

	test("of the config wins over the order", async () => expect(await search({ provider: "exa" }, KEYS)).toBe("exa"));
	test("is else the first with a key", async () =>
		expect(await search({}, { EXA_API_KEY: "x", SERPER_API_KEY: "y" })).toBe("serper"));
	test("never falls on an empty key", async () => expect(await search({}, { BRAVE_API_KEY: " " })).toBe("duckduckgo"));
	test("that has no key is passed over", async () =>
		expect(await search({ provider: "brave" }, { EXA_API_KEY: "x" })).toBe("exa"));
});

describe("a search", () => {
	test.each([{}, { queries: [] }])("for nothing (%j) is refused", async (args) => {
		const { details } = await callTool<SearchDetails>(webSearch(servicesWith()), args);
		expect(details).toMatchObject({ ok: false, results: [], errors: [{ code: "INVALID_INPUT" }] });
	});

	test("with one bad query answers the other", async () => {
		const site = await openSite((_request, response) => response.end(DUCKDUCKGO_PAGE));
		const tool = webSearch(servicesWith({ providers: providersAt(site) }));
		const { details } = await callTool<SearchDetails>(tool, { queries: ["  ", "fine", "x".repeat(1001)] });
		expect(details.results.map(({ query }) => query)).toEqual(["fine", "fine"]);
		expect(details.errors.map(({ code }) => code)).toEqual(["WEB_SEARCH_INVALID_QUERY", "WEB_SEARCH_INVALID_QUERY"]);
		expect(site.requests).toHaveLength(1);
	});

	test("without results says so", async () => {
		const site = await openSite((_request, response) => response.end('<div class="no-results">None</div>'));
		const { text, details } = await callTool<SearchDetails>(webSearch(servicesWith({ providers: providersAt(site) })), {
			query: "x",
		});
		expect([text, details.ok]).toEqual(["No results.", true]);
	});

	test("reads the pages too when asked, each once, and tells of those it could not read", async () => {
		const site = await openSite((request, response) => {
			if (request.url?.startsWith("/page")) response.setHeader("content-type", "text/html").end(ARTICLE);
			else if (request.url?.startsWith("/gone")) response.writeHead(404).end();
			else {
				const results = ["/page", "/gone", "/page"].map((path) => ({ title: path, url: site.url(path), content: "" }));
				response.end(JSON.stringify({ results }));
			}
		});
		const tool = webSearch(servicesWith({}, { SEARXNG_URL: site.url("", "127.0.0.1") }));
		const { text, details } = await callTool<SearchDetails>(tool, { query: "x", includeContent: true });
		expect(details.results).toHaveLength(3);
		expect(details.pages).toMatchObject([{ index: 1, source: site.url("/page"), kind: "html" }]);
		expect(details.responseId).toBeDefined();
		expect(details.errors).toMatchObject([{ url: site.url("/gone"), code: "NOT_FOUND" }]);
		expect(text).toContain("magnetic field");
		expect(site.requests.filter((request) => request === "GET /page")).toHaveLength(1);
	});
});
