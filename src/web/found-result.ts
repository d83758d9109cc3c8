import type { WebDetails } from "./details.ts";
import { WebError } from "./error.ts";
import { findPlaces, stretchesAround } from "./find.ts";
import { pageDetails } from "./pages.ts";
import type { KeptPage } from "./process-state.ts";
import { pageHeading, webResult } from "./result.ts";
import { untrusted } from "./untrusted.ts";

const LONGEST_FIND = 200;

interface FindWish {
	responseId: string;
	find: string;
	offset: number;
	maxChars: number;
}

/** The places of a page with certain words, each with its context and its offset. */
export function foundResult(page: KeptPage, { responseId, find, offset, maxChars }: FindWish) {
	if (find.trim() === "" || find.length > LONGEST_FIND) {
		throw new WebError("INVALID_INPUT", `\`find\` takes 1 to ${LONGEST_FIND} characters.`);
	}
	const all = findPlaces(page.text, find);
	const ahead = all.filter((place) => place >= offset);
	const stretches = stretchesAround(page.text, ahead, maxChars);
	const places = stretches.flatMap((stretch) => stretch.places);
	const next = ahead[places.length];
	const { warning, around } = untrusted();
	const shown = stretches.map(({ from, to, places: [at] }) => `[offset ${at}]\n${page.text.slice(from, to)}`);
	const count = all.length === 1 ? "1 place" : `${all.length} places`;
	const texts =
		all.length === 0
			? [`These words are not in the page (${page.text.length} characters).`]
			: [
					warning,
					around([pageHeading(page), ...shown].join("\n\n")),
					`${count} in the page, ${places.length} shown.`,
					...(next === undefined
						? []
						: [
								`More: get_search_content { responseId: "${responseId}", index: ${page.index}, find: ${JSON.stringify(find)}, offset: ${next} }.`,
							]),
				];
	const shownRange = { from: stretches[0]?.from ?? 0, to: stretches.at(-1)?.to ?? 0 };
	const details = { ...pageDetails({ page, ...shownRange }), found: { count: all.length, places } };
	return webResult<WebDetails>(
		[texts.join("\n"), ...(page.cut ? ["Only the beginning of the document is kept."] : [])],
		{
			ok: true,
			responseId,
			pages: [details],
			errors: [],
		},
	);
}
