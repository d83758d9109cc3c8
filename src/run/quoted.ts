const LONGEST_QUOTE = 100;

/** Text from others, quoted in a message and cut to a readable length. */
export const quoted = (text: string): string => `"${shortened(text)}"`;

export function shortened(text: string): string {
	return text.length <= LONGEST_QUOTE
		? text
		: `${text.slice(0, LONGEST_QUOTE).toWellFormed()}… (${text.length} characters)`;
}
