import { defineTool } from "@earendil-works/pi-coding-agent";
import { type Static, Type } from "typebox";
import { webCallLine } from "../call-line.ts";
import type { WebDetails } from "../details.ts";
import { WebError } from "../error.ts";
import { MOST_SHOWN_CHARS, PAGE_CHARS, pageExcerpt, pageFailure } from "../pages.ts";
import { type KeptPage, processState } from "../process-state.ts";
import { failedCall, presented, webResult } from "../result.ts";

const getParameters = Type.Object(
	{
		responseId: Type.String(),
		index: Type.Optional(Type.Integer({ minimum: 1 })),
		url: Type.Optional(Type.String({ description: "Instead of index" })),
		find: Type.Optional(Type.String({ description: "Show the places with these words" })),
		offset: Type.Optional(Type.Integer({ minimum: 0 })),
		maxChars: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_SHOWN_CHARS })),
	},
	{ additionalProperties: false },
);

export const getSearchContent = () =>
	defineTool({
		name: "get_search_content",
		label: "Get search content",
		description: "Read on in a page that web_search, fetch_content or convert_content has kept.",
		parameters: getParameters,
		renderCall: webCallLine("get_search_content"),
		async execute(_id, { offset = 0, maxChars = PAGE_CHARS, find, ...wanted }) {
			try {
				if (find !== undefined) {
					const { foundResult } = await import("../found-result.ts");
					return foundResult(keptPage(wanted), { ...wanted, find, offset, maxChars });
				}
				const { texts, ...details } = presented([pageExcerpt(keptPage(wanted), offset, maxChars)], wanted.responseId);
				return webResult<WebDetails>(texts, { ok: true, ...details, errors: [] });
			} catch (error) {
				return failedCall(pageFailure(error));
			}
		},
	});

type Wanted = Pick<Static<typeof getParameters>, "responseId" | "index" | "url">;

function keptPage({ responseId, index, url }: Wanted): KeptPage {
	const pages = processState().kept.get(responseId);
	if (!pages) {
		throw new WebError(
			"NOT_FOUND",
			"Nothing is kept under this id, or no longer: content is kept only while this process runs, and the oldest is dropped first. Fetch it again.",
		);
	}
	const named = index === undefined && url === undefined ? pages.length === 1 : true;
	const page = pages.find((kept) =>
		index === undefined ? url === undefined || isAt(kept, url) : kept.index === index,
	);
	if (page && named) return page;
	throw new WebError(
		named ? "NOT_FOUND" : "INVALID_INPUT",
		`${named ? "No content of this is kept" : "Say which"}: this response has the pages ${pages.map((kept) => kept.index).join(", ")}.`,
	);
}

const isAt = ({ source, finalUrl }: KeptPage, url: string): boolean =>
	source === url || finalUrl === url || URL.parse(source)?.href === URL.parse(url)?.href;
