/** The first word of what a user typed, and the rest. A word with spaces in it stands in quotes. */
export function firstWord(text: string): { word: string; rest: string } {
	const trimmed = text.trimStart();
	const [whole = "", quoted, bare = ""] = /^"([^"]*)"|^(\S+)/.exec(trimmed) ?? [];
	return { word: quoted ?? bare, rest: trimmed.slice(whole.length).trim() };
}

/** A name of which nothing else follows: it may have spaces without quotes. */
export function onlyWord(text: string): string {
	const { word, rest } = firstWord(text);
	return rest === "" ? word : text.trim();
}

/** As it has to be typed. */
export const asWord = (name: string): string => (/\s/.test(name) ? `"${name}"` : name);
