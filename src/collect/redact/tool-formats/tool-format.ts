import { maskOf } from "../mask.ts";
import { isSecretValue, looksChosen, looksMixed, looksRandom, looksStrong } from "../secret-values.ts";

/** A line, a block or a call in a tool's own format. */
export interface ToolFormat {
	/** The format is searched only in a text that has one of these signs: most texts have none. */
	signs: readonly string[];
	/** What comes before the secret, and the secret. */
	pattern: RegExp;
	mask?: string;
	/** For a format that does not prove it alone. */
	isSecret?: (value: string) => boolean;
}

export const PASSWORD = maskOf("password");

export const isPassword = (value: string): boolean => isSecretValue(value, "password", "quoted");
/** For what could also be a word. */
export const isNoWord = (value: string): boolean =>
	isPassword(value) && (looksMixed(value) || looksStrong(value) || looksChosen(value) || looksRandom(value));
/** For a format that proves it alone, whatever the value looks like. */
export const isAny = (): boolean => true;
