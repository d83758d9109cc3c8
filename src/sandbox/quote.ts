/** Words as a shell reads them back. All are quoted. */
export const shellWords = (words: readonly string[]): string =>
	words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

/** One word in a command that people read: quoted only if necessary. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellWords([word]));
