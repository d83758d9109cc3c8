import { elementsIn, type PageTree, rawText } from "./tree.ts";

/** Why a page has no text, in words of our own. */
export function whyEmpty(page: PageTree, html: string): string {
	if (html.trim() === "") return "the server sent an empty page";
	const names = new Set([...elementsIn(page)].map(({ name }) => name));
	if (names.has("script")) return "the page needs a browser: scripts make its text";
	if (names.has("img") || names.has("picture") || names.has("svg") || names.has("canvas"))
		return "the page has only images";
	return "the page is empty";
}

/** The text of a page for browsers without scripts or frames. */
export function fallbackText(page: PageTree): string {
	const said = [...elementsIn(page)].filter(({ name }) => name === "noscript" || name === "noframes");
	return said
		.map((element) =>
			rawText(element, ({ name }) => name === "style")
				.replace(/\s+/g, " ")
				.trim(),
		)
		.filter((text) => text !== "" && !text.startsWith("<"))
		.join("\n\n");
}

/** The frames of a page that consists only of frames, as links. */
export const framesOf = (page: PageTree): string[] =>
	[...elementsIn(page)]
		.filter(({ name, attribs }) => name === "frame" && attribs.src)
		.map(({ attribs }, place) => `- [${attribs.title || attribs.name || `frame ${place + 1}`}](${attribs.src})`);
