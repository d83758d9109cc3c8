import { type Component, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

interface FittedOptions {
	/** Draws again every time, for content that depends on the time. */
	readonly live?: boolean;
}

/** Cuts all lines to the width of the terminal: pi ends with an error if one is wider. */
export function fitted(draw: (width: number) => string[], { live = false }: FittedOptions = {}): Component {
	let drawn: { width: number; lines: string[] } | undefined;
	return {
		render(width) {
			if (live || drawn?.width !== width) {
				drawn = { width, lines: draw(Math.max(1, width)).map((line) => cut(line, width)) };
			}
			return drawn.lines;
		},
		invalidate() {
			drawn = undefined;
		},
	};
}

/** The beginning of a line, as much as fits; empty if not even its first letter does. */
export function cut(line: string, width: number): string {
	if (visibleWidth(line) <= width) return line;
	const head = truncateToWidth(line, width, width > 1 ? "…" : "");
	return visibleWidth(head) <= width ? head : "";
}

/** Breaks a line and keeps its indent. Before a word that is too wide, pi alone would leave an empty line. */
export function wrapIndented(line: string, width: number): string[] {
	const [indent = ""] = /^ */.exec(line) ?? [];
	const lines = wrapTextWithAnsi(line.slice(indent.length), Math.max(1, width - indent.length));
	return lines.map((part) => `${indent}${part}`);
}

/** Pieces side by side, as many in each line as fit. */
export function pack(pieces: readonly string[], separator: string, width: number): string[] {
	const lines: string[] = [];
	for (const piece of pieces) {
		const last = lines.at(-1);
		const joined = last === undefined ? undefined : `${last}${separator}${piece}`;
		if (joined !== undefined && visibleWidth(joined) <= width) lines[lines.length - 1] = joined;
		else lines.push(piece);
	}
	return lines;
}
