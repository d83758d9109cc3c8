import { getMarkdownTheme } from "@earendil-works/pi-coding-agent";
import { Markdown, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plain } from "../../collect/plain.ts";
import { count, plural } from "../../run/amounts.ts";
import type { Drawing } from "./drawing.ts";
import { withHint } from "./expand-hint.ts";

/** More than a user reads in a terminal. */
const DRAWN_CHARS = 30_000;
/** The parser takes quadratic time for a paragraph: 30,000 characters of unclosed stars block pi for four seconds. */
const LONGEST_PARAGRAPH = 3_000;
const PREVIEW_LINES = 5;

/** The child's text as Markdown: all of it, or its beginning and how much more there is. */
export function answerLines(text: string, drawing: Drawing): string[] {
	const lines = wholeAnswer(text, drawing);
	const more = lines.length - PREVIEW_LINES;
	if (drawing.expanded || more <= 0) return lines;
	return [...withoutBlankEnd(lines.slice(0, PREVIEW_LINES)), withHint(`… ${plural(more, "more line")}`, drawing)];
}

function withoutBlankEnd(lines: readonly string[]): string[] {
	return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

function wholeAnswer(text: string, { theme, width }: Drawing): string[] {
	const lines = markdown(plain(text.slice(0, DRAWN_CHARS)).trim(), width);
	if (text.length <= DRAWN_CHARS) return lines;
	return [...lines, theme.fg("muted", `… ${count(text.length - DRAWN_CHARS)} more characters`)];
}

function markdown(source: string, width: number): string[] {
	if (source.split(/\n\s*\n/).some(({ length }) => length > LONGEST_PARAGRAPH)) return wrapTextWithAnsi(source, width);
	try {
		return new Markdown(source, 0, 0, getMarkdownTheme()).render(width).map((line) => line.trimEnd());
	} catch {
		// The parser recurses into its input, and an error while drawing ends pi.
		return wrapTextWithAnsi(source, width);
	}
}
