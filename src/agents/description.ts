import { isFieldName, restrictionNamed } from "./known-fields.ts";

export interface Repaired {
	text: string;
	/** Whether the description is one line, so that no other line of the file became part of it. */
	isOneLine: boolean;
	/** A line that became part of the description although it reads like a restriction. */
	swallowed?: { line: number; field: string };
}

/** A line that begins with a name and a colon, in quotes or not. */
const NAMED_LINE = /^(\s*)["']?([^\s"':][^"':]{0,40}?)["']?\s*:(?:\s+(.*))?$/;

/**
 * Claude Code writes descriptions such as `description: Use it when… Examples: user: "…"` without quotes, over one line
 * or several, and reads them back. YAML takes a second colon for a nested mapping and a line at the margin for a field.
 * This returns the frontmatter with that description in quotes, or undefined if it has none.
 *
 * This applies only to the description, because nothing depends on its meaning. It ends before the first line at the margin
 * that begins with the name of another field, so that no field of the file becomes text.
 */
export function descriptionAsText(text: string): Repaired | undefined {
	const lines = text.split("\n");
	const start = lines.findIndex((line) => /^description\s*:/.test(line));
	const first = lines[start];
	if (first === undefined) return undefined;
	const next = lines.findIndex((line, index) => index > start && isField(line));
	const end = next === -1 ? lines.length : next;
	const words = first.slice(first.indexOf(":") + 1).replace(/^\s*[|>][-+0-9]*\s*$/, "");
	const rest = lines.slice(start + 1, end);
	const quoted = `description: ${JSON.stringify(withoutQuotes([words, ...rest].join("\n").trim()))}`;
	const swallowed = rest.findIndex((line) => restrictionIn(line) !== undefined);
	return {
		isOneLine: rest.every((line) => line.trim() === ""),
		// As many lines as before, so that the positions of other problems stay correct.
		text: [...lines.slice(0, start), quoted, ...rest.map(() => ""), ...lines.slice(end)].join("\n"),
		...(swallowed !== -1 && {
			swallowed: { line: start + swallowed + 2, field: restrictionIn(rest[swallowed] ?? "") ?? "" },
		}),
	};
}

function isField(line: string): boolean {
	const [, indent, name = ""] = NAMED_LINE.exec(line) ?? [];
	return indent === "" && isFieldName(name);
}

/** The restriction that a line seems to be. Lookalike letters count, and so does any name with the value true. */
function restrictionIn(line: string): string | undefined {
	const [, , name = "", value = ""] = NAMED_LINE.exec(line) ?? [];
	const plain = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
	return restrictionNamed(plain) ?? (/^["']?(?:true|1)["']?\s*(?:#.*)?$/.test(value) ? name : undefined);
}

/** Drops quotes around the whole value: the author intended them, but a quote inside broke the YAML. */
function withoutQuotes(value: string): string {
	const [quote] = value;
	const isQuoted = (quote === '"' || quote === "'") && value.length > 1 && value.endsWith(quote);
	return isQuoted ? value.slice(1, -1) : value;
}
