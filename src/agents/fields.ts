import type { LineCounter, Node } from "yaml";
import { messageOf } from "../run/message-of.ts";
import type { Findings } from "./findings.ts";
import { yaml } from "./yaml.ts";

/** One entry of the frontmatter, with the position of its value (of its key, where the value is empty). */
export interface Field {
	key: string;
	value: unknown;
	line: number;
	column: number;
}

export type Fields = ReadonlyMap<string, Field>;

/** Reads the frontmatter as YAML; says why and returns nothing when it is none. */
export function readFields(text: string, findings: Findings): Fields | undefined {
	const asWritten = parse(text);
	const parsed = asWritten.kind === "broken" ? (withPlainDescription(text) ?? asWritten) : asWritten;
	if (parsed.kind === "broken") {
		findings.error(parsed, `The frontmatter is not valid YAML: ${parsed.reason}.`, "Mend it at this position.");
		return undefined;
	}
	if (asWritten.kind === "broken") {
		findings.warning(
			{ ...asWritten, key: "description" },
			`This is not valid YAML (${asWritten.reason}); the line was read as plain text.`,
			"Put the description in quotes.",
		);
	}
	return parsed.fields;
}

type Parsed = { kind: "fields"; fields: Fields } | { kind: "broken"; reason: string; line?: number; column?: number };

function parse(text: string): Parsed {
	const { isMap, LineCounter, parseDocument } = yaml();
	const positions = new LineCounter();
	try {
		const document = parseDocument(text, { lineCounter: positions, prettyErrors: false, stringKeys: true });
		const [problem] = [...document.errors, ...document.warnings];
		if (problem) return { kind: "broken", reason: problem.message, ...at(problem.pos[0], positions) };
		if (document.contents === null) return { kind: "fields", fields: new Map() };
		if (!isMap(document.contents)) return { kind: "broken", reason: "it holds no fields (key: value)", line: 2 };
		const values = new Map(Object.entries(document.toJS()));
		const fields = document.contents.items.map((pair): [string, Field] => {
			const key = String(pair.key);
			const node = [pair.value, pair.key].find(hasExtent);
			return [key, { key, value: values.get(key), ...at(node?.range[0] ?? 0, positions) }];
		});
		return { kind: "fields", fields: new Map(fields) };
	} catch (error) {
		// The parser throws for unknown or endlessly multiplying aliases, and where nesting exhausts the stack.
		return { kind: "broken", reason: messageOf(error), line: 2 };
	}
}

const hasExtent = (node: unknown): node is Node & { range: [number, number, number] } =>
	yaml().isNode(node) && !!node.range && node.range[1] > node.range[0];

function at(offset: number, positions: LineCounter): { line: number; column: number } {
	const { line, col } = positions.linePos(offset);
	return { line, column: col };
}

/**
 * Claude Code writes descriptions such as `description: Use it when… Examples: user: "…"` without quotes and reads them
 * back; YAML takes the second colon for a nested mapping. Only this field is treated so: nothing depends on its meaning.
 */
function withPlainDescription(text: string): Parsed | undefined {
	const quoted = text.replace(/^description:[ \t]+(?=[^\s"'|>])(.*)$/m, (_, words: string) => {
		return `description: ${JSON.stringify(words.trim())}`;
	});
	const parsed = parse(quoted);
	return parsed.kind === "fields" ? parsed : undefined;
}
