import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead } from "@earendil-works/pi-coding-agent";

export interface Truncated {
	text: string;
	/** Says what was left out; absent if nothing was. */
	note?: string;
}

/** As much of an answer as pi gives a model of any tool's output, from its beginning: 2,000 lines or 50 KB, or less. */
export function truncateForModel(text: string, maxBytes = DEFAULT_MAX_BYTES): Truncated {
	const result = truncateHead(text, { maxBytes });
	if (!result.truncated) return { text };
	// pi keeps whole lines only, so nothing would be left of a single endless line.
	const kept = result.firstLineExceedsLimit ? firstBytes(text, maxBytes) : result.content;
	const shown =
		result.truncatedBy === "lines"
			? `the first ${DEFAULT_MAX_LINES} of ${result.totalLines} lines`
			: `the first ${formatSize(Buffer.byteLength(kept))} of ${formatSize(result.totalBytes)}`;
	return { text: kept, note: `This is ${shown}.` };
}

/** Cut between characters, never inside one. */
function firstBytes(text: string, bytes: number): string {
	return Buffer.from(text)
		.subarray(0, bytes)
		.toString("utf8")
		.replace(/\uFFFD$/, "");
}
