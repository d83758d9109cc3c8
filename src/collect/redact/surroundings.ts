import { isBetween } from "./slices.ts";

/** A part of a text. */
export interface Part {
	from: number;
	to: number;
}

/**
 * How far a part reaches beyond its marks at least, if it can end between two lines that do not belong together. Further
 * than names can see across lines, apart from keys: a name looks less than 1,200 characters ahead, and 400 back.
 */
export const NEAR = 1_500;
/** The same, in multiples of that, if it has to end at any line break. */
const FAR = 2;
/** The same in the middle of a line: values in quotes, cookies and headers have up to 8,000 characters. */
const FAR_ON_LINE = 6;
/** How far to look for a place to end at. The longest token has 18,000 characters. */
const FARTHEST = 14;
/** How many line breaks are examined closely. */
const MOST_BREAKS = 12;
/** A text is searched in blocks, because it may consist of marks. */
const LOOKED_THROUGH = 1_024;

/** The parts of a text around its marks, each wide enough to hold everything that can see one of them. */
export function surroundings(text: string, marks: RegExp, near: number): Part[] {
	const parts: Part[] = [];
	for (const { from, to } of clusters(text, marks, near)) {
		const last = parts.at(-1);
		if (last?.to === text.length) break;
		const start = startBefore(text, from, near);
		const end = endAfter(text, to, near);
		if (last !== undefined && start <= last.to) last.to = Math.max(last.to, end);
		else parts.push({ from: start, to: end });
	}
	return parts;
}

/** Marks that are so near to each other that the same part holds them. */
function* clusters(text: string, marks: RegExp, near: number): Generator<Part> {
	let cluster: Part | undefined;
	marks.lastIndex = 0;
	for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
		const from = mark.index;
		const to = Math.min(text.length, from + Math.min(LOOKED_THROUGH, near));
		if (cluster === undefined) cluster = { from, to };
		else if (from - cluster.to <= 2 * near) cluster.to = to;
		else {
			yield cluster;
			cluster = { from, to };
		}
		marks.lastIndex = to;
	}
	if (cluster !== undefined) yield cluster;
}

function startBefore(text: string, position: number, near: number): number {
	const limit = Math.max(0, position - FARTHEST * near);
	const close = text.slice(limit, Math.max(limit, position - near));
	let at = close.length;
	for (let breaks = 0; breaks < MOST_BREAKS && at > 0; breaks += 1) {
		at = close.lastIndexOf("\n", at - 1);
		if (at === -1) break;
		if (isBetween(text, limit + at)) return limit + at + 1;
	}
	const lineBreak = text.slice(limit, Math.max(limit, position - FAR * near)).lastIndexOf("\n");
	if (lineBreak !== -1) return limit + lineBreak + 1;
	const blank = text.slice(limit, Math.max(limit, position - FAR_ON_LINE * near)).lastIndexOf(" ");
	return blank === -1 ? 0 : limit + blank + 1;
}

function endAfter(text: string, position: number, near: number): number {
	const limit = position + FARTHEST * near;
	const close = text.slice(position + near, limit);
	let at = -1;
	for (let breaks = 0; breaks < MOST_BREAKS; breaks += 1) {
		at = close.indexOf("\n", at + 1);
		if (at === -1) break;
		if (isBetween(text, position + near + at)) return position + near + at + 1;
	}
	const [far, farOnLine] = [position + FAR * near, position + FAR_ON_LINE * near];
	const lineBreak = text.slice(far, limit).indexOf("\n");
	if (lineBreak !== -1) return far + lineBreak + 1;
	const blank = text.slice(farOnLine, limit).indexOf(" ");
	return blank === -1 ? text.length : farOnLine + blank + 1;
}
