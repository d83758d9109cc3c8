import { defineTool } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { webCallLine } from "../call-line.ts";
import { loadPage } from "../load-page.ts";
import { beginnings, readAll } from "../pages.ts";
import { failedCall, pagesResult } from "../result.ts";
import type { WebServices } from "../services.ts";

const fetchParameters = Type.Object(
	{
		url: Type.Optional(Type.String()),
		urls: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
		preferReader: Type.Optional(Type.Boolean({ description: "false: the whole page, not only its main part" })),
	},
	{ additionalProperties: false },
);

export const fetchContent = (services: WebServices) =>
	defineTool({
		name: "fetch_content",
		label: "Fetch content",
		description:
			"Read web pages and documents (HTML, PDF, Office files, text) as markdown. An address with #part starts there.",
		parameters: fetchParameters,
		renderCall: webCallLine("fetch_content"),
		async execute(_id, { url, urls, preferReader = true }, signal, _onUpdate, ctx) {
			const wanted = [...new Set([...(url === undefined ? [] : [url]), ...(urls ?? [])])];
			if (wanted.length === 0) return failedCall({ code: "INVALID_INPUT", message: "Give `url` or `urls`." });
			const call = { ...services, settings: services.settings(ctx), signal };
			const { pages, errors } = await readAll(
				wanted.map((source, place) => ({
					index: place + 1,
					subject: { url: source },
					read: () => loadPage(source, call, { preferReader }),
				})),
			);
			return pagesResult(beginnings(pages), errors);
		},
	});
