import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { webCallLine } from "../call-line.ts";
import type { SearchDetails, SearchResult, WebFailure } from "../details.ts";
import { WebError } from "../error.ts";
import { loadPage } from "../load-page.ts";
import { beginnings, type PageExcerpt, pageFailure, readAll } from "../pages.ts";
import { errorLines, presented, webResult } from "../result.ts";
import { Searcher } from "../search/search.ts";
import type { WebCall, WebServices } from "../services.ts";
import { untrusted } from "../untrusted.ts";

const LONGEST_QUERY = 1_000;
/** How many results may include their content. */
const MOST_PAGES = 10;

const searchParameters = Type.Object(
	{
		query: Type.Optional(Type.String()),
		queries: Type.Optional(Type.Array(Type.String(), { maxItems: 5 })),
		numResults: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: "Per query, default 5" })),
		includeContent: Type.Optional(Type.Boolean({ description: "Also read the pages found" })),
	},
	{ additionalProperties: false },
);

export const webSearch = (services: WebServices) =>
	defineTool({
		name: "web_search",
		label: "Web search",
		description: "Search the web. Several `queries` at once are better than one broad query.",
		parameters: searchParameters,
		renderCall: webCallLine("web_search"),
		async execute(_id, { query, queries, numResults = 5, includeContent = false }, signal, _onUpdate, ctx) {
			const wanted = [...new Set([...(query === undefined ? [] : [query]), ...(queries ?? [])])];
			if (wanted.length === 0) {
				const failure: WebFailure = { code: "INVALID_INPUT", message: "Give `query` or `queries`." };
				return searchResult({ results: [], notes: [], answered: false, errors: [failure] }, []);
			}
			const call = { ...services, settings: services.settings(ctx), signal };
			const found = await searchAll(wanted, numResults, call);
			const { pages, errors } = await readAll(includeContent ? pagesOf(found.results, call) : []);
			return searchResult({ ...found, errors: [...found.errors, ...errors] }, beginnings(pages));
		},
	});

interface SearchFound extends Pick<SearchDetails, "results" | "errors" | "notes"> {
	/** Whether any query got an answer, even an empty one. */
	answered: boolean;
}

function searchResult({ answered, ...found }: SearchFound, shown: readonly PageExcerpt[]) {
	const { texts, ...pages } = presented(shown);
	const { warning, around } = untrusted();
	const listing = found.results.map(resultText).join("\n");
	return webResult<SearchDetails>(
		[
			...found.notes.map((note) => `Not used: ${note}`),
			...(listing !== "" ? [warning, around(listing)] : answered ? ["No results."] : []),
			...texts,
			...errorLines(found.errors),
		],
		{ ok: answered, ...pages, ...found },
	);
}

async function searchAll(queries: readonly string[], count: number, call: WebCall): Promise<SearchFound> {
	const searcher = new Searcher(call);
	const results: SearchResult[] = [];
	const errors: WebFailure[] = [];
	for (const query of queries) {
		try {
			const { provider, hits } = await searcher.search({ query: usable(query), count });
			results.push(...hits.map((hit, place) => ({ index: results.length + place + 1, query, provider, ...hit })));
		} catch (error) {
			errors.push(pageFailure(error, { query }));
		}
	}
	const answered = errors.length < queries.length;
	return { results, errors, answered, notes: answered ? searcher.notes : [] };
}

function usable(query: string): string {
	const text = query.trim();
	if (text === "") throw new WebError("WEB_SEARCH_INVALID_QUERY", "The query is empty.");
	if (text.length <= LONGEST_QUERY) return text;
	throw new WebError("WEB_SEARCH_INVALID_QUERY", `The query is longer than ${LONGEST_QUERY} characters.`);
}

/** Lists each page once, even if several queries found it. */
function pagesOf(results: readonly SearchResult[], call: WebCall) {
	const first = results.filter(({ url }, place) => results.findIndex((other) => other.url === url) === place);
	return first.slice(0, MOST_PAGES).map(({ index, url }) => ({
		index,
		subject: { index, url },
		read: () => loadPage(url, call, { preferReader: true }),
	}));
}

function resultText({ index, title, url, snippet, published }: SearchResult): string {
	return [`[${index}] ${title}`, `    ${url}${published === undefined ? "" : ` (${published})`}`, `    ${snippet}`]
		.filter((line) => line.trim() !== "")
		.join("\n");
}
