import { Defuddle } from "defuddle/node";
import { parseHTML } from "linkedom";
import type { Converted } from "./converted.ts";

const WHOLE_PAGE = {
	contentSelector: "body",
	removeExactSelectors: false,
	removePartialSelectors: false,
	removeLowScoring: false,
	removeContentPatterns: false,
	includeReplies: true,
} as const;

/** A page as markdown: what it is about, or all of it. */
export async function htmlToMarkdown(
	html: string,
	{ url, preferReader }: { url: string; preferReader: boolean },
): Promise<Converted> {
	const convert = async (options: object) => {
		const { content, title } = await Defuddle(documentOf(html, url), url, {
			...options,
			markdown: true,
			// For some sites it would ask their services for more, past our checks of where a request goes.
			useAsync: false,
			fetch: () => Promise.reject(new Error("No requests while converting.")),
		});
		return { text: content.trim(), ...(title !== "" && { title }) };
	};
	const article = preferReader ? await convert({}) : undefined;
	return article && article.text !== "" ? article : convert(WHOLE_PAGE);
}

/** What defuddle expects of a document and linkedom lacks. */
function documentOf(html: string, url: string) {
	const { document } = parseHTML(html);
	return Object.assign(document, { URL: url, styleSheets: document.styleSheets ?? [] });
}
