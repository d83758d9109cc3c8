import { readRegularFile } from "../files/regular-file.ts";
import { pathOfDescriptor } from "../sandbox/opened-path.ts";

export const LARGEST_SOURCE = 2 * 1024 * 1024;

/** A source file as servers see it: without the byte order mark, which editors do not count as a character either. */
export interface SourceText {
	text: string;
	lines: string[];
	hasByteOrderMark: boolean;
}

/** Reads the file at a real path. Fails if a link has replaced it, or a folder on the way to it: it may lead anywhere. */
export function readSource(path: string): SourceText {
	const raw = readRegularFile(path, LARGEST_SOURCE, (descriptor) => {
		if (pathOfDescriptor(descriptor, path) !== path) {
			throw Object.assign(new Error(`${path} has become a link.`), { code: "ELOOP" });
		}
	});
	const hasByteOrderMark = raw.startsWith("\uFEFF");
	const text = hasByteOrderMark ? raw.slice(1) : raw;
	return { text, lines: sourceLines(text), hasByteOrderMark };
}

/** The three line ends of the protocol. */
const sourceLines = (text: string): string[] => text.split(/\r\n|\n|\r/);
