import { yaml } from "./yaml.ts";

/** The parser takes more than linear time for nested collections, and far more to turn them into values. */
const DEEPEST_YAML = 40;
/** About eight hundred lines of `key: value`, which the parser reads within about 50 ms. */
const MOST_TOKENS = 5_000;

/**
 * Why a text is too much for the parser; undefined if it is not. Only the lexer reads it, in linear time, and this stops as
 * soon as it exceeds a limit.
 */
export function tooMuchFor(text: string): string | undefined {
	const { CST, Lexer } = yaml();
	const blocks: number[] = [];
	let flows = 0;
	let column = 0;
	let count = 0;
	let isContent = false;
	for (const token of new Lexer().lex(text)) {
		if (++count > MOST_TOKENS) return `it has more than ${MOST_TOKENS} tokens`;
		// The lexer announces a scalar with a mark. The next token is the scalar's text, even if it looks like syntax.
		const type: string | null = isContent ? null : CST.tokenType(token);
		isContent = type === "scalar";
		if (type === "explicit-key-ind") return "it has an explicit key (`? `), which is not read here";
		if (type === "flow-map-start" || type === "flow-seq-start") flows++;
		else if (type === "flow-map-end" || type === "flow-seq-end") flows = Math.max(0, flows - 1);
		else if (type === "flow-error-end") flows = 0;
		else if (flows === 0 && STARTS_NODE.has(type ?? "")) {
			// Only a token further to the right than the open blocks can be one level deeper.
			while ((blocks.at(-1) ?? -1) >= column) blocks.pop();
			blocks.push(column);
		}
		if (blocks.length + flows > DEEPEST_YAML) return `it is nested more than ${DEEPEST_YAML} levels deep`;
		if (!NOT_TEXT.has(type ?? "")) column = columnAfter(token, column);
	}
	return undefined;
}

const STARTS_NODE = new Set([
	"seq-item-ind",
	"map-value-ind",
	"scalar",
	"single-quoted-scalar",
	"double-quoted-scalar",
	"block-scalar-header",
	"alias",
	"anchor",
	"tag",
]);

/** Control characters of the lexer that are not in the text. */
const NOT_TEXT = new Set(["doc-mode", "flow-error-end", "scalar"]);

function columnAfter(token: string, column: number): number {
	const end = token.lastIndexOf("\n");
	return end === -1 ? column + token.length : token.length - end - 1;
}
