import { readRegularFile } from "../files/regular-file.ts";

export const LARGEST_SOURCE = 2 * 1024 * 1024;

/** A source file as servers see it: without the byte order mark, which editors do not count as a character either. */
export interface SourceText {
	text: string;
	lines: string[];
	hasByteOrderMark: boolean;
}

export function readSource(path: string): SourceText {
	const raw = readRegularFile(path);
	const hasByteOrderMark = raw.startsWith("\uFEFF");
	const text = hasByteOrderMark ? raw.slice(1) : raw;
	return { text, lines: sourceLines(text), hasByteOrderMark };
}

/** The three line ends of the protocol. */
const sourceLines = (text: string): string[] => text.split(/\r\n|\n|\r/);
