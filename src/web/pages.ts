import { randomBytes } from "node:crypto";
import type { PageDetails, WebFailure } from "./details.ts";
import { WebError } from "./error.ts";
import { type KeptPage, type Page, processState } from "./process-state.ts";

/** The limit of all pages of a result together, unless the caller sets another. */
export const PAGE_CHARS = 24_000;
export const MOST_SHOWN_CHARS = 100_000;

/** Part of a page's text. */
export interface PageExcerpt {
	page: KeptPage;
	from: number;
	to: number;
}

export interface Read {
	pages: KeptPage[];
	errors: WebFailure[];
}

/** Reads all sources at once. Failures are reported beside the successes. */
export async function readAll(
	sources: readonly { index: number; subject: Pick<WebFailure, "index" | "url" | "path">; read(): Promise<Page> }[],
): Promise<Read> {
	const errors: WebFailure[] = [];
	const pages = await Promise.all(
		sources.map(async ({ index, subject, read }): Promise<KeptPage[]> => {
			try {
				return [{ ...(await read()), index }];
			} catch (error) {
				errors.push(pageFailure(error, subject));
				return [];
			}
		}),
	);
	return { pages: pages.flat(), errors };
}

/** Any error except a failure of the web ends the call, above all an abort. */
export function pageFailure(
	error: unknown,
	subject: Pick<WebFailure, "index" | "url" | "query" | "path"> = {},
): WebFailure {
	if (!(error instanceof WebError)) throw error;
	const { code, message, retryAfterSeconds } = error;
	return { ...subject, code, message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** Keeps the pages for `get_search_content` and returns their id. */
export function keepPages(pages: readonly KeptPage[]): string | undefined {
	if (pages.length === 0) return undefined;
	const responseId = randomBytes(9).toString("base64url");
	const weight = pages.reduce((sum, { text }) => sum + text.length, 0);
	processState().kept.set(responseId, pages, weight);
	return responseId;
}

/**
 * The beginnings of several pages, or of the parts that their addresses name. Short ones are shown whole; the others share
 * the remaining room.
 */
export function beginnings(pages: readonly KeptPage[], maxChars = PAGE_CHARS): PageExcerpt[] {
	let left = maxChars;
	const rest = ({ text, start = 0 }: KeptPage) => text.length - start;
	const shortestFirst = [...pages].sort((a, b) => rest(a) - rest(b));
	const excerpts = shortestFirst.map((page, done) => {
		const shown = pageExcerpt(page, page.start ?? 0, Math.floor(left / (pages.length - done)));
		left -= shown.to - shown.from;
		return shown;
	});
	return excerpts.sort((a, b) => a.page.index - b.page.index);
}

export function pageExcerpt(page: KeptPage, offset: number, maxChars: number): PageExcerpt {
	const from = whole(page.text, Math.min(offset, page.text.length));
	return { page, from, to: whole(page.text, Math.min(from + maxChars, page.text.length)) };
}

/** The position, or the one before if it is inside a character. */
const whole = (text: string, at: number): number =>
	/[\udc00-\udfff]/.test(text.charAt(at)) ? Math.max(0, at - 1) : at;

export const pageDetails = ({ page, from, to }: PageExcerpt): PageDetails => ({
	index: page.index,
	source: page.source,
	...(page.finalUrl !== undefined && { finalUrl: page.finalUrl }),
	...(page.title !== undefined && { title: page.title }),
	kind: page.kind,
	chars: page.text.length,
	shown: { from, to },
	...(page.notes !== undefined && page.notes.length > 0 && { notes: page.notes }),
});
