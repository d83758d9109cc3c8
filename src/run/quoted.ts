const LONGEST = 100;

/** What somebody wrote, to name it in a message: short, whatever it was. */
export const quoted = (text: string): string => `"${shortened(text)}"`;

export function shortened(text: string): string {
	return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}… (${text.length} characters)`;
}
