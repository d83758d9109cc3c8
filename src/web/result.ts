import type { WebDetails, WebFailure } from "./details.ts";
import { outlineLines, outlineOf } from "./outline.ts";
import { keepPages, type PageExcerpt, pageDetails } from "./pages.ts";
import type { KeptPage } from "./process-state.ts";
import { untrusted } from "./untrusted.ts";

/** The result of a tool, as lines for the model and as data. */
export const webResult = <Details extends WebDetails>(parts: readonly string[], details: Details) => ({
	content: [{ type: "text" as const, text: parts.join("\n") }],
	details,
});

/** A call that failed as a whole. */
export const failedCall = (failure: WebFailure) =>
	webResult<WebDetails>(errorLines([failure]), { ok: false, pages: [], errors: [failure] });

/** Pages, the shown part of each, and failures. The pages are kept for `get_search_content`. */
export function pagesResult(shown: readonly PageExcerpt[], errors: WebFailure[]) {
	const { texts, ...details } = presented(shown);
	return webResult<WebDetails>([...texts, ...errorLines(errors)], { ok: shown.length > 0, ...details, errors });
}

/** The part of a result about pages. */
export function presented(shown: readonly PageExcerpt[], responseId = keepPages(shown.map(({ page }) => page))) {
	const { warning, around } = untrusted();
	return {
		texts:
			shown.length === 0
				? []
				: [warning, ...shown.map((part) => around(pageText(part)) + whatIsLeft(part, responseId))],
		...(responseId !== undefined && { responseId }),
		pages: shown.map(pageDetails),
	};
}

/** Identifies a search result by its number, because its address must not appear outside the marks. */
export const errorLines = (errors: readonly WebFailure[]): string[] =>
	errors.map(({ code, message, index, ...at }) => {
		const about = index === undefined ? (at.url ?? at.query ?? at.path) : `[${index}]`;
		return [about, code, message].filter((part) => part !== undefined).join(": ");
	});

/** Title, addresses and headings are the page's own words too, so they go between the marks. */
function pageText(excerpt: PageExcerpt): string {
	const { page, from, to } = excerpt;
	const isBeginning = from === (page.start ?? 0);
	return [
		pageHeading(page),
		...(isBeginning && to - from < page.text.length ? outlineLines(outlineOf(page)) : []),
		page.text.slice(from, to) || noText(excerpt),
	].join("\n");
}

export const pageHeading = ({ index, source, finalUrl, title }: KeptPage): string =>
	[
		`[${index}] ${source}${finalUrl === undefined ? "" : ` → ${finalUrl}`}`,
		...(title === undefined ? [] : [`Title: ${title}`]),
	].join("\n");

function noText({ page }: PageExcerpt): string {
	return `(no text: ${page.text === "" ? (page.whyEmpty ?? "it is empty") : `the text ends at character ${page.text.length}`})`;
}

function whatIsLeft({ page, from, to }: PageExcerpt, responseId: string | undefined): string {
	const { length } = page.text;
	const isWhole = from === 0 && to === length;
	const sentences = [
		...(isWhole ? [] : [`Characters ${from}-${to} of ${length}.`]),
		...(to < length
			? [`More: get_search_content { responseId: "${responseId}", index: ${page.index}, offset: ${to} }.`]
			: []),
		...(page.cut ? ["The document is longer; the rest was left out."] : []),
		...(page.notes ?? []),
	];
	return sentences.length === 0 ? "" : `\n${sentences.join(" ")}`;
}
