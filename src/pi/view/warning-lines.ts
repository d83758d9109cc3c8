import { visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { inOneLine } from "../../collect/plain.ts";
import { plural } from "../../run/amounts.ts";
import type { Drawing } from "./drawing.ts";
import { withHint } from "./expand-hint.ts";
import { cut } from "./fitted.ts";
import { problemLines } from "./problem-lines.ts";

const WARNINGS_SHOWN = 3;
const LONGEST_WARNING = 1_000;

/** Warnings that did not change the ending: a line each for the first few, all of them when expanded. */
export function warningLines(warnings: readonly string[], drawing: Drawing): string[] {
	const [only, ...others] = warnings;
	if (only === undefined) return [];
	if (others.length === 0) return problemLines({ title: "", message: only }, "warning", drawing);
	const { theme, width, expanded } = drawing;
	const lines = warnings.map((warning) => theme.fg("warning", `! ${inOneLine(warning.slice(0, LONGEST_WARNING))}`));
	if (expanded) return lines.flatMap((line) => wrapTextWithAnsi(line, width));
	const shown = lines.slice(0, WARNINGS_SHOWN);
	const more = lines.length - shown.length;
	const isWhole = more === 0 && shown.every((line) => visibleWidth(line) <= width);
	const note = more > 0 ? `… ${plural(more, "more warning")}` : "… and more";
	return [...shown.map((line) => cut(line, width)), ...(isWhole ? [] : [withHint(note, drawing)])];
}
