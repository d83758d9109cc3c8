/** A token that its format alone identifies, wherever it is. */
export interface TokenFormat {
	kind: string;
	/** How it begins. `M?` stands for an M and any character of a word. */
	prefixes: readonly string[];
	/** RegExp source of what follows the prefix. Every quantifier is bounded, so that no text makes it slow. */
	body: string;
	/** The part of the match that stays readable. */
	keep?: RegExp;
	/** The check that the format itself cannot express, for formats that words may have, too. */
	accept?: (match: string) => boolean;
}

export const raw = String.raw;
export const hasDigit = (match: string): boolean => /\d/.test(match);
export const hasSegmentOf =
	(length: number) =>
	(match: string): boolean =>
		match.split(/[-_]/).some((segment) => segment.length >= length && hasDigit(segment));

type Extras = Pick<TokenFormat, "keep" | "accept">;

/** One format per line: its name, its prefixes separated by spaces, and what follows them. */
export const format = (kind: string, prefixes: string, body: string, extras: Extras = {}): TokenFormat => ({
	kind,
	prefixes: prefixes.split(" "),
	body,
	...extras,
});

export const AN = (length: string): string => raw`[A-Za-z0-9]{${length}}`;
export const LOWER_CASE = (length: string): string => raw`[a-z0-9]{${length}}`;
export const UP = (length: string): string => raw`[A-Z0-9]{${length}}`;
export const HEX_OF = (length: string): string => raw`[0-9a-fA-F]{${length}}`;
export const URL64 = (length: string): string => raw`[\w-]{${length}}`;
export const B64 = (length: string): string => raw`[A-Za-z0-9+/]{${length}}={0,3}`;
export const UUID_FORMAT = raw`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`;
export const ENDS = raw`(?![\w-])`;
export const digits = { accept: hasDigit };
