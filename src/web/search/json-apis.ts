import { isRecord } from "../../run/is-record.ts";
import type { ApiRequest, SearchHit, SearchProvider } from "./provider.ts";

type Item = Readonly<Record<string, unknown>>;

const post = (url: string, headers: Record<string, string>, body: object): ApiRequest => ({
	url,
	headers: { accept: "application/json", "content-type": "application/json", ...headers },
	body: JSON.stringify(body),
});

const get = (url: string, query: Record<string, string>, headers: Record<string, string> = {}): ApiRequest => ({
	url: `${url}?${new URLSearchParams(query)}`,
	headers: { accept: "application/json", ...headers },
});

/** The list at a path in a JSON answer. A service omits it when it found nothing, but the answer is an object. */
function itemsAt(body: string, ...path: string[]): Item[] {
	const found = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), asItem(JSON.parse(body)));
	return Array.isArray(found) ? found.filter(isRecord) : [];
}

function asItem(value: unknown): Item {
	if (!isRecord(value)) throw new Error("The answer is not an object.");
	return value;
}

const hit = (item: Item, keys: { title: string; url: string; snippet: string; published: string }): SearchHit => {
	const text = (key: string) => (typeof item[key] === "string" ? item[key] : "");
	const published = text(keys.published);
	return { title: text(keys.title), url: text(keys.url), snippet: text(keys.snippet), ...(published && { published }) };
};

export const brave: SearchProvider = {
	baseUrl: "https://api.search.brave.com",
	request: ({ query, count }, { baseUrl, key }) =>
		get(`${baseUrl}/res/v1/web/search`, { q: query, count: String(count) }, { "x-subscription-token": key }),
	hits: (body) =>
		itemsAt(body, "web", "results").map((item) =>
			hit(item, { title: "title", url: "url", snippet: "description", published: "page_age" }),
		),
};

export const tavily: SearchProvider = {
	baseUrl: "https://api.tavily.com",
	request: ({ query, count }, { baseUrl, key }) =>
		post(`${baseUrl}/search`, { authorization: `Bearer ${key}` }, { query, max_results: count }),
	hits: (body) =>
		itemsAt(body, "results").map((item) =>
			hit(item, { title: "title", url: "url", snippet: "content", published: "published_date" }),
		),
};

export const serper: SearchProvider = {
	baseUrl: "https://google.serper.dev",
	request: ({ query, count }, { baseUrl, key }) =>
		post(`${baseUrl}/search`, { "x-api-key": key }, { q: query, num: count }),
	hits: (body) =>
		itemsAt(body, "organic").map((item) =>
			hit(item, { title: "title", url: "link", snippet: "snippet", published: "date" }),
		),
};

export const exa: SearchProvider = {
	baseUrl: "https://api.exa.ai",
	request: ({ query, count }, { baseUrl, key }) => {
		const contents = { text: { maxCharacters: 400 } };
		return post(`${baseUrl}/search`, { "x-api-key": key }, { query, numResults: count, contents });
	},
	hits: (body) =>
		itemsAt(body, "results").map((item) =>
			hit(item, { title: "title", url: "url", snippet: "text", published: "publishedDate" }),
		),
};

export const searxng: SearchProvider = {
	baseUrl: null,
	request: ({ query }, { baseUrl }) => get(`${baseUrl}/search`, { q: query, format: "json" }),
	hits: (body) =>
		itemsAt(body, "results").map((item) =>
			hit(item, { title: "title", url: "url", snippet: "content", published: "publishedDate" }),
		),
};
