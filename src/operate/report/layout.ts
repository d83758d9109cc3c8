/**
 * Plain text laid out in columns without pi, since the `pi-geon` command runs outside it. Characters have the widths that
 * terminals commonly use; where pi draws, it measures them itself.
 */
const WIDE =
	/[\p{Emoji_Presentation}\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** How many columns a line takes in a terminal. */
export function columnsOf(line: string): number {
	// Most lines are ASCII, and a log has thousands of them.
	if (/^[\x20-\x7E]*$/.test(line)) return line.length;
	let columns = 0;
	for (const { segment } of graphemes.segment(line)) columns += widthOf(segment);
	return columns;
}

function widthOf(letter: string): number {
	if (NO_WIDTH.test(letter)) return 0;
	return WIDE.test(letter) ? 2 : 1;
}

/** The beginning of a line, as much as fits. */
export function cutTo(width: number, line: string): string {
	if (columnsOf(line) <= width) return line;
	return `${headWithin(line, Math.max(0, width - 1)).trimEnd()}…`;
}

function headWithin(line: string, width: number): string {
	let head = "";
	let columns = 0;
	for (const { segment } of graphemes.segment(line)) {
		columns += widthOf(segment);
		if (columns > width) break;
		head += segment;
	}
	return head;
}

export function padTo(width: number, line: string): string {
	return line + " ".repeat(Math.max(0, width - columnsOf(line)));
}

/**
 * Breaks lines between words. A word that is wider than a line stays whole, so that a path can be copied; terminals wrap it
 * themselves. Existing line breaks are kept.
 */
export function wrapTo(width: number, text: string): string[] {
	return text.split("\n").flatMap((line) => wrapLine(Math.max(1, width), line.trimEnd()));
}

function wrapLine(width: number, line: string): string[] {
	const lines: string[] = [];
	let rest = line;
	while (columnsOf(rest) > width) {
		const indent = rest.length - rest.trimStart().length;
		const fits = headWithin(rest, width).length;
		const before = rest.lastIndexOf(" ", fits);
		const end = before > indent ? before : rest.indexOf(" ", Math.max(fits, indent));
		if (end === -1) break;
		lines.push(rest.slice(0, end).trimEnd());
		rest = rest.slice(end).trimStart();
	}
	return [...lines, rest];
}

export interface Fact {
	name: string;
	/** May have several lines. */
	value: string;
}

/** Names on the left, values on the right; on a narrow terminal, values are below their names. */
export function factsTo(width: number, facts: readonly Fact[]): string[] {
	const left = Math.max(0, ...facts.map(({ name }) => columnsOf(name))) + 2;
	const below = width - left < 30;
	const indent = below ? 2 : left;
	return facts.flatMap(({ name, value }) => {
		const lines = wrapTo(width - indent, value).map((line) => (line === "" ? "" : " ".repeat(indent) + line));
		if (below) return [name, ...lines];
		const [first = "", ...others] = lines;
		return [`${padTo(left, name)}${first.slice(indent)}`.trimEnd(), ...others];
	});
}
