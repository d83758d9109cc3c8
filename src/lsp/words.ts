/** Where a word occurs as a whole word; -1 if it does not. */
export function indexOfWord(text: string, word: string, from = 0): number {
	const pattern = wordPattern(word);
	pattern.lastIndex = from;
	return pattern.exec(text)?.index ?? -1;
}

export function wordPattern(word: string): RegExp {
	const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	return new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped}(?![\\p{L}\\p{N}_$])`, "gu");
}

/** The word around a column (1-based), if there is one. */
export function wordAt(line: string, column: number): string | undefined {
	for (const { 0: word, index } of line.matchAll(/[\p{L}\p{N}_$]+/gu)) {
		if (index <= column - 1 && column - 1 <= index + word.length) return word;
	}
	return undefined;
}
