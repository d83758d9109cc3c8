import type { WebDetails, WebFailure } from "./details.ts";
import type { Excerpt } from "./pages.ts";
import type { fence } from "./untrusted.ts";

/** The result of a tool: lines for the model, and the same as data. */
export const toolResult = <Details extends WebDetails>(parts: readonly string[], details: Details) => ({
	content: [{ type: "text" as const, text: parts.filter((part) => part !== "").join("\n") }],
	details,
});

export const failed = (failure: WebFailure): WebDetails => ({ ok: false, pages: [], errors: [failure] });

export const errorLines = (errors: readonly WebFailure[]): string[] =>
	errors.map(
		({ code, message, ...at }) => `${[at.url ?? at.query ?? at.path, code].filter(Boolean).join(": ")}: ${message}`,
	);

/** A page between the marks, with a line above that says what is shown and how to go on. */
export function pageText(
	{ page, from, to }: Excerpt,
	around: ReturnType<typeof fence>["around"],
	responseId?: string,
): string {
	const chars = page.text.length;
	const go =
		to < chars && responseId !== undefined
			? `; more: get_search_content responseId ${responseId}, index ${page.index}, offset ${to}`
			: "";
	const shown = from === 0 && to === chars ? "" : `, shown ${from}-${to}${go}`;
	const cut = page.cut ? ", the rest was left out" : "";
	const about = [
		...(page.title === undefined ? [] : [`Title: ${page.title}`]),
		...(page.finalUrl === undefined ? [] : [`Redirected to: ${page.finalUrl}`]),
	];
	const text = page.text.slice(from, to) || "(no text)";
	return `[${page.index}] ${page.source} (${page.kind}, ${chars} characters${cut}${shown})\n${around([...about, text].join("\n"))}`;
}
