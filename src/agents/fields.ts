import type { LineCounter, Node } from "yaml";
import { messageOf } from "../run/message-of.ts";
import { descriptionAsText, type Repaired } from "./description.ts";
import type { Findings } from "./findings.ts";
import { isFieldName } from "./known-fields.ts";
import { yaml } from "./yaml.ts";
import { tooMuchFor } from "./yaml-bounds.ts";

/** One entry of the frontmatter, with the position of its value, or of its key if the value is empty. */
export interface Field {
	key: string;
	value: unknown;
	line: number;
	column: number;
	/** Whether YAML aliases (`*x`) or merge keys (`<<`) are somewhere in its value. */
	refers: "alias" | "merge" | undefined;
}

export type FieldsByKey = ReadonlyMap<string, Field>;

/** Reads the frontmatter as YAML. If that fails, reports why and returns undefined. */
export function readFields(written: string, findings: Findings): FieldsByKey | undefined {
	const text = starInQuotes(written);
	const asWritten = parseYaml(text);
	if (asWritten.kind === "fields") return asWritten.fields;
	const repaired = repairedText(text, asWritten);
	const parsed = repaired === undefined ? asWritten : parseYaml(repaired.text);
	if (parsed.kind === "broken") {
		const quoted = asWritten.isTooMuch ? undefined : parseYaml(unknownInQuotes(text));
		if (quoted?.kind === "fields") {
			const message = `This is not valid YAML (${asWritten.reason}); it was read as plain text.`;
			findings.warning(position(asWritten.line, asWritten.column), message, "Put it in quotes.");
			return quoted.fields;
		}
		// The position in the original text of the file.
		const { reason, line, column } = asWritten;
		findings.error(position(line, column), `The frontmatter is not valid YAML: ${reason}.`, "Fix it there.");
		return undefined;
	}
	if (repaired?.swallowed) {
		const { line, field } = repaired.swallowed;
		findings.error(
			{ line, key: "description" },
			`${field} is part of the description here, where it restricts nothing.`,
			"Put the description in quotes, and start the field at the beginning of a line.",
		);
		return undefined;
	}
	findings.warning(
		{ ...position(asWritten.line, asWritten.column), key: "description" },
		`This is not valid YAML (${asWritten.reason}); the description was read as plain text.`,
		"Put the description in quotes.",
	);
	return parsed.fields;
}

/**
 * Does not repair a text beyond the limits, except for a description on one line, in which each colon of a dialogue seems to
 * nest one level deeper. The limits apply to the repaired text too.
 */
function repairedText(text: string, { isTooMuch = false }: Broken): Repaired | undefined {
	const repaired = descriptionAsText(text);
	return isTooMuch && !repaired?.isOneLine ? undefined : repaired;
}

/** Puts the star of `tools: *` in quotes: its meaning is clear in an agent file, but in YAML it is an alias without a name. */
const starInQuotes = (text: string): string =>
	text.replace(/^((?:tools|approved_tools|allowed_tools)[ \t]*:[ \t]*)\*(?=[ \t]*$)/m, '$1"*"');

/**
 * Puts quotes around what an unknown field says on its line, `title: Plans: the next step`, which other systems read. Nothing
 * depends on these texts, and no other line becomes part of them.
 */
const unknownInQuotes = (text: string): string =>
	text.replace(/^([A-Za-z][\w-]*):[ \t]+([^\s"'[{|>&*!%@`#].*: .*)$/gm, (line, name: string, value: string) =>
		isFieldName(name) ? line : `${name}: ${JSON.stringify(value.trim())}`,
	);

const position = (line: number | undefined, column: number | undefined) => ({
	...(line !== undefined && { line }),
	...(column !== undefined && { column }),
});

type Parsed = { kind: "fields"; fields: FieldsByKey } | Broken;

interface Broken {
	kind: "broken";
	reason: string;
	line?: number;
	column?: number;
	isTooMuch?: boolean;
}

function parseYaml(text: string): Parsed {
	const { isMap, LineCounter, parseDocument } = yaml();
	const positions = new LineCounter();
	try {
		const tooMuch = tooMuchFor(text);
		if (tooMuch !== undefined) return { kind: "broken", reason: tooMuch, line: 2, isTooMuch: true };
		const document = parseDocument(text, { lineCounter: positions, prettyErrors: false, stringKeys: true });
		const [problem] = [...document.errors, ...document.warnings];
		if (problem) return { kind: "broken", reason: yamlProblem(problem), ...positionAt(problem.pos[0], positions) };
		if (document.contents === null) return { kind: "fields", fields: new Map() };
		if (!isMap(document.contents)) return { kind: "broken", reason: "it holds no fields (key: value)", line: 2 };
		const values = new Map(Object.entries(document.toJS()));
		const fields = document.contents.items.map((pair): [string, Field] => {
			const key = String(pair.key);
			const node = [pair.value, pair.key].find(hasExtent);
			const place = positionAt(node?.range[0] ?? 0, positions);
			return [key, { key, value: values.get(key), ...place, refers: references(pair.value) }];
		});
		return { kind: "fields", fields: new Map(fields) };
	} catch (error) {
		// The parser throws for unknown or endlessly multiplying aliases, and if nesting exhausts the stack.
		const reason = messageOf(error);
		return { kind: "broken", reason, line: 2, isTooMuch: reason.startsWith("Excessive alias count") };
	}
}

/** The parser speaks of its own option where `{{NAME}}` is a mapping as a key. */
const yamlProblem = ({ code, message }: { code: string; message: string }): string =>
	code === "NON_STRING_KEY" ? "a name of a field must be text; put text in braces in quotes" : message;

const hasExtent = (node: unknown): node is Node & { range: [number, number, number] } =>
	yaml().isNode(node) && !!node.range && node.range[1] > node.range[0];

function references(value: unknown): Field["refers"] {
	const { isNode, visit } = yaml();
	if (!isNode(value)) return undefined;
	let found: Field["refers"];
	visit(value, {
		Alias: () => {
			found ??= "alias";
		},
		Pair: (_, { key }) => {
			if (String(key) === "<<") found = "merge";
		},
	});
	return found;
}

function positionAt(offset: number, positions: LineCounter): { line: number; column: number } {
	const { line, col } = positions.linePos(offset);
	return { line, column: col };
}
