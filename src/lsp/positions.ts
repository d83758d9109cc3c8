import type { Position, Range } from "vscode-languageserver-protocol";

/** 1-based. Columns count UTF-16 units, as editors and compilers do: a tab is one, most emoji are two. */
export interface Place {
	line: number;
	column: number;
}

/** How a server counts inside a line. We ask for UTF-16; not every server complies. */
export type Encoding = "utf-8" | "utf-16" | "utf-32";

export const encodingOf = (announced: string | undefined): Encoding =>
	announced === "utf-8" || announced === "utf-32" ? announced : "utf-16";

export function toPosition(place: Place, line: string, encoding: Encoding): Position {
	const before = line.slice(0, place.column - 1);
	return { line: place.line - 1, character: lengthIn(encoding, before) };
}

export function toPlace({ line, character }: Position, text: string | undefined, encoding: Encoding): Place {
	return { line: line + 1, column: unitsBefore(character, text, encoding) + 1 };
}

/** How many UTF-16 units of the line come before a character. Without the line, returns the server's own count. */
export function unitsBefore(character: number, line: string | undefined, encoding: Encoding): number {
	if (line === undefined) return character;
	if (encoding === "utf-8") return Buffer.from(line).subarray(0, character).toString().length;
	if (encoding === "utf-32") return [...line].slice(0, character).join("").length;
	return Math.min(character, line.length);
}

export const overlaps = (a: Range, b: Range): boolean => !isBefore(a.end, b.start) && !isBefore(b.end, a.start);

const isBefore = (a: Position, b: Position): boolean =>
	a.line < b.line || (a.line === b.line && a.character < b.character);

function lengthIn(encoding: Encoding, text: string): number {
	if (encoding === "utf-8") return Buffer.byteLength(text);
	return encoding === "utf-32" ? [...text].length : text.length;
}
