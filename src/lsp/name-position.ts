import type { Position, Range } from "vscode-languageserver-protocol";
import { codeOnly } from "./code-only.ts";
import { type Encoding, toPosition, unitsBefore } from "./positions.ts";
import { nameParts } from "./symbol-names.ts";
import { indexOfWord, wordPattern } from "./words.ts";

const DECLARES =
	/\b(def|class|fn|func|function|struct|enum|union|trait|interface|type|mod|module|namespace|const|let|var|val|static|macro_rules!)\s+(\([^)]*\)\s*)?$/;
/** Decorators, attributes and comments may come before a name, but not pages of code. */
const MOST_LINES_BEFORE = 40;

interface SymbolSource {
	lines: string[];
	path: string;
	encoding: Encoding;
}

/**
 * The range of a symbol, beginning at its name. Some servers report where the declaration begins: at `def`, a decorator, or
 * the comment above it. Without this, the next question would be about that word.
 */
export function startOfName({ name, range }: { name: string; range: Range }, source: SymbolSource): Range {
	const { lines, encoding } = source;
	const word = nameParts(name).at(-1) ?? name;
	const { start, end } = range;
	const from = unitsBefore(start.character, lines[start.line], encoding);
	if (indexOfWord(lines[start.line] ?? "", word, from) === from) return range;
	const last = Math.min(end.line, start.line + MOST_LINES_BEFORE);
	const within = codeOnly(lines.slice(start.line, last + 1), source.path);
	const place = declared(within, word, from);
	if (!place) return range;
	const line = start.line + place.line;
	const at = toPosition({ line: line + 1, column: place.column }, lines[line] ?? "", encoding);
	return { start: at, end: later(at, end) };
}

/** Where a word is declared in some lines of code, or else where it first occurs. */
export function declared(
	code: readonly string[],
	word: string,
	from = 0,
): { line: number; column: number } | undefined {
	const places = code.flatMap((text, line) =>
		[...text.matchAll(wordPattern(word))].flatMap(({ index }) =>
			line === 0 && index < from ? [] : [{ line, column: index + 1, declares: DECLARES.test(text.slice(0, index)) }],
		),
	);
	return places.find(({ declares }) => declares) ?? places[0];
}

const later = (a: Position, b: Position): Position =>
	a.line > b.line || (a.line === b.line && a.character > b.character) ? a : b;
