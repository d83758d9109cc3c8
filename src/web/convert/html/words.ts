const WORD = /[\p{L}\p{N}]+/gu;
/** Addresses of links are not words of a page. */
const TARGET = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g;

/** How often each word occurs in markdown. */
function wordCounts(markdown: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const [word] of markdown.replace(TARGET, "]").toLowerCase().matchAll(WORD)) {
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	return counts;
}

/** How many words one text has, and how many of them are in another. */
export function wordsKept(whole: string, part: string): { words: number; kept: number } {
	const there = wordCounts(part);
	let words = 0;
	let kept = 0;
	for (const [word, count] of wordCounts(whole)) {
		words += count;
		kept += Math.min(count, there.get(word) ?? 0);
	}
	return { words, kept };
}

export const countWords = (markdown: string): number => wordsKept(markdown, "").words;
