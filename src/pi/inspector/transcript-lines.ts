import type { Theme } from "@earendil-works/pi-coding-agent";
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { plural } from "../../run/amounts.ts";
import { answerLines } from "../view/answer.ts";
import type { TranscriptItem } from "./transcript-items.ts";

/** How many lines of a tool's result are shown folded, and unfolded. */
const FOLDED_LINES = 1;
const UNFOLDED_LINES = 200;

export interface TranscriptDrawing {
	theme: Theme;
	width: number;
	/** Whether results of tools are shown whole. */
	unfolded: boolean;
}

/** Draws items. Reuses items that were drawn with the same settings before, since Markdown is slow. */
export function transcriptPainter(): (items: readonly TranscriptItem[], drawing: TranscriptDrawing) => string[] {
	let drawn = new WeakMap<TranscriptItem, string[]>();
	let last: TranscriptDrawing | undefined;
	return (items, drawing) => {
		if (last?.width !== drawing.width || last.unfolded !== drawing.unfolded || last.theme !== drawing.theme) {
			drawn = new WeakMap();
		}
		last = drawing;
		return items.flatMap((item) => {
			const lines = drawn.get(item) ?? itemLines(item, drawing);
			drawn.set(item, lines);
			return lines;
		});
	};
}

function itemLines(item: TranscriptItem, drawing: TranscriptDrawing): string[] {
	const { theme, width } = drawing;
	switch (item.kind) {
		case "asked":
			return ["", ...bordered(item.text, "accent", drawing)];
		case "steered":
			return ["", theme.fg("success", "you"), ...bordered(item.text, "success", drawing)];
		case "said":
			return ["", ...markdownLines(item.text, drawing)];
		case "called":
			return wrapTextWithAnsi(`${theme.fg("accent", "→")} ${theme.fg("toolTitle", item.text)}`, width);
		case "returned":
			return toolResultLines(item, drawing);
		case "answer":
			return [
				"",
				item.isError ? theme.fg("error", "✗ gave up") : theme.fg("success", "✓ answered"),
				...markdownLines(item.text, drawing),
			];
		case "note":
			return wrapTextWithAnsi(theme.fg("warning", item.text), width);
	}
}

function bordered(text: string, color: "accent" | "success", { theme, width }: TranscriptDrawing): string[] {
	const inner = Math.max(1, width - 2);
	return wrapTextWithAnsi(text, inner).map((line) => `${theme.fg(color, "▌")} ${line}`);
}

function toolResultLines(
	{ text, isError }: Extract<TranscriptItem, { kind: "returned" }>,
	{ theme, width, unfolded }: TranscriptDrawing,
): string[] {
	const color = isError ? "error" : "toolOutput";
	const all = text === "" ? ["(nothing)"] : text.split("\n");
	const shown = all.slice(0, unfolded ? UNFOLDED_LINES : FOLDED_LINES);
	const more = all.length - shown.length;
	const note = more > 0 ? theme.fg("dim", `  … ${plural(more, "more line")}`) : undefined;
	const inner = Math.max(1, width - 2);
	const lines = shown.flatMap((line) =>
		unfolded ? wrapTextWithAnsi(theme.fg(color, line), inner) : [theme.fg(color, line)],
	);
	return [...lines.map((line) => `  ${line}`), ...(note === undefined ? [] : [note])];
}

const markdownLines = (text: string, { theme, width }: TranscriptDrawing): string[] =>
	answerLines(text, { theme, width, expanded: true, hint: "" });
