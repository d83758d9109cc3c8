import { extname } from "node:path";

const HASH_COMMENTS = /^\.(py|pyi|rb|sh|bash|pl|r|jl|ex|exs|nix|tcl)$/;
const STRINGS = [`"""[\\s\\S]*?"""`, `'''[\\s\\S]*?'''`, `"(?:\\\\.|[^"\\\\\\n])*"`];
/** In Rust, an apostrophe may also begin a lifetime, so only one character may be between two apostrophes. */
const CHARACTERS = `'(?:\\\\[^\\n]{1,8}?|[^'\\\\\\n])'`;
const QUOTED = `'(?:\\\\.|[^'\\\\\\n])*'`;

/**
 * The lines with comments and strings blanked out, at the same columns. It knows two families of languages but no grammar,
 * which is good enough to prefer one place to another, but not to leave one out.
 */
export function codeOnly(lines: readonly string[], path: string): string[] {
	const extension = extname(path).toLowerCase();
	const comments = HASH_COMMENTS.test(extension) ? ["#.*"] : ["\\/\\/.*", "\\/\\*[\\s\\S]*?(?:\\*\\/|$(?![\\s\\S]))"];
	const quotes = extension === ".rs" ? CHARACTERS : QUOTED;
	const hidden = new RegExp([...comments, ...STRINGS, quotes].join("|"), "g");
	const blanked = lines.join("\n").replace(hidden, (text) => text.replace(/[^\n]/g, " "));
	return blanked.split("\n");
}
