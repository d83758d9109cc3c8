/** Words as a shell reads them back. */
export const shellWords = (words: readonly string[]): string =>
	words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
