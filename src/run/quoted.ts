import { legible } from "./legible.ts";

const LONGEST_QUOTE = 100;

/** Text from others, quoted in a message and cut to a readable length. */
export const quoted = (text: string): string => `"${shortened(text)}"`;

/** In one line of what a reader sees, so that it neither acts on a terminal nor begins a line that looks like ours. */
export function shortened(text: string): string {
	const line = legible(text.slice(0, LONGEST_LOOKED_AT)).replace(/\s+/g, " ");
	return line.length <= LONGEST_QUOTE && text.length <= LONGEST_LOOKED_AT
		? line
		: `${line.slice(0, LONGEST_QUOTE).toWellFormed()}… (${text.length} characters)`;
}

/** Most of a text may be invisible. */
const LONGEST_LOOKED_AT = 1000;
