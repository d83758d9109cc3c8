export interface Position {
	line: number;
	column: number;
}

export const JSON_TOKEN =
	/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/[^\n\r\u2028\u2029]*|\/\*.*?\*\/|[{}[\],:]|[^\s{}[\],:"'/]+/gs;

/** Deeper than any known key. A hostile file may nest further. */
const DEEPEST_KEY = 8;

/**
 * The position of each key and list item of a JSON5 text, by dotted path. The parser does not report positions, so this scans
 * the text, which is already known to be valid.
 */
export function locateKeys(text: string): ReadonlyMap<string, Position> {
	const positions = new Map<string, Position>();
	const lineAt = lineCounter(text);
	const open: { path: string[]; key: string | undefined; index: number | undefined }[] = [];
	let last: { text: string; offset: number } | undefined;
	for (const match of text.matchAll(JSON_TOKEN)) {
		const token = match[0];
		if (token.startsWith("//") || token.startsWith("/*")) continue;
		const inside = open.at(-1);
		const here = inside && open.length <= DEEPEST_KEY ? inside : undefined;
		if (token === ":" && here && last) {
			here.key = unquoted(last.text);
			positions.set([...here.path, here.key].join("."), lineAt(last.offset));
		} else if (token === "," && inside?.index !== undefined) inside.index++;
		else if (token === "}" || token === "]") open.pop();
		else if (here?.index !== undefined && token !== ",") {
			positions.set([...here.path, here.index].join("."), lineAt(match.index));
		}
		if (token === "{" || token === "[") {
			const path = here ? [...here.path, String(here.index ?? here.key)] : [];
			open.push({ path, key: undefined, index: token === "[" ? 0 : undefined });
		}
		last = { text: token, offset: match.index };
	}
	return positions;
}

export const unquoted = (key: string): string => key.replace(/^(["'])(.*)\1$/s, "$2");

/** Offsets must come in rising order, so that each line is counted once. */
function lineCounter(text: string): (offset: number) => Position {
	let line = 1;
	let start = 0;
	return (offset) => {
		for (let end = text.indexOf("\n", start); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
			line++;
			start = end + 1;
		}
		return { line, column: offset - start + 1 };
	};
}
