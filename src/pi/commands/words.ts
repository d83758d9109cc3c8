/** The first word of the user's input, and the rest. A word with spaces is in quotes. */
export function firstWord(text: string): { word: string; rest: string } {
	const trimmed = text.trimStart();
	const [whole = "", quoted, bare = ""] = /^"([^"]*)"|^(\S+)/.exec(trimmed) ?? [];
	return { word: quoted ?? bare, rest: trimmed.slice(whole.length).trim() };
}

/** A name at the end of the input, which may contain spaces without quotes. */
export function onlyWord(text: string): string {
	const { word, rest } = firstWord(text);
	return rest === "" ? word : text.trim();
}

/** The name as the user has to type it. */
export const asWord = (name: string): string => (/\s/.test(name) ? `"${name}"` : name);
