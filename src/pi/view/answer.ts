import { getMarkdownTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { Markdown } from "@earendil-works/pi-tui";
import { count, plural } from "./amounts.ts";
import { fit, wrap } from "./fitted.ts";
import { plain } from "./plain.ts";

/** More than anybody reads in a terminal, and an amount that is parsed in no time. */
const SHOWN_CHARS = 50_000;
const PREVIEW_LINES = 5;

/** What a child wrote, as markdown. */
export function answer(text: string, theme: Theme, width: number): string[] {
	const lines = markdown(text.slice(0, SHOWN_CHARS), width);
	if (text.length <= SHOWN_CHARS) return lines;
	return [...lines, theme.fg("muted", `… ${count(text.length - SHOWN_CHARS)} more characters`)];
}

/** The beginning of it, and how much more there is. */
export function answerPreview(text: string, hint: string, theme: Theme, width: number): string[] {
	const lines = answer(text, theme, width);
	const more = lines.length - PREVIEW_LINES;
	if (more <= 0) return lines;
	const note = theme.fg("muted", `… ${plural(more, "more line")}`);
	return [...lines.slice(0, PREVIEW_LINES), hint === "" ? note : `${note}${theme.fg("muted", ",")} ${hint}`];
}

function markdown(text: string, width: number): string[] {
	const source = plain(text).trim();
	try {
		return new Markdown(source, 0, 0, getMarkdownTheme()).render(width).map((line) => fit(line.trimEnd(), width));
	} catch {
		// The parser recurses into what it reads, and an error while drawing ends pi.
		return wrap(source, width);
	}
}
