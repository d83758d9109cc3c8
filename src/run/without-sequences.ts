import { stripVTControlCharacters } from "node:util";

const ESC = "\u001b";
const BELL = "\u0007";
/** A command for the terminal that ends. It holds no other, so looking for its end takes no longer than reading it. */
const CLOSED_SEQUENCES = new RegExp(
	`(?:${ESC}\\]|\u009d)[^${BELL}${ESC}\u009c\u009d]*(?:${BELL}|${ESC}\\\\|\u009c)`,
	"g",
);
/** Where a command begins that does not end. For each of them, Node's function would read the whole rest of the text. */
const OPEN_SEQUENCES = new RegExp(`${ESC}+(?=\\])`, "g");

/** A text without escape sequences, in a time that only its length decides. */
export const withoutSequences = (text: string): string =>
	stripVTControlCharacters(text.replace(CLOSED_SEQUENCES, "").replace(OPEN_SEQUENCES, ""));
