const LONGEST_QUOTE = 100;

/** What somebody wrote, to name it in a message: short, whatever it was. */
export const quoted = (text: string): string => `"${shortened(text)}"`;

export function shortened(text: string): string {
	return text.length <= LONGEST_QUOTE
		? text
		: `${text.slice(0, LONGEST_QUOTE).toWellFormed()}… (${text.length} characters)`;
}
